//! The body of a request to `/mcp`: read whole, bounded, and known to be JSON-RPC before the
//! SDK sees it. Refusals are JSON-RPC errors and quote nothing of the body.

use crate::error::{ApiError, ErrorKind};
use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hub_core::limits::{BATCH_MESSAGES, REQUEST_BYTES};
use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// What a body holds.
pub enum Message {
    /// One message, and what was read of it.
    One(Bytes, Probe),
    /// A batch (MCP 2025-03-26).
    Batch(Vec<Bytes>),
}

/// Reads the whole body.
pub async fn read(headers: &HeaderMap, body: Body) -> Result<Bytes, Box<Response>> {
    let said: Option<usize> = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse().ok());
    if said.is_some_and(|length| length > REQUEST_BYTES) {
        return Err(too_large());
    }
    match Limited::new(body, REQUEST_BYTES).collect().await {
        Ok(whole) => Ok(whole.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large()),
        Err(_) => {
            let error = ApiError::new(ErrorKind::Invalid, "the body ended early");
            Err(Box::new(error.into_response()))
        }
    }
}

fn too_large() -> Box<Response> {
    let text = format!("the request is larger than {REQUEST_BYTES} bytes");
    Box::new(ApiError::new(ErrorKind::TooLarge, text).into_response())
}

/// Tells what the body holds.
pub fn parse(body: Bytes, batches: bool) -> Result<Message, Box<Response>> {
    if body.trim_ascii_start().first() != Some(&b'[') {
        let probe = check(&body)?;
        return Ok(Message::One(body, probe));
    }
    let items: Vec<&RawValue> = serde_json::from_slice(&body).map_err(|_| not_json())?;
    if !batches {
        return Err(invalid("this protocol version has no batches", None));
    }
    if items.is_empty() || items.len() > BATCH_MESSAGES {
        return Err(invalid(format!("a batch holds 1 to {BATCH_MESSAGES} messages"), None));
    }
    for item in &items {
        let message = check(item.get().as_bytes())?;
        if method(&message) == Some("initialize") {
            return Err(invalid("initialize stands alone, never in a batch", None));
        }
    }
    let items = items.iter().map(|item| body.slice_ref(item.get().as_bytes())).collect();
    Ok(Message::Batch(items))
}

/// The method of a request or notification, as far as it is one that we know.
pub fn method(message: &Probe) -> Option<&'static str> {
    const KNOWN: &[&str] = &[
        "initialize",
        "notifications/cancelled",
        "notifications/initialized",
        "ping",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "server/discover",
        "subscriptions/listen",
        "tools/call",
        "tools/list",
    ];
    let named = message.method.as_deref()?;
    KNOWN.iter().find(|known| **known == named).copied()
}

/// As much of a message as routing and log lines need.
#[derive(Default, Deserialize)]
pub struct Probe {
    method: Option<String>,
    #[serde(default)]
    id: Option<RequestId>,
}

/// Reads method and id of what [`parse`] let through.
pub fn probe(message: &[u8]) -> Probe {
    serde_json::from_slice(message).unwrap_or_default()
}

impl Probe {
    /// Its id, if it is a request.
    pub fn request_id(&self) -> Option<RequestId> {
        self.method.as_ref().and(self.id.clone())
    }
}

/// A request as nearly all are written. The SDK takes every such one: what is none of its methods
/// it takes for one of somebody else's. Its own reading, which tries method after method, costs
/// several times as much and follows anyway.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Usual {
    jsonrpc: String,
    id: RequestId,
    method: String,
    #[serde(default)]
    params: Option<Map<String, Value>>,
}

fn usual(message: &[u8]) -> Option<Probe> {
    let Usual { jsonrpc, id, method, params } = serde_json::from_slice(message).ok()?;
    let meta = params.as_ref().and_then(|params| params.get("_meta"));
    let fits = jsonrpc == "2.0" && meta.is_none_or(Value::is_object);
    fits.then_some(Probe { method: Some(method), id: Some(id) })
}

fn check(message: &[u8]) -> Result<Probe, Box<Response>> {
    if let Some(usual) = usual(message) {
        return Ok(usual);
    }
    match serde_json::from_slice::<ClientJsonRpcMessage>(message) {
        Ok(_) => Ok(probe(message)),
        Err(error) if error.is_data() => Err(invalid("no JSON-RPC message", probe(message).id)),
        Err(_) => Err(not_json()),
    }
}

fn not_json() -> Box<Response> {
    let error = ErrorData::parse_error("the body is not JSON, or nested too deep", None);
    Box::new(rpc_error(StatusCode::BAD_REQUEST, error, None))
}

fn invalid(text: impl Into<String>, id: Option<RequestId>) -> Box<Response> {
    let error = ErrorData::invalid_request(text.into(), None);
    Box::new(rpc_error(StatusCode::BAD_REQUEST, error, id))
}

/// A JSON-RPC error as a whole answer.
pub fn rpc_error(status: StatusCode, error: ErrorData, id: Option<RequestId>) -> Response {
    (status, axum::Json(ServerJsonRpcMessage::error(error, id))).into_response()
}

#[cfg(test)]
mod tests;
