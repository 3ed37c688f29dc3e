//! What the engine answers, as tool results.

use crate::error::ApiError;
use crate::mcp::arguments::invalid;
use crate::mcp::forms::input_requests;
use hub_core::error::RunErrorCode;
use hub_engine::{EngineError, ExecuteAnswer, Shown};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, Implementation, InputRequiredResult, MetaObject,
};
use serde_json::{Value, json};

const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// Who this server says it is.
pub fn server_info() -> Implementation {
    Implementation::new("capabilities", env!("CARGO_PKG_VERSION")).with_title("Capabilities hub")
}

/// `_meta` that a result carries for a stateless client, which never saw `initialize`.
pub fn meta(modern: bool) -> Option<MetaObject> {
    if !modern {
        return None;
    }
    let mut meta = MetaObject::new();
    meta.insert(SERVER_INFO.to_owned(), serde_json::to_value(server_info()).ok()?);
    Some(meta)
}

/// A text, or the refusal.
pub fn text(
    answer: Result<String, EngineError>,
    modern: bool,
) -> Result<CallToolResponse, ErrorData> {
    match answer {
        Ok(text) => {
            let result = CallToolResult::success(vec![ContentBlock::text(text)]);
            Ok(result.with_meta(meta(modern)).into())
        }
        Err(error) => refusal(error, false, modern),
    }
}

/// An envelope or forms, or the refusal.
pub fn execute(
    answer: Result<ExecuteAnswer, EngineError>,
    summary: bool,
    modern: bool,
) -> Result<CallToolResponse, ErrorData> {
    match answer {
        Ok(ExecuteAnswer::Envelope(shown)) => {
            envelope(&shown, summary).map(|result| result.with_meta(meta(modern)).into())
        }
        Ok(ExecuteAnswer::AskForms { forms, state }) => {
            let mut result = InputRequiredResult::new(Some(input_requests(&forms)?), Some(state));
            result.meta = meta(modern);
            Ok(result.into())
        }
        Err(error) => refusal(error, true, modern),
    }
}

fn envelope(shown: &Shown, summary: bool) -> Result<CallToolResult, ErrorData> {
    let value: Value = serde_json::from_str(&shown.json).map_err(|error| {
        tracing::error!(%error, "a stored envelope is not JSON");
        ErrorData::internal_error("the hub could not read its own answer", None)
    })?;
    let line = if summary { summary_line(shown) } else { shown.line.to_string() };
    let mut result = CallToolResult::structured(value);
    result.content = vec![ContentBlock::text(line)];
    result.is_error = Some(shown.is_error);
    Ok(result)
}

/// The line without the result. Its head (status, run, calls, time) is taken from the full line:
/// the envelope does not keep the time.
fn summary_line(shown: &Shown) -> String {
    const BETWEEN: &str = " | ";
    let Some(envelope) = shown.envelope() else {
        return shown.line.to_string();
    };
    let head = shown.line.split(BETWEEN).next().unwrap_or_default();
    match envelope.line(0, false).split_once(BETWEEN) {
        Some((_, rest)) => format!("{head}{BETWEEN}{rest}"),
        None => head.to_owned(),
    }
}

/// A wrong request is a protocol error. All else is told in the result, where the model reads
/// it and can do something about it; an `execute` has an envelope for it, of no run.
fn refusal(
    error: EngineError,
    executes: bool,
    modern: bool,
) -> Result<CallToolResponse, ErrorData> {
    let code = match &error {
        EngineError::Invalid(_) | EngineError::BadState => return Err(invalid(error.to_string())),
        EngineError::NotFound(_) => RunErrorCode::RunNotFound,
        EngineError::Busy(_) => RunErrorCode::Busy,
        EngineError::Conflict(_) | EngineError::Source(_) | EngineError::Store(_) => {
            RunErrorCode::Internal
        }
    };
    let ApiError { message, hint, .. } = error.into();
    // The engine names the code itself where it knows it better.
    let named =
        message.split_once(": ").is_some_and(|(word, _)| RunErrorCode::parse(word).is_some());
    let line = if named { message } else { format!("{}: {message}", code.as_str()) };
    let structured = executes.then(|| {
        let (code, message) = line.split_once(": ").unwrap_or((code.as_str(), &line));
        let mut error = json!({ "code": code, "message": message });
        if let Some(hint) = &hint {
            error["hint"] = json!(hint);
        }
        json!({ "runId": "", "status": "failed", "error": error, "calls": [] })
    });
    let line = match hint {
        Some(hint) => format!("{line}. {hint}"),
        None => line,
    };
    let mut result = CallToolResult::error(vec![ContentBlock::text(line)]);
    result.structured_content = structured;
    Ok(result.with_meta(meta(modern)).into())
}
