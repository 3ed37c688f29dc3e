//! The arguments of the three tools, read leniently where nothing can be misunderstood: an
//! absent field and null are the same, fields that are not ours are left alone.

use hub_core::limits::DESCRIBE_TARGETS;
use hub_engine::Execute;
use rmcp::ErrorData;
use rmcp::model::JsonObject;
use serde_json::Value;

/// `query` and `namespace`.
pub fn search(arguments: Option<JsonObject>) -> Result<(String, Option<String>), ErrorData> {
    let mut arguments = arguments.unwrap_or_default();
    let query = text(&mut arguments, "query")?.unwrap_or_default();
    let namespace = text(&mut arguments, "namespace")?.filter(|name| !name.is_empty());
    Ok((query, namespace))
}

/// `targets`: 1 to 10 texts. One text alone is taken as a list of one.
pub fn describe(arguments: Option<JsonObject>) -> Result<Vec<String>, ErrorData> {
    let wrong = || {
        invalid(format!(
            "describe takes targets: 1 to {DESCRIBE_TARGETS} texts, such as \
             [\"github.createIssue\"]"
        ))
    };
    let targets = match arguments.unwrap_or_default().remove("targets") {
        Some(Value::Array(items)) => items,
        Some(one @ Value::String(_)) => vec![one],
        _ => return Err(wrong()),
    };
    if targets.is_empty() || targets.len() > DESCRIBE_TARGETS {
        return Err(wrong());
    }
    targets
        .into_iter()
        .map(|target| match target {
            Value::String(text) => Ok(text),
            _ => Err(wrong()),
        })
        .collect()
}

/// Exactly one of `code` and `resume`.
pub fn execute(arguments: Option<JsonObject>) -> Result<Execute, ErrorData> {
    let mut arguments = arguments.unwrap_or_default();
    let code = text(&mut arguments, "code")?;
    let resume = text(&mut arguments, "resume")?;
    match (code, resume) {
        (Some(code), None) => Ok(Execute::Code(code)),
        (None, Some(run)) => Ok(Execute::Resume(run)),
        (Some(_), Some(_)) => Err(invalid(
            "execute takes code or resume, not both: code starts a program, resume goes on \
             with a run",
        )),
        (None, None) => Err(invalid(
            "execute needs code (the body of an async function) or resume (a run id, or last)",
        )),
    }
}

fn text(arguments: &mut JsonObject, name: &str) -> Result<Option<String>, ErrorData> {
    match arguments.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(invalid(format!("{name} has to be a text"))),
    }
}

pub fn invalid(message: impl Into<String>) -> ErrorData {
    ErrorData::invalid_params(message.into(), None)
}
