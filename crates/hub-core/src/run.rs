//! A run as the store keeps it, and the digests that bind decisions to calls.

use crate::digest::Digest;
use crate::envelope::Status;
use crate::id::RunId;
use crate::owner::Owner;
use crate::time::UnixMillis;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a run is pinned to for life. Together with the journal this replays it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pins {
    /// Blob: the rewritten program (JSON of [`crate::ports::Prepared`]).
    pub program: Digest,
    /// Blob: the name table (JSON of `Vec<`[`crate::ports::GuestNamespace`]`>`).
    pub names: Digest,
    /// The driver and the build of engine and prelude, such as `wasm:<digest>`.
    pub engine: String,
    /// The run's seed.
    pub seed: [u8; 32],
    /// What `Date` says at the start.
    pub clock_start: UnixMillis,
}

impl Pins {
    /// Every blob the run needs: program, name table, and whatever `engine` names by digest.
    pub fn blobs(&self) -> Vec<Digest> {
        [self.program, self.names].into_iter().chain(engine_blobs(&self.engine)).collect()
    }
}

/// The blobs that an engine id names: what its build can be opened from.
pub fn engine_blobs(engine: &str) -> impl Iterator<Item = Digest> {
    engine.split(|c: char| !c.is_ascii_alphanumeric()).filter_map(Digest::parse)
}

/// Bytes that the store keeps once, under their digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// Of the bytes.
    pub digest: Digest,
    /// The bytes; shared, because runs of one moment are pinned to the same ones.
    pub bytes: Arc<[u8]>,
}

impl From<Vec<u8>> for Blob {
    fn from(bytes: Vec<u8>) -> Self {
        Self { digest: Digest::of(&bytes), bytes: bytes.into() }
    }
}

/// A run without its journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Its identifier.
    pub id: RunId,
    /// To whom it belongs.
    pub owner: Owner,
    /// The client's name, for people.
    pub client: String,
    /// Digest of the code as sent: identical code joins.
    pub code_digest: Digest,
    /// The code as sent, for people and for line numbers.
    pub code: String,
    /// What it is pinned to; none where the code never ran.
    pub pins: Option<Pins>,
    /// Where it stands.
    pub status: Status,
    /// When it began.
    pub created_at: UnixMillis,
    /// Last change of status.
    pub changed_at: UnixMillis,
    /// Effects that were sent (intents written).
    pub effects: u32,
    /// The envelope that was last shown: exact bytes.
    pub envelope: Option<String>,
    /// The text line that goes with the envelope.
    pub line: Option<String>,
}

/// Digest that a decision is bound to: SHA-256 over length-prefixed address, source identity,
/// connection, account, definition digest and the canonical arguments.
pub fn call_digest(call: &CallIdentity<'_>, canonical_arguments: &str) -> Digest {
    let account = call.account.unwrap_or(Digest([0; 32]));
    Digest::of_parts([
        call.address.as_bytes(),
        call.source.0.as_slice(),
        call.connection.unwrap_or_default().as_bytes(),
        account.0.as_slice(),
        call.definition.0.as_slice(),
        canonical_arguments.as_bytes(),
    ])
}

/// Digest that an "allow for this run" is bound to: the same without the arguments.
pub fn scope_digest(call: &CallIdentity<'_>) -> Digest {
    call_digest(call, "*")
}

/// What makes two calls the same, besides their arguments.
#[derive(Clone, Copy, Debug)]
pub struct CallIdentity<'a> {
    /// `namespace.tool`.
    pub address: &'a str,
    /// [`crate::catalog::Source::identity`].
    pub source: Digest,
    /// The connection it resolved to.
    pub connection: Option<&'a str>,
    /// [`crate::connection::Connection::account`].
    pub account: Option<Digest>,
    /// [`crate::catalog::ToolDef::digest`].
    pub definition: Digest,
}
