//! What a refusal looks like outside: a kind, a message, a hint. What is wrong inside is logged
//! here, once, and not told.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use hub_core::ports::StoreError;
use hub_engine::EngineError;
use serde::{Deserialize, Serialize};

/// The kinds of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The request is wrong.
    Invalid,
    /// No key, or one that opens nothing.
    Unauthorized,
    /// This host, origin or user may not.
    Forbidden,
    /// No such thing.
    NotFound,
    /// The path takes another method.
    WrongMethod,
    /// Taken, or changed under us.
    Conflict,
    /// The request is too large.
    TooLarge,
    /// Too much at once; try again.
    Busy,
    /// A source did not answer.
    Source,
    /// The store refuses.
    Store,
    /// A fault of the hub.
    Internal,
}

impl ErrorKind {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::Invalid => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
            Self::Conflict => StatusCode::CONFLICT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Source => StatusCode::BAD_GATEWAY,
            Self::Store | Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

/// A refusal as it leaves the hub.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    /// Which kind.
    pub kind: ErrorKind,
    /// What happened; no secrets, no values.
    pub message: String,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl ApiError {
    /// A refusal without a hint.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    /// The same with what to do next.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Invalid(text) => Self::new(ErrorKind::Invalid, text),
            EngineError::NotFound(text) => Self::new(ErrorKind::NotFound, text),
            EngineError::Conflict(text) => Self::new(ErrorKind::Conflict, text),
            EngineError::Busy(text) => {
                Self::new(ErrorKind::Busy, text).hint("Try again in a moment.")
            }
            EngineError::BadState => Self::new(ErrorKind::Invalid, error.to_string()),
            EngineError::Source(text) => Self::new(ErrorKind::Source, text),
            EngineError::Store(inside) => inside.into(),
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(inside: StoreError) -> Self {
        match &inside {
            StoreError::NotFound => Self::new(ErrorKind::NotFound, "no such thing"),
            StoreError::Conflict(text) => Self::new(ErrorKind::Conflict, text),
            StoreError::GuardFailed => Self::new(ErrorKind::Conflict, inside.to_string())
                .hint("Look again and repeat the request."),
            StoreError::Full | StoreError::Lost => {
                tracing::error!(error = %inside, "the store refuses");
                Self::new(ErrorKind::Store, inside.to_string())
            }
            StoreError::Failed(_) => {
                tracing::error!(error = %inside, "the store failed");
                Self::new(ErrorKind::Store, "the hub's store failed")
                    .hint("The hub's log says why; `capabilities doctor` checks the store.")
            }
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.kind.status(), Json(self)).into_response()
    }
}
