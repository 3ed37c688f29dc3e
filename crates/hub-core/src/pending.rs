//! What waits for a person, and what a person can answer.

use crate::digest::Digest;
use crate::id::{PendingId, RunId};
use crate::time::UnixMillis;
use serde::{Deserialize, Serialize};

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PendingKind {
    /// May this call be sent?
    Approval,
    /// A credential.
    Connection,
    /// An answer to a question of the source.
    Input,
}

/// One call that waits, as the store keeps it and every channel shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pending {
    /// Its identifier.
    pub id: PendingId,
    /// The run.
    pub run: RunId,
    /// Number of the call in the run.
    pub call: u32,
    /// What is asked for.
    pub kind: PendingKind,
    /// The tool's address.
    pub address: String,
    /// The source's name and origin (command line or host).
    pub origin: String,
    /// The connection the call would use, if the source has any.
    pub connection: Option<String>,
    /// The arguments as JSON text, in full. Shown only through [`crate::redact`].
    pub arguments: String,
    /// Which rule asks, and why.
    pub reason: String,
    /// Whether policy says `confirm`: page or terminal with presence only, this call only.
    pub confirm: bool,
    /// What the decision is bound to: the call's digest, see [`crate::run::call_digest`].
    pub digest: Digest,
    /// What an "allow for this run" is bound to: tool, connection and definition.
    pub scope: Digest,
    /// A question of the source (kind `input`), as JSON text: see [`crate::question`].
    #[serde(default)]
    pub question: Option<String>,
    /// When it began to wait.
    pub created_at: UnixMillis,
    /// When it ends by itself.
    pub expires_at: UnixMillis,
    /// Set once.
    pub decision: Option<Decision>,
}

/// What a person chose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "choice", content = "detail")]
pub enum Choice {
    /// Send this call.
    AllowOnce,
    /// Send this and up to 19 more of the same tool, connection and definition, in this run.
    AllowRun,
    /// Send, and a rule that allows it from now on.
    AllowAlways,
    /// Do not send.
    Deny,
    /// A credential was stored; go on.
    Connected,
    /// An answer to a question, as JSON text: see [`crate::question`].
    Answer(String),
    /// Nobody decided in time.
    Expired,
    /// Nobody needs to decide any more: the call was settled, judged anew, or its run ended.
    Withdrawn,
}

impl Choice {
    /// Whether the hub closes a pending with it; a person never chooses it.
    pub fn closes(&self) -> bool {
        matches!(self, Self::Expired | Self::Withdrawn)
    }

    /// Whether the call may go.
    pub fn allows(&self) -> bool {
        !matches!(self, Self::Deny) && !self.closes()
    }
}

/// Through what a decision came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// A form of the client.
    Form,
    /// The hub's page.
    Page,
    /// A terminal.
    Terminal,
    /// The agent relayed (mode `model`).
    Model,
    /// The hub itself (expiry, end of the run).
    Hub,
}

/// A decision, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// What was chosen.
    pub choice: Choice,
    /// Through what.
    pub channel: Channel,
    /// Who: principal, terminal, ancestors; for people to read.
    pub by: String,
    /// When.
    pub at: UnixMillis,
}
