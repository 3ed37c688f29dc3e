//! Sessions of older clients belong to the key that opened them. For any other key they do not
//! exist.

use crate::error::{ApiError, ErrorKind};
use crate::middleware::presence::{Presence, Reader, Trace};
use http::{HeaderMap, HeaderName};
use hub_core::id::KeyId;
use hub_core::limits::SESSIONS;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The header that names a session.
pub const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Who opened which session, and what is served in it.
pub struct Sessions {
    live: Arc<LocalSessionManager>,
    open: Mutex<HashMap<Box<str>, Open>>,
}

struct Open {
    owner: KeyId,
    /// Requests whose answers somebody may come back for.
    served: Vec<Trace>,
}

impl Sessions {
    /// For the SDK's own sessions.
    pub fn new(live: Arc<LocalSessionManager>) -> Self {
        Self { live, open: Mutex::default() }
    }

    /// Refuses a session that this key did not open.
    pub fn check(&self, headers: &HeaderMap, key: &KeyId) -> Result<(), ApiError> {
        let Some(session) = headers.get(SESSION) else {
            return Ok(());
        };
        let open = self.open();
        let found = session.to_str().ok().and_then(|id| open.get(id));
        if found.is_some_and(|open| open.owner == *key) { Ok(()) } else { Err(no_session()) }
    }

    /// A request of a session is served now.
    pub fn serves(&self, headers: &HeaderMap, presence: &Presence) {
        let id = headers.get(SESSION).and_then(|value| value.to_str().ok());
        let mut open = self.open();
        if let Some(open) = id.and_then(|id| open.get_mut(id)) {
            open.served.retain(Trace::is_served);
            open.served.push(presence.trace());
        }
    }

    /// Somebody comes back to the session: readers for all that is served in it.
    pub fn returned(&self, headers: &HeaderMap) -> Vec<Reader> {
        let id = headers.get(SESSION).and_then(|value| value.to_str().ok());
        let open = self.open();
        let found = id.and_then(|id| open.get(id));
        found.map_or_else(Vec::new, |open| open.served.iter().filter_map(Trace::reader).collect())
    }

    fn open(&self) -> MutexGuard<'_, HashMap<Box<str>, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
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
        let mut open = self.open();
        open.retain(|id, _| live.contains_key(id.as_ref()));
        open.insert(id.into(), Open { owner: key.clone(), served: Vec::new() });
    }
}

/// The same words whether the session ended, never was, or is another's.
fn no_session() -> ApiError {
    ApiError::new(ErrorKind::NotFound, "no such session").hint("Initialize again.")
}
