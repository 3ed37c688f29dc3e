//! Sloppy `Accept` headers. The protocol wants both types named; many clients and all of curl
//! name fewer. What a client can read decides what it gets: one that reads JSON only gets the
//! answer out of the stream.

use axum::body::{Body, Bytes};
use axum::response::Response;
use futures_util::StreamExt;
use http::{HeaderMap, HeaderValue, Method, header};
use hub_core::limits::REQUEST_BYTES;

const JSON: &str = "application/json";
const STREAM: &str = "text/event-stream";

/// Rewrites `Accept` to what the protocol wants. Whether the client reads event streams.
pub fn fix(method: &Method, headers: &mut HeaderMap) -> bool {
    let accepts = |kind: &str| {
        headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).any(|all| {
            all.split(',').any(|one| {
                let essence = one.split(';').next().unwrap_or_default().trim();
                essence.eq_ignore_ascii_case(kind)
            })
        })
    };
    let anything = !headers.contains_key(header::ACCEPT) || accepts("*/*");
    let streams = anything || accepts(STREAM) || accepts("text/*");
    let json = accepts(JSON) || accepts("application/*");
    let wanted = match *method {
        Method::POST if streams || json => "application/json, text/event-stream",
        Method::GET if streams => STREAM,
        // Wants something that we never send: the SDK says so.
        _ => return streams,
    };
    headers.insert(header::ACCEPT, HeaderValue::from_static(wanted));
    streams
}

/// Whether the response is an event stream.
pub fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    kind.and_then(|value| value.to_str().ok()).is_some_and(|kind| kind.starts_with(STREAM))
}

/// The answer out of a stream, for a client that reads JSON only.
pub async fn unwrap(response: Response) -> Response {
    if !is_stream(&response) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let answer = last_message(body).await.unwrap_or_default();
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
    Response::from_parts(parts, Body::from(answer))
}

/// The last `data:` line of a stream: the answer comes last, then the stream ends.
async fn last_message(body: Body) -> Option<Vec<u8>> {
    let mut stream = body.into_data_stream();
    let mut text: Vec<u8> = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk: Bytes = chunk.ok()?;
        if text.len() + chunk.len() > REQUEST_BYTES {
            return None;
        }
        text.extend_from_slice(&chunk);
    }
    let lines = text.split(|byte| *byte == b'\n');
    let data = lines.filter_map(|line| line.strip_prefix(b"data:"));
    data.map(<[u8]>::trim_ascii).rfind(|data| !data.is_empty()).map(<[u8]>::to_vec)
}
