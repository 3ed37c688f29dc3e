//! Errors as a person meets them: what kind, what happened, what to do next.

use crate::output::Out;
use hub_server::client::CallError;
use hub_server::{ApiError, ErrorKind};
use serde::Serialize;
use std::process::ExitCode;

/// Kinds of failure; each has its exit code, listed in the README.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// It was tried and did not work.
    Failed,
    /// The command line or a file given to it is wrong.
    Usage,
    /// No such thing.
    NotFound,
    /// The hub or its gate says no.
    Refused,
    /// No hub answers, or none could be started.
    NoHub,
    /// The run waits for a person.
    Waiting,
    /// A fault of the program.
    Internal,
}

impl Kind {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Failed => 1,
            Self::Usage => 2,
            Self::NotFound => 3,
            Self::Refused => 4,
            Self::NoHub => 5,
            Self::Waiting => 6,
            Self::Internal => 70,
        }
    }
}

/// Why a command did not do it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct CliError {
    /// Which kind.
    pub kind: Kind,
    /// What happened; never a secret.
    pub message: String,
    /// What to do next, one line each.
    pub hints: Vec<String>,
}

impl CliError {
    fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hints: Vec::new() }
    }

    /// It was tried and did not work.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Kind::Failed, message)
    }

    /// The command line or a file given to it is wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// No such thing.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Kind::NotFound, message)
    }

    /// The hub or its gate says no.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(Kind::Refused, message)
    }

    /// No hub answers, or none could be started.
    pub fn no_hub(message: impl Into<String>) -> Self {
        Self::new(Kind::NoHub, message)
    }

    /// The run waits for a person.
    pub fn waiting(message: impl Into<String>) -> Self {
        Self::new(Kind::Waiting, message)
    }

    /// A fault of the program.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Kind::Internal, message)
    }

    /// The same with one more line on what to do next.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Prints it on standard error, as JSON where that was asked for.
    pub fn report(&self, out: &Out) -> ExitCode {
        out.error(self);
        ExitCode::from(self.kind.code())
    }
}

impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        Self::failed(error.to_string())
    }
}

impl From<ApiError> for CliError {
    fn from(error: ApiError) -> Self {
        let kind = match error.kind {
            ErrorKind::Invalid | ErrorKind::TooLarge => Kind::Usage,
            ErrorKind::NotFound => Kind::NotFound,
            ErrorKind::Unauthorized | ErrorKind::Forbidden => Kind::Refused,
            ErrorKind::Internal | ErrorKind::WrongMethod => Kind::Internal,
            ErrorKind::Conflict | ErrorKind::Busy | ErrorKind::Source | ErrorKind::Store => {
                Kind::Failed
            }
        };
        Self { kind, message: error.message, hints: error.hint.into_iter().collect() }
    }
}

impl From<CallError> for CliError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused(refusal) => refusal.into(),
            other => Self::no_hub(other.to_string())
                .hint("`capabilities hub start` starts one; `capabilities doctor` looks closer"),
        }
    }
}
