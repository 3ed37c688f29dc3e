//! JSON-RPC batches of MCP 2025-03-26: each message is served as if it had come alone, and the
//! answers share one stream.

use crate::mcp::http::McpService;
use crate::middleware::accept::is_stream;
use crate::middleware::body::{probe, rpc_error};
use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::{self, BoxStream};
use http::request::Parts;
use http::{HeaderValue, Request, StatusCode, header};
use rmcp::ErrorData;

type Chunks = BoxStream<'static, Result<Bytes, axum::Error>>;

/// Serves the messages together.
pub async fn serve(service: &McpService, parts: &Parts, messages: Vec<Bytes>) -> Response {
    let answers = join_all(messages.into_iter().map(|message| one(service, parts, message))).await;
    let streams: Vec<Chunks> = answers.into_iter().flatten().collect();
    if streams.is_empty() {
        return StatusCode::ACCEPTED.into_response();
    }
    let mut response = Body::from_stream(stream::select_all(streams)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// The answer's part of the stream; none for a notification.
async fn one(service: &McpService, parts: &Parts, message: Bytes) -> Option<Chunks> {
    let id = probe(&message).request_id();
    let request = Request::from_parts(parts.clone(), Body::from(message));
    let response = service.handle(request).await.map(Body::new);
    if is_stream(&response) {
        return Some(response.into_body().into_data_stream().boxed());
    }
    let id = id?;
    let is_json = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    let response = if is_json {
        response
    } else {
        let error = ErrorData::invalid_request("this message cannot be served here", None);
        rpc_error(StatusCode::BAD_REQUEST, error, Some(id))
    };
    // What is no stream was written by us or the SDK in one piece, and is small.
    let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.ok()?;
    let event = [b"data: ".as_slice(), &body, b"\n\n"].concat();
    Some(stream::once(async move { Ok(Bytes::from(event)) }).boxed())
}
