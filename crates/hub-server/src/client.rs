//! The other end of `hub.sock`, for the command line.

use crate::api::Call;
use crate::error::ApiError;
use http::{Request, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use std::path::Path;
use tokio::net::UnixStream;

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// Nobody listens at the socket.
    #[error("no hub is running")]
    NoHub(#[source] std::io::Error),
    /// The hub refused.
    #[error(transparent)]
    Refused(#[from] ApiError),
    /// The hub went away, or speaks otherwise.
    #[error("the hub did not answer: {0}")]
    Broken(String),
}

/// Posts `request` to the hub that listens at `socket`.
pub async fn call<C: Call>(socket: &Path, request: &C) -> Result<C::Answer, CallError> {
    let broken = |error: &dyn std::fmt::Display| CallError::Broken(error.to_string());
    let stream = UnixStream::connect(socket).await.map_err(CallError::NoHub)?;
    let handshake = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.map_err(|error| broken(&error))?;
    let body = serde_json::to_vec(request).map_err(|error| broken(&error))?;
    let post = Request::post(C::PATH)
        .header(header::HOST, "hub")
        .header(header::CONTENT_TYPE, "application/json")
        .body(Full::new(Bytes::from(body)))
        .map_err(|error| broken(&error))?;
    let answered = async {
        let response = sender.send_request(post).await?;
        let is_ok = response.status().is_success();
        Ok::<_, hyper::Error>((is_ok, response.into_body().collect().await?.to_bytes()))
    };
    tokio::pin!(connection);
    tokio::pin!(answered);
    let answer = tokio::select! {
        biased;
        answer = &mut answered => answer,
        // The connection ends by itself only when the hub closes it.
        _ = &mut connection => answered.await,
    };
    let (is_ok, body) = answer.map_err(|error| broken(&error))?;
    if is_ok {
        return serde_json::from_slice(&body).map_err(|error| broken(&error));
    }
    match serde_json::from_slice::<ApiError>(&body) {
        Ok(refusal) => Err(refusal.into()),
        Err(_) => Err(CallError::Broken("its refusal cannot be read".to_owned())),
    }
}
