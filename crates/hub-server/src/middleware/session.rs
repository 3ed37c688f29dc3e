//! Sessions of older clients belong to the key that opened them. For any other key they do not
//! exist.

use crate::error::{ApiError, ErrorKind};
use http::{HeaderMap, HeaderName};
use hub_core::id::KeyId;
use hub_core::limits::SESSIONS;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The header that names a session.
pub const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Who opened which session.
pub struct Sessions {
    live: Arc<LocalSessionManager>,
    owners: Mutex<HashMap<Box<str>, KeyId>>,
}

impl Sessions {
    /// For the SDK's own sessions.
    pub fn new(live: Arc<LocalSessionManager>) -> Self {
        Self { live, owners: Mutex::default() }
    }

    /// Refuses a session that this key did not open.
    pub fn check(&self, headers: &HeaderMap, key: &KeyId) -> Result<(), ApiError> {
        let Some(session) = headers.get(SESSION) else {
            return Ok(());
        };
        let owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        let is_own = session.to_str().is_ok_and(|id| owners.get(id) == Some(key));
        if is_own { Ok(()) } else { Err(no_session()) }
    }

    /// Refuses a new session where too many are open.
    pub async fn room(&self) -> Result<(), ApiError> {
        if self.live.sessions.read().await.len() < SESSIONS {
            return Ok(());
        }
        Err(ApiError::new(ErrorKind::Busy, format!("{SESSIONS} sessions are open"))
            .hint("Close some clients, or try again later."))
    }

    /// Keeps who opened the session that the answer names, and forgets sessions that ended.
    pub async fn opened(&self, headers: &HeaderMap, key: &KeyId) {
        let Some(id) = headers.get(SESSION).and_then(|value| value.to_str().ok()) else {
            return;
        };
        let live = self.live.sessions.read().await;
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.retain(|id, _| live.contains_key(id.as_ref()));
        owners.insert(id.into(), key.clone());
    }
}

/// The same words whether the session ended, never was, or is another's.
fn no_session() -> ApiError {
    ApiError::new(ErrorKind::NotFound, "no such session").hint("Initialize again.")
}
