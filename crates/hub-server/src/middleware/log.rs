//! One line per request: what was asked, by whom, how it went. No values, no query, no bodies.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::StatusCode;
use std::time::Instant;
use tracing::Level;

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
    // What was refused or failed is worth a look where usual requests are not written.
    macro_rules! write {
        ($level:expr) => {
            tracing::event!(
                $level,
                %method,
                path = known(&path),
                status = response.status().as_u16(),
                ms = started.elapsed().as_millis() as u64,
                client = said.client.as_deref(),
                rpc = said.rpc,
                "request"
            )
        };
    }
    match level(response.status()) {
        Level::ERROR => write!(Level::ERROR),
        Level::WARN => write!(Level::WARN),
        _ => write!(Level::INFO),
    }
    response
}

/// How loudly an answer is told.
fn level(status: StatusCode) -> Level {
    match status {
        // The store or the hub; a source that is away and a hub that is busy are daily life.
        StatusCode::INTERNAL_SERVER_ERROR => Level::ERROR,
        StatusCode::UNAUTHORIZED
        | StatusCode::FORBIDDEN
        | StatusCode::PAYLOAD_TOO_LARGE
        | StatusCode::SERVICE_UNAVAILABLE => Level::WARN,
        _ => Level::INFO,
    }
}

/// A path as far as it is ours: anything else could be a value.
fn known(path: &str) -> &str {
    let ours = path.starts_with("/api/") || matches!(path, "/mcp" | "/healthz" | "/readyz");
    if ours { path } else { "(other)" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_louder_than_an_answer() {
        for (status, expected) in [
            (200, Level::INFO),
            (202, Level::INFO),
            (404, Level::INFO),
            (401, Level::WARN),
            (403, Level::WARN),
            (413, Level::WARN),
            (503, Level::WARN),
            (500, Level::ERROR),
        ] {
            assert_eq!(level(StatusCode::from_u16(status).unwrap()), expected, "{status}");
        }
    }
}
