//! The journal of a run: the ordered record that, with the pins, replays it.
//!
//! Append-only. Each entry stands as one JSON line with its format version; a reader checks
//! version and order before it trusts anything.

use crate::digest::Digest;
use crate::error::ToolError;
use crate::id::PendingId;
use crate::time::UnixMillis;
use serde::{Deserialize, Serialize};

/// Version of the format written now. A reader refuses a newer one.
pub const FORMAT: u32 = 1;

/// What was asked: identity of a numbered operation, checked at replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpIdentity {
    /// Number in the guest's start order (calls, searches and describes share one sequence).
    pub n: u32,
    /// `namespace.tool`, or `hub.search`, `hub.describe`.
    pub address: String,
    /// The connection asked for (not the one resolved).
    pub connection: Option<String>,
    /// Digest of the canonical arguments.
    pub arguments: Digest,
}

/// What was given to the guest, as exact text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The value, as JSON text.
    Value(String),
    /// The failure.
    Error(ToolError),
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "t")]
pub enum Event {
    /// The call is about to be sent; written before the network sees it.
    Intent {
        /// Which call.
        op: OpIdentity,
        /// What a decision was bound to.
        digest: Digest,
        /// The decision that let it go, where one was needed.
        pending: Option<PendingId>,
        /// The scope of the "allow for this run" that let it go, where one did.
        granted: Option<Digest>,
        /// Whether it may be sent again: a read, or idempotent and not destructive.
        resend: Resend,
        /// 0, then one more for each continuation of an `input_required` answer.
        leg: u32,
        /// When.
        at: UnixMillis,
    },
    /// The call waits for a person.
    Waits {
        /// Which call.
        op: OpIdentity,
        /// Under which pending.
        pending: PendingId,
        /// When.
        at: UnixMillis,
    },
    /// An operation was answered; in order of delivery.
    Settled {
        /// Which operation.
        op: OpIdentity,
        /// What the guest got.
        outcome: Outcome,
        /// Milliseconds from send to answer.
        ms: u64,
        /// What `Date` says from here on.
        at: UnixMillis,
        /// Active milliseconds of the run at this point.
        active: u64,
    },
    /// A timer fired; in order of delivery.
    Fired {
        /// Number in the sequence of timers.
        timer: u32,
        /// What `Date` says from here on.
        at: UnixMillis,
        /// Active milliseconds of the run at this point.
        active: u64,
    },
    /// The source asked the person something inside the call (`input_required`).
    Asked {
        /// Which call.
        op: OpIdentity,
        /// The source's state to hand back, as JSON text.
        state: String,
        /// When.
        at: UnixMillis,
    },
    /// An answer came to a call that was given up and settled; never delivered.
    Late {
        /// Number of the call.
        n: u32,
        /// When.
        at: UnixMillis,
    },
    /// The run stopped being active (parked or interrupted).
    Halted {
        /// Active milliseconds so far.
        active: u64,
        /// When.
        at: UnixMillis,
    },
    /// A later pass has repeated what is above and goes on from here.
    Resumed {
        /// When.
        at: UnixMillis,
    },
}

/// Whether a call may be sent again when its answer was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resend {
    /// A read: always.
    Always,
    /// Idempotent and not destructive: for two minutes.
    Shortly,
    /// Anything else: never.
    Never,
}

/// Why a journal is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// Written by a newer hub.
    #[error("entry {0} has format {1}; this hub reads up to {FORMAT}. Use the newer hub")]
    Newer(usize, u32),
    /// Damaged.
    #[error("entry {0} cannot be read: {1}")]
    Unreadable(usize, String),
}

#[derive(Serialize, Deserialize)]
struct Line<E> {
    v: u32,
    #[serde(flatten)]
    event: E,
}

/// One entry as bytes.
pub fn write(event: &Event) -> Vec<u8> {
    serde_json::to_vec(&Line { v: FORMAT, event }).unwrap_or_default()
}

/// All entries, in order.
pub fn read<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<Event>, JournalError> {
    #[derive(Deserialize)]
    struct Version {
        v: u32,
    }
    let mut events = Vec::new();
    for (i, line) in lines.into_iter().enumerate() {
        let unreadable = |e: serde_json::Error| JournalError::Unreadable(i, e.to_string());
        let version: Version = serde_json::from_slice(line).map_err(unreadable)?;
        if version.v > FORMAT {
            return Err(JournalError::Newer(i, version.v));
        }
        let line: Line<Event> = serde_json::from_slice(line).map_err(unreadable)?;
        events.push(line.event);
    }
    Ok(events)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_or_damaged_entry_is_refused() {
        let event = Event::Late { n: 3, at: UnixMillis(5) };
        let line = write(&event);
        assert_eq!(read([line.as_slice()]), Ok(vec![event]));
        let newer = br#"{"v":2,"t":"brand_new"}"#;
        assert_eq!(read([line.as_slice(), newer]), Err(JournalError::Newer(1, 2)));
        assert!(matches!(read([&line[..9]]), Err(JournalError::Unreadable(0, _))));
    }
}
