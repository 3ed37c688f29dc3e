//! The suite cannot send a key, so a small proxy stands before the server and adds it. Nothing
//! else is touched but its own port in `Host` and `Origin`, which becomes the server's.

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// From where to where, and with which token.
#[derive(Clone)]
pub struct Keyed {
    /// Its own port.
    pub port: u16,
    /// The server's.
    pub target: u16,
    /// The key.
    pub token: String,
}

/// The proxy.
pub fn router(keyed: Keyed) -> Router {
    Router::new().fallback(forward).with_state(keyed)
}

async fn forward(State(keyed): State<Keyed>, request: Request) -> Response {
    match keyed.pass(request).await {
        Ok(response) => response,
        Err(error) => (StatusCode::BAD_GATEWAY, error).into_response(),
    }
}

impl Keyed {
    async fn pass(&self, mut request: Request) -> Result<Response, String> {
        let words = |error: &dyn std::fmt::Display| error.to_string();
        self.readdress(request.headers_mut(), &header::HOST);
        self.readdress(request.headers_mut(), &header::ORIGIN);
        let bearer = HeaderValue::from_str(&format!("Bearer {}", self.token));
        request.headers_mut().insert(header::AUTHORIZATION, bearer.map_err(|e| words(&e))?);
        let stream = TcpStream::connect(("127.0.0.1", self.target)).await;
        let stream = TokioIo::new(stream.map_err(|e| words(&e))?);
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(stream).await.map_err(|e| words(&e))?;
        // Ends with the response: a client that goes away closes the way to the server.
        crate::tasks::spawn(async move { connection.await.unwrap_or_default() });
        let response = sender.send_request(request).await.map_err(|e| words(&e))?;
        Ok(response.map(Body::new))
    }

    fn readdress(&self, headers: &mut HeaderMap, name: &HeaderName) {
        let Some(said) = headers.get(name).and_then(|value| value.to_str().ok()) else { return };
        let ours = said.replace(&format!(":{}", self.port), &format!(":{}", self.target));
        if let Ok(value) = HeaderValue::from_str(&ours) {
            headers.insert(name.clone(), value);
        }
    }
}
