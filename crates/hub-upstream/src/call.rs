//! The parameters of a `tools/call`: arguments byte for byte, and those that the modern HTTP
//! transport repeats in headers. Pure.

use crate::listing::ParamHeaders;
use base64::Engine as _;
use hub_core::ports::{Continuation, Sent, UpstreamError, UpstreamErrorKind as Kind};
use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// Parameters without the arguments.
pub(crate) fn params(
    tool: &str,
    continuation: Option<&Continuation>,
) -> Result<Map<String, Value>, UpstreamError> {
    let mut params = Map::new();
    params.insert("name".to_owned(), json!(tool));
    if let Some(continuation) = continuation {
        let responses: Value = serde_json::from_str(&continuation.responses)
            .map_err(|_| unreadable("the answers to the source's questions"))?;
        params.insert("inputResponses".to_owned(), responses);
        if let Some(state) = &continuation.request_state {
            params.insert("requestState".to_owned(), json!(state));
        }
    }
    Ok(params)
}

/// The arguments as they were digested.
pub(crate) fn arguments(text: &str) -> Result<&RawValue, UpstreamError> {
    serde_json::from_str(text).map_err(|_| unreadable("the arguments"))
}

fn unreadable(what: &str) -> UpstreamError {
    crate::fault::error(Kind::Failed, Sent::No, format!("{what} are not JSON; nothing was sent"))
}

/// `params` with the arguments put in unchanged: what is sent is what was approved.
pub(crate) fn with_arguments(params: &Map<String, Value>, arguments: &RawValue) -> Box<RawValue> {
    struct Joined<'a>(&'a Map<String, Value>, &'a RawValue);
    impl Serialize for Joined<'_> {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(Some(self.0.len() + 1))?;
            for (key, value) in self.0 {
                map.serialize_entry(key, value)?;
            }
            map.serialize_entry("arguments", self.1)?;
            map.end()
        }
    }
    crate::wire::raw(&Joined(params, arguments))
}

/// `Mcp-Param-…` headers of a call; absent and null arguments have none.
pub(crate) fn param_header_values(
    of: &ParamHeaders,
    arguments: &RawValue,
) -> Vec<(String, String)> {
    let arguments: Value = serde_json::from_str(arguments.get()).unwrap_or_default();
    of.iter()
        .filter_map(|(path, name)| {
            let value = path.iter().try_fold(&arguments, |at, key| at.get(key))?;
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Bool(_) | Value::Number(_) => value.to_string(),
                _ => return None,
            };
            Some((format!("Mcp-Param-{name}"), text))
        })
        .collect()
}

/// A header value as the modern transport writes it: plain where it is plain ASCII, else
/// marked base64.
pub(crate) fn header_text(text: &str) -> String {
    let plain = text.bytes().all(|b| (0x20..0x7f).contains(&b))
        && text.trim() == text
        && !(text.starts_with("=?base64?") && text.ends_with("?="));
    match plain {
        true => text.to_owned(),
        false => {
            let coded = base64::engine::general_purpose::STANDARD.encode(text);
            format!("=?base64?{coded}?=")
        }
    }
}

#[cfg(test)]
#[path = "call_tests.rs"]
mod tests;
