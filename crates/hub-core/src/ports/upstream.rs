//! The port to the sources.

use super::BoxFuture;
use crate::catalog::{Listing, Source};
use crate::connection::Connection;
use std::sync::Arc;

/// Speaks to sources. Nothing below this port sends a call a second time.
pub trait Upstream: Send + Sync {
    /// The source's tools.
    fn list<'a>(
        &'a self,
        source: &'a Source,
        connection: Option<&'a Connection>,
    ) -> BoxFuture<'a, Result<Listing, UpstreamError>>;

    /// Calls a tool, once.
    fn call(&self, call: UpstreamCall) -> BoxFuture<'_, Result<Answer, UpstreamError>>;

    /// Ends what is open towards a source (it was removed or changed).
    fn forget<'a>(&'a self, source: &'a Source) -> BoxFuture<'a, ()>;

    /// What a server wrote to its standard error lately, if it is a child process.
    fn stderr(&self, source: &Source) -> Option<String>;

    /// How it stands with a source at this moment, in words for people (`starting`, `open`);
    /// none where nothing is to be said.
    fn standing(&self, _source: &Source) -> Option<String> {
        None
    }
}

/// What a source says of how far a call is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<'a> {
    /// How far.
    pub done: f64,
    /// Of how much, where known.
    pub of: Option<f64>,
    /// In the source's own words.
    pub message: Option<&'a str>,
}

/// Told of progress.
pub type ProgressFn = Arc<dyn Fn(Progress<'_>) + Send + Sync>;

/// Told that an answer came after its call was given up.
pub type LateFn = Arc<dyn Fn() + Send + Sync>;

/// Told of a log message: `params` of `notifications/message` as JSON text.
pub type LogFn = Arc<dyn Fn(&str) + Send + Sync>;

/// For a call whose answer is handed on as MCP says it, and not to a program.
#[derive(Clone)]
pub struct HandOn {
    /// The lowest level of log messages that the source may send.
    pub log_level: Option<String>,
    /// Told of them.
    pub logs: LogFn,
}

/// One call.
pub struct UpstreamCall {
    /// To which source.
    pub source: Arc<Source>,
    /// As whom.
    pub connection: Option<Arc<Connection>>,
    /// The source's own name of the tool.
    pub tool: String,
    /// The canonical arguments as JSON text: exactly what was digested.
    pub arguments: String,
    /// The tool's output schema, for reading the answer (never hides a server's error).
    pub has_output_schema: bool,
    /// Milliseconds until it is given up.
    pub timeout_ms: u64,
    /// Continues an earlier `input_required` answer.
    pub continuation: Option<Continuation>,
    /// Told of progress.
    pub progress: Option<ProgressFn>,
    /// Answers a legacy server that asks inside a live call. Without it the source is told that
    /// the person cannot be asked.
    pub asks: Option<Arc<dyn AskPerson>>,
    /// Whether it may wait where its source asked to be left alone for a while. An effect may not:
    /// what was right when it was let go may not be right then.
    pub may_wait: bool,
    /// Told where an answer still comes after the call was given up and its transport hears it. The
    /// answer itself is nobody's any more.
    pub late: Option<LateFn>,
    /// Set where the answer is handed on whole ([`Answer::Whole`]).
    pub hand_on: Option<HandOn>,
}

/// Carries an answer back to a source that asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Continuation {
    /// The source's `requestState`, byte for byte.
    pub request_state: Option<String>,
    /// `inputResponses` as JSON text: key to result.
    pub responses: String,
}

/// Puts a legacy server's `elicitation/create` to the person.
pub trait AskPerson: Send + Sync {
    /// `params` of `elicitation/create` as JSON text; returns an `ElicitResult` as JSON text.
    fn ask<'a>(&'a self, params: &'a str) -> BoxFuture<'a, String>;
}

/// What a source answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A value for the guest, as JSON text (see SPEC 2.4 for how content becomes a value).
    Value(String),
    /// The whole result as JSON text, for a call with [`UpstreamCall::hand_on`]; also where the
    /// tool said that it failed.
    Whole(String),
    /// The tool said that it failed (`isError`), in words.
    ToolError(String),
    /// The source asks the person something (2026-07-28 `input_required`).
    InputRequired {
        /// To hand back, byte for byte.
        request_state: Option<String>,
        /// `inputRequests` as JSON text: key to {method, params}.
        requests: String,
    },
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct UpstreamError {
    /// Which kind.
    pub kind: UpstreamErrorKind,
    /// Whether the source may have received the call.
    pub sent: Sent,
    /// Fit to show; no secrets.
    pub message: String,
    /// HTTP status or JSON-RPC code.
    pub status: Option<i64>,
    /// `data` of a JSON-RPC error, as JSON text.
    pub data: Option<String>,
}

/// Whether a failed call may have taken effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// Provably not.
    No,
    /// Perhaps.
    Maybe,
    /// The source answered, so what became of the call is known to it: it refused the call, or
    /// its answer cannot be used. Sending it again is nobody's business but the caller's.
    Refused,
}

/// Kinds of [`UpstreamError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpstreamErrorKind {
    /// No or a wrong credential (HTTP 401, or no value behind a reference).
    Unauthorized,
    /// HTTP 403.
    Forbidden,
    /// HTTP 429; milliseconds to wait where said.
    RateLimited(Option<u64>),
    /// No answer in time.
    Timeout,
    /// Cannot be reached, or went away.
    Unavailable,
    /// Not MCP, or a protocol error.
    BadResponse,
    /// The answer is over the limit.
    TooLarge,
    /// The source does not know the tool.
    ToolGone,
    /// The source refused the call (JSON-RPC error).
    Failed,
}
