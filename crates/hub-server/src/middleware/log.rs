//! One line per request: what was asked, by whom, how it went. No values, no query, no bodies.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use std::time::Instant;

/// What a handler adds to the line, as an extension of its response.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// The client's name.
    pub client: Option<String>,
    /// The JSON-RPC method, where it is one we know.
    pub rpc: Option<&'static str>,
}

/// Writes the line once the answer's head is known; a stream may still be open then.
pub async fn log(request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let response = next.run(request).await;
    let said = response.extensions().get::<Said>().cloned().unwrap_or_default();
    tracing::info!(
        %method,
        path = known(&path),
        status = response.status().as_u16(),
        ms = started.elapsed().as_millis() as u64,
        client = said.client.as_deref(),
        rpc = said.rpc,
        "request"
    );
    response
}

/// A path as far as it is ours: anything else could be a value.
fn known(path: &str) -> &str {
    let ours = path.starts_with("/api/") || matches!(path, "/mcp" | "/healthz" | "/readyz");
    if ours { path } else { "(other)" }
}
