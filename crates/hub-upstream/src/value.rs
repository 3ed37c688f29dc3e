//! How the result of `tools/call` becomes a value for the guest (SPEC 2.4). Pure.
//!
//! Structured content where there is any; else content blocks: a text that begins with `{` or
//! `[` and is JSON becomes that JSON, any other text stays text, media become
//! `{type, mimeType, data}`, unknown kinds stay as they are; one block is the value itself,
//! several are an array, none is null. Numbers that a double cannot hold exactly become strings
//! with their digits. An output schema is never checked here: a mismatch hides nothing.

use crate::fault::{bad_response, cut, too_large};
use crate::scrub::Scrub;
use crate::wire::{RpcError, mend};
use hub_core::limits;
use hub_core::ports::{Answer, Continuation, Sent, UpstreamError};
use serde_json::{Map, Value, json};

/// The error code of a server that wants the person on a page first.
const PAGE_WANTED: i64 = -32042;

/// Reads the raw `result` of a `tools/call`.
pub(crate) fn answer(raw: &str, scrub: &Scrub) -> Result<Answer, UpstreamError> {
    let mended = mend(raw, true);
    let result: Value = serde_json::from_str(&scrub.value(&mended)).map_err(|e| {
        bad_response(Sent::Refused, format!("the tool's result is unreadable: {e}"))
    })?;
    let Value::Object(mut result) = result else {
        return Err(bad_response(Sent::Refused, "the tool's result is not an object"));
    };
    match result.get("resultType").and_then(Value::as_str) {
        None | Some("complete") => {}
        Some("input_required") => return input_required(&result),
        Some(other) => {
            let message = format!("the tool answered with a kind of result not asked for: {other}");
            return Err(bad_response(Sent::Refused, cut(&message, 200)));
        }
    }
    let failed = result.get("isError") == Some(&Value::Bool(true));
    let structured = result.remove("structuredContent");
    let content = result.remove("content");
    let legacy = result.remove("toolResult");
    if failed {
        return Ok(Answer::ToolError(words(content.as_ref(), structured.as_ref())));
    }
    let value = match (structured, content, legacy) {
        (Some(value), _, _) if !value.is_null() => value,
        (_, None, Some(value)) => value,
        (_, content, _) => of_content(content),
    };
    let text = value.to_string();
    if text.len() > limits::TOOL_RESULT_BYTES {
        return Err(too_large(text.len(), limits::TOOL_RESULT_BYTES));
    }
    Ok(Answer::Value(text))
}

/// Starts the keys of the questions that [`page_wanted`] makes.
const PAGE_KEY: &str = "page_";

/// The older way to send the person to a page (2025-11-25, error -32042): the call was refused,
/// and is to be sent again once the person was there.
pub(crate) fn page_wanted(error: &RpcError) -> Option<Answer> {
    let pages = error.data.as_ref()?.get("elicitations")?.as_array()?;
    let page = |(n, params): (usize, &Value)| {
        let is_page = params["mode"] == "url" && params["url"].is_string();
        let request = json!({"method": "elicitation/create", "params": params});
        is_page.then(|| (format!("{PAGE_KEY}{}", n + 1), request))
    };
    let requests: Map<String, Value> = pages.iter().enumerate().filter_map(page).collect();
    let known = error.code == PAGE_WANTED && !requests.is_empty();
    let requests = Value::Object(requests).to_string();
    known.then_some(Answer::InputRequired { request_state: None, requests })
}

/// Whether it answers [`page_wanted`]: such a call was refused whole and is sent again; any other
/// was begun, and can only be continued.
pub(crate) fn answers_pages(continuation: &Continuation) -> bool {
    let responses: Map<String, Value> =
        serde_json::from_str(&continuation.responses).unwrap_or_default();
    let all_pages = responses.keys().all(|key| key.starts_with(PAGE_KEY));
    continuation.request_state.is_none() && all_pages
}

/// Whether the person declined any of the questions that `responses` answers.
pub(crate) fn declined(responses: &str) -> bool {
    let responses: Map<String, Value> = serde_json::from_str(responses).unwrap_or_default();
    responses.is_empty() || responses.values().any(|answer| answer["action"] != "accept")
}

/// The raw `result` of a `tools/call`, for a call whose answer is handed on: not read, only
/// bounded, mended and without credentials.
pub(crate) fn whole(raw: &str, scrub: &Scrub) -> Result<Answer, UpstreamError> {
    let mended = mend(raw, false);
    let text = scrub.value(&mended);
    let result: Value = serde_json::from_str(&text).map_err(|e| {
        bad_response(Sent::Refused, format!("the tool's result is unreadable: {e}"))
    })?;
    match result.as_object() {
        Some(result) if result.get("resultType") == Some(&json!("input_required")) => {
            input_required(result)
        }
        Some(_) if text.len() > limits::TOOL_RESULT_BYTES => {
            Err(too_large(text.len(), limits::TOOL_RESULT_BYTES))
        }
        Some(_) => Ok(Answer::Whole(text.into_owned())),
        None => Err(bad_response(Sent::Refused, "the tool's result is not an object")),
    }
}

fn input_required(result: &Map<String, Value>) -> Result<Answer, UpstreamError> {
    let request_state = match result.get("requestState") {
        None | Some(Value::Null) => None,
        Some(Value::String(state)) => Some(state.clone()),
        Some(_) => return Err(bad_response(Sent::Refused, "requestState is not a string")),
    };
    let requests = match result.get("inputRequests") {
        None | Some(Value::Null) => "{}".to_owned(),
        Some(Value::Object(requests)) => Value::Object(requests.clone()).to_string(),
        Some(_) => return Err(bad_response(Sent::Refused, "inputRequests is not an object")),
    };
    if request_state.is_none() && requests == "{}" {
        return Err(bad_response(Sent::Refused, "the tool asks for input but names none"));
    }
    Ok(Answer::InputRequired { request_state, requests })
}

fn of_content(content: Option<Value>) -> Value {
    match content {
        None | Some(Value::Null) => Value::Null,
        Some(Value::Array(blocks)) => {
            let mut values: Vec<Value> = blocks.into_iter().map(of_block).collect();
            match values.len() {
                0 => Value::Null,
                1 => values.remove(0),
                _ => Value::Array(values),
            }
        }
        // Against the protocol, but clear enough.
        Some(Value::String(text)) => of_text(&text),
        Some(other) => of_block(other),
    }
}

fn of_block(block: Value) -> Value {
    let text = |key: &str| block.get(key).and_then(Value::as_str);
    match text("type") {
        Some("text") if text("text").is_some() => of_text(text("text").unwrap_or_default()),
        Some(kind @ ("image" | "audio")) if text("data").is_some() => {
            json!({"type": kind, "mimeType": text("mimeType"), "data": text("data")})
        }
        Some("resource") if block.get("resource").is_some_and(Value::is_object) => {
            of_resource(&block["resource"])
        }
        _ => block,
    }
}

/// An embedded resource, flat: `{type, uri, mimeType, text}` or `{type, uri, mimeType, data}`.
fn of_resource(resource: &Value) -> Value {
    let mut flat = Map::new();
    flat.insert("type".to_owned(), json!("resource"));
    for (from, to) in [("uri", "uri"), ("mimeType", "mimeType"), ("text", "text"), ("blob", "data")]
    {
        if let Some(value) = resource.get(from) {
            flat.insert(to.to_owned(), value.clone());
        }
    }
    Value::Object(flat)
}

fn of_text(text: &str) -> Value {
    let begins = text.trim_start().starts_with(['{', '[']);
    // Strictly JSON as it stands; only then with the digits of large numbers kept.
    let is_json = begins && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    is_json
        .then(|| serde_json::from_str(&mend(text, true)).ok())
        .flatten()
        .unwrap_or_else(|| Value::String(text.to_owned()))
}

/// What a failed tool said.
fn words(content: Option<&Value>, structured: Option<&Value>) -> String {
    let said: Vec<&str> = match content {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(blocks)) => {
            blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect()
        }
        _ => Vec::new(),
    };
    let said = said.join("\n");
    let said = match structured {
        Some(value) if said.trim().is_empty() && !value.is_null() => value.to_string(),
        _ => said,
    };
    if said.trim().is_empty() {
        return "the tool failed and did not say why".to_owned();
    }
    cut(&said, limits::TOOL_ERROR_CHARS)
}

#[cfg(test)]
#[path = "value_tests.rs"]
mod tests;
