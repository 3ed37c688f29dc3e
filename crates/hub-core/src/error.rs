//! The closed lists of error codes: what a program can catch, and what ends a run.

use serde::{Deserialize, Serialize};

macro_rules! codes {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $text)] $variant,)*
        }

        impl $name {
            /// Every code of the list.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The code as programs and agents see it.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// Reads a code.
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

codes!(
    /// Codes of `ToolError`: a call failed, and the program may catch it.
    ToolErrorCode {
        /// The tool answered with an error.
        ToolFailed = "tool_failed",
        /// The arguments do not fit the input schema; nothing was sent.
        InvalidArguments = "invalid_arguments",
        /// Policy or a person said no; nothing was sent.
        Denied = "denied",
        /// Nobody decided in time; nothing was sent.
        ApprovalExpired = "approval_expired",
        /// The source needs a credential and got none; nothing was sent.
        ConnectionRequired = "connection_required",
        /// The source has no connection of that name; nothing was sent.
        UnknownConnection = "unknown_connection",
        /// The source refused the account (HTTP 403).
        Forbidden = "forbidden",
        /// The source is limiting (HTTP 429).
        RateLimited = "rate_limited",
        /// No answer in time.
        Timeout = "timeout",
        /// The source cannot be reached; nothing was sent.
        Unavailable = "unavailable",
        /// The source answered something that is not MCP.
        BadResponse = "bad_response",
        /// The answer is larger than a program may receive.
        ResultTooLarge = "result_too_large",
        /// The tool was removed since the program began.
        ToolGone = "tool_gone",
        /// The call may or may not have taken effect; it is not sent again.
        OutcomeUnknown = "outcome_unknown",
        /// More calls than a run may make.
        LimitCalls = "limit_calls",
        /// The run was cancelled while the call waited.
        Cancelled = "cancelled",
    }
);

codes!(
    /// Codes of an ended run's `error`, beside those of an uncaught `ToolError`.
    RunErrorCode {
        /// The code cannot be parsed.
        SyntaxError = "syntax_error",
        /// The code names a tool that does not exist.
        UnknownTool = "unknown_tool",
        /// A literal argument does not fit the input schema (found before running).
        InvalidArguments = "invalid_arguments",
        /// The program threw.
        Uncaught = "uncaught",
        /// A promise was rejected and nobody looked.
        UnhandledRejection = "unhandled_rejection",
        /// The result cannot be said in JSON.
        NotSerializable = "not_serializable",
        /// Active longer than a run may be.
        LimitTime = "limit_time",
        /// Too much CPU between two awaits.
        LimitCpu = "limit_cpu",
        /// Out of memory.
        LimitMemory = "limit_memory",
        /// Out of stack.
        LimitStack = "limit_stack",
        /// Awaits something that can never settle.
        Stalled = "stalled",
        /// The program did something else than its journal says.
        ReplayDiverged = "replay_diverged",
        /// The replay could not be finished now; the run is kept.
        ReplayUnavailable = "replay_unavailable",
        /// The run belongs to another engine build.
        EngineMismatch = "engine_mismatch",
        /// The journal cannot be read.
        JournalUnreadable = "journal_unreadable",
        /// The client cannot show forms and its mode allows nothing else.
        ClientCannotAsk = "client_cannot_ask",
        /// No such run for this owner.
        RunNotFound = "run_not_found",
        /// The store was restored from a backup; what was sent since is unknown.
        StoreRestored = "store_restored",
        /// Too many runs at once; try again.
        Busy = "busy",
        /// A pending expired.
        ApprovalExpired = "approval_expired",
        /// Ended by a person.
        Cancelled = "cancelled",
        /// A fault of the hub.
        Internal = "internal",
    }
);

/// A failed call as the program receives it: the fields of `ToolError`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolError {
    /// Which kind of failure.
    pub code: ToolErrorCode,
    /// Fit to show to a person; no secrets.
    pub message: String,
    /// The tool's address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// HTTP status or JSON-RPC code of the source's answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<i64>,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whether the program may try the same call again.
    pub retryable: bool,
}

impl ToolError {
    /// An error that is not retryable and carries nothing but code and message.
    pub fn new(code: ToolErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            address: None,
            status: None,
            hint: None,
            retryable: false,
        }
    }

    /// The same with a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same for the tool at `address`.
    pub fn at(mut self, address: impl Into<String>) -> Self {
        self.address = Some(address.into());
        self
    }

    /// The same with the source's own status.
    pub fn status(mut self, status: i64) -> Self {
        self.status = Some(status);
        self
    }

    /// The same, marked as worth another try.
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }
}
