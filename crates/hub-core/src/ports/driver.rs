//! The port to the sandbox: one guest per pass of a run.
//!
//! A driver starts a guest; the guest runs until it has nothing more to do and reports a
//! [`Turn`]; the engine delivers one thing; the guest runs again. Between turns the guest does
//! nothing. The engine owns all waiting, all timers and the clock.

use super::BoxFuture;
use crate::error::ToolError;
use crate::time::UnixMillis;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// Runs untrusted JavaScript under limits.
pub trait Driver: Send + Sync {
    /// Driver and build, such as `wasm:<digest of the guest image>`. Pinned by each run.
    fn engine_id(&self) -> String;

    /// What opens this build again in a later hub, kept while a run needs it; its digest stands
    /// in [`Driver::engine_id`]. None where a build cannot be kept.
    fn image(&self) -> Option<Cow<'_, [u8]>> {
        None
    }

    /// The driver of another build of this kind, from what was kept of it; does not block. None
    /// where `engine_id` is of another kind, or of an age that this build cannot open.
    fn other_build(&self, engine_id: &str, image: &[u8]) -> Option<Arc<dyn Driver>> {
        let _ = (engine_id, image);
        None
    }

    /// Starts a guest in a fresh realm and runs it to its first rest.
    fn start(&self, spec: GuestSpec) -> BoxFuture<'_, Started>;
}

/// A started guest with its first turn.
pub type Started = Result<(Box<dyn Guest>, Turn), GuestFault>;

/// A program at rest. Dropping it ends it at once.
pub trait Guest: Send {
    /// Gives the guest one thing and runs it to its next rest.
    fn deliver(&mut self, delivery: Delivery) -> BoxFuture<'_, Result<Turn, GuestFault>>;

    /// Called once main has settled and nothing is in flight: what is left to say.
    fn finish(&mut self) -> BoxFuture<'_, Result<Finish, GuestFault>>;
}

/// Everything a guest is started with.
#[derive(Clone, Debug)]
pub struct GuestSpec {
    /// Body of an async function: plain JavaScript, already stripped and reshaped.
    pub program: Arc<str>,
    /// The global objects.
    pub namespaces: Arc<[GuestNamespace]>,
    /// Seed of all randomness the guest sees.
    pub seed: [u8; 32],
    /// What `Date` says at the start.
    pub clock_start: UnixMillis,
    /// The limits.
    pub limits: GuestLimits,
}

/// One global object of tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuestNamespace {
    /// The global's name.
    pub name: String,
    /// Its tools, sorted by name.
    pub tools: Vec<GuestTool>,
}

/// One tool of a namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuestTool {
    /// Its name in code.
    pub name: String,
    /// The source's own name, which works in brackets.
    pub raw: String,
    /// Digest of its definition when the run began.
    pub definition: crate::digest::Digest,
}

/// Limits that the driver enforces. Defaults are the ceilings.
#[derive(Clone, Copy, Debug)]
pub struct GuestLimits {
    /// Milliseconds of CPU in one turn.
    pub cpu_ms: u64,
    /// Bytes of heap.
    pub heap_bytes: usize,
    /// Bytes of stack.
    pub stack_bytes: usize,
    /// Bytes of console output over the whole pass.
    pub log_bytes: usize,
    /// Operations one turn may start (a flood ends the guest's turn with a catchable refusal).
    pub ops_per_turn: usize,
    /// Bytes of one call's arguments.
    pub argument_bytes: usize,
    /// Bytes of the result as JSON that are read; the rest is counted only.
    pub result_bytes: usize,
}

impl Default for GuestLimits {
    fn default() -> Self {
        use crate::limits as l;
        Self {
            cpu_ms: l::GUEST_CPU_MS,
            heap_bytes: l::HEAP_BYTES,
            stack_bytes: l::STACK_BYTES,
            log_bytes: l::LOG_BYTES,
            ops_per_turn: 4_096,
            argument_bytes: l::TOOL_RESULT_BYTES,
            result_bytes: l::TOOL_RESULT_BYTES,
        }
    }
}

/// What the guest did until it came to rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// What it started, in order.
    pub ops: Vec<GuestOp>,
    /// New console lines, within the budget.
    pub logs: Vec<LogLine>,
    /// Whether console output was cut in this pass.
    pub logs_cut: bool,
    /// Set once, in the turn in which main settled.
    pub main: Option<MainOutcome>,
}

/// One console line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// `log`, `info`, `warn`, `error`, `debug` or `table`.
    pub level: String,
    /// The text.
    pub text: String,
}

/// Something the guest started.
#[derive(Clone, Debug, PartialEq)]
pub enum GuestOp {
    /// A call of a tool. Numbers come from one sequence with lookups, from 0.
    Call {
        /// Its number.
        n: u32,
        /// `namespace.tool` (the name in code, also where the raw name was used).
        address: String,
        /// The connection asked for.
        connection: Option<String>,
        /// The arguments as JSON text; `{}` where none were given.
        arguments: String,
    },
    /// `hub.search` or `hub.describe`.
    Lookup {
        /// Its number.
        n: u32,
        /// Which.
        kind: LookupKind,
        /// The arguments as a JSON array.
        arguments: String,
    },
    /// `setTimeout`. Numbers come from their own sequence, from 0.
    Timer {
        /// Its number.
        timer: u32,
        /// After how many milliseconds.
        ms: u32,
    },
    /// `clearTimeout` of an armed timer.
    ClearTimer {
        /// Its number.
        timer: u32,
    },
}

/// Which lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookupKind {
    /// `hub.search`
    Search,
    /// `hub.describe`
    Describe,
}

/// How main settled.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "one per run, never in a collection")]
pub enum MainOutcome {
    /// It returned; the value comes with [`Finish`].
    Fulfilled,
    /// It threw; nothing more is sent.
    Rejected(GuestError),
}

/// An error value of the guest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GuestError {
    /// `name` of the error, such as `TypeError`.
    pub name: String,
    /// Its message.
    pub message: String,
    /// Where it is a `ToolError`: its fields.
    pub tool: Option<ToolError>,
    /// Where it is ours: a code of [`crate::error::RunErrorCode`], such as `unknown_tool`.
    pub code: Option<String>,
    /// What to do next, where we know.
    pub hint: Option<String>,
    /// Line of the program as run, from 1.
    pub line: Option<u32>,
    /// Column of the program as run, from 1.
    pub column: Option<u32>,
}

/// What the engine gives the guest.
#[derive(Clone, Debug, PartialEq)]
pub enum Delivery {
    /// An operation settled.
    Settle {
        /// Its number.
        n: u32,
        /// JSON text, or the failure.
        outcome: Result<String, ToolError>,
        /// What `Date` says from here on.
        at: UnixMillis,
    },
    /// A timer fired.
    Fire {
        /// Its number.
        timer: u32,
        /// What `Date` says from here on.
        at: UnixMillis,
    },
}

/// What is left at the end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finish {
    /// The result as JSON text, at most `result_bytes` of it; none where main threw.
    pub result: Option<String>,
    /// Bytes of the whole result.
    pub result_size: usize,
    /// Why the result could not be said in JSON.
    pub not_serializable: Option<String>,
    /// What was changed on the way to JSON, one line each.
    pub notices: Vec<String>,
    /// Rejections nobody looked at, in order.
    pub unhandled: Vec<GuestError>,
    /// Console lines of the last conversions.
    pub logs: Vec<LogLine>,
}

/// What ends a guest for good, uncatchable by it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GuestFault {
    /// The program cannot be compiled.
    #[error("{message}")]
    Syntax {
        /// The engine's message.
        message: String,
        /// Line of the program as run, from 1.
        line: Option<u32>,
        /// Column, from 1.
        column: Option<u32>,
    },
    /// Too much CPU in one turn.
    #[error("the program computed for more than {0} ms without an await")]
    Cpu(u64),
    /// Out of memory.
    #[error("the program needs more than {0} bytes of memory")]
    Memory(usize),
    /// Out of stack.
    #[error("the program's calls are nested too deeply")]
    Stack,
    /// Refused before it began; try again.
    #[error("no room for another program now")]
    Busy,
    /// The guest was ended from outside the sandbox, by nobody's fault: the system needed its
    /// memory, or somebody ended its process. The program may go on in another guest.
    #[error("the program's process was ended from outside")]
    Lost,
    /// The image or binary that the run is pinned to is not here.
    #[error("the run belongs to another engine build: {0}")]
    EngineMismatch(String),
    /// A fault of the sandbox; the program is gone, the hub is not.
    #[error("the sandbox failed: {0}")]
    Broken(String),
}
