//! Who asks: the owner of a run, and the client behind a key.

use crate::id::{KeyId, PrincipalId};
use crate::time::UnixMillis;
use serde::{Deserialize, Serialize};

/// To whom a run belongs. For anyone else the run does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Owner {
    /// The person or service.
    pub principal: PrincipalId,
    /// The key (later: the grant) through which the request came.
    pub key: KeyId,
    /// The view of the hub it came through.
    pub profile: String,
}

impl Owner {
    /// The profile every hub has.
    pub const DEFAULT_PROFILE: &'static str = "default";
    /// The principal of a hub that serves one person: every key of it acts for this one.
    pub const LOCAL_PRINCIPAL: &'static str = "user_local";
    /// The key that stands for the person's own terminal; no token opens it.
    pub const TERMINAL_KEY: &'static str = "terminal";
}

/// How a client's person is asked; bound to the key and set by the person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElicitationMode {
    /// A form where the client can show one, else the page.
    #[default]
    Auto,
    /// Only through the client's own forms.
    Native,
    /// Only through the hub's page or a terminal.
    Browser,
    /// The agent relays; only where the owner turned it on.
    Model,
}

/// A key handed to one client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientKey {
    /// Identifier, shown in listings.
    pub id: KeyId,
    /// For whom it acts.
    pub principal: PrincipalId,
    /// The client's name, such as `claude-code`.
    pub client: String,
    /// How the person is asked.
    pub mode: ElicitationMode,
    /// Whether identical programs join an earlier run (off for scripts).
    pub dedupe: bool,
    /// When it was made.
    pub created_at: UnixMillis,
    /// Set once it no longer opens anything.
    pub revoked_at: Option<UnixMillis>,
}
