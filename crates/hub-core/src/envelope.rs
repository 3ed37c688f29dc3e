//! The answer of `execute`: one envelope, as structured content and as one line of text.

use crate::id::RunId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The program returned.
    Completed,
    /// The program or its limits ended it.
    Failed,
    /// A call waits for a person's decision.
    AwaitingApproval,
    /// A call waits for a credential.
    AwaitingConnection,
    /// A source asks the person something.
    AwaitingInput,
    /// Still at work; `resume` waits on.
    Running,
    /// Halted before its next effect because nobody waited; `resume` goes on.
    Interrupted,
    /// Ended by a person or by expiry.
    Cancelled,
}

impl Status {
    /// Every status of a run that has not ended.
    pub const OPEN: [Self; 5] = [
        Self::Running,
        Self::Interrupted,
        Self::AwaitingApproval,
        Self::AwaitingConnection,
        Self::AwaitingInput,
    ];

    /// Whether nothing more will happen.
    pub fn is_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// The status as agents see it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::AwaitingApproval => "awaiting_approval",
            Self::AwaitingConnection => "awaiting_connection",
            Self::AwaitingInput => "awaiting_input",
            Self::Running => "running",
            Self::Interrupted => "interrupted",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Why a run failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunError {
    /// One of [`crate::error::RunErrorCode`] or [`crate::error::ToolErrorCode`].
    pub code: String,
    /// What happened.
    pub message: String,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The tool that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Line of the code as sent, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column of the code as sent, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

/// One call in the envelope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSummary {
    /// The tool's address.
    pub address: String,
    /// Whether it succeeded.
    pub ok: bool,
    /// How long its answer took.
    pub ms: u64,
    /// `unknown` where nobody can say whether it took effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}

/// One thing that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingSummary {
    /// Its identifier.
    pub id: String,
    /// `approval`, `connection` or `input`.
    pub kind: crate::pending::PendingKind,
    /// The tool's address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// One line, redacted.
    pub summary: String,
    /// What the agent should do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What was cut.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truncated {
    /// The result was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<bool>,
    /// The logs were cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logs: Option<bool>,
}

/// The answer of `execute`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecuteEnvelope {
    /// The run.
    pub run_id: RunId,
    /// Where it stands.
    pub status: Status,
    /// What the program returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RunError>,
    /// Console lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logs: Option<Vec<String>>,
    /// The calls in the order the program made them.
    pub calls: Vec<CallSummary>,
    /// What waits for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<Vec<PendingSummary>>,
    /// What was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Truncated>,
    /// What the hub changed or wants known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notices: Option<Vec<String>>,
}

impl ExecuteEnvelope {
    /// The one line of text beside the structured content. It stands alone: many clients hand
    /// a model only this. `with_result` is off for clients known to hand over both.
    pub fn line(&self, active_ms: u64, with_result: bool) -> String {
        let calls = self.calls.len();
        let mut parts = vec![format!(
            "{} {} · {} call{} · {} ms",
            self.status.as_str(),
            self.run_id,
            calls,
            if calls == 1 { "" } else { "s" },
            active_ms
        )];
        if let Some(result) = self.result.as_ref().filter(|_| with_result) {
            parts.push(result.to_string());
        }
        if let Some(error) = &self.error {
            parts.push(error.line());
        }
        for pending in self.pending.iter().flatten() {
            let message = pending.message.as_deref().unwrap_or_default();
            parts.push(format!("{} {}: {message}", pending.id, pending.summary));
        }
        for call in self.calls.iter().filter(|c| c.outcome.is_some()) {
            parts.push(format!("{}: outcome unknown", call.address));
        }
        if let Some(logs) = self.logs.as_ref().filter(|_| with_result) {
            parts.push(format!("logs: {}", logs.join(" ⏎ ")));
        }
        for notice in self.notices.iter().flatten() {
            parts.push(format!("note: {notice}"));
        }
        parts.join(" | ").replace(['\n', '\r'], " ⏎ ")
    }
}

impl RunError {
    fn line(&self) -> String {
        let mut text = format!("{}: {}", self.code, self.message);
        if let Some(line) = self.line {
            text.push_str(&format!(" (line {line}"));
            if let Some(column) = self.column {
                text.push_str(&format!(", column {column}"));
            }
            text.push(')');
        }
        if let Some(hint) = &self.hint {
            text.push_str(&format!(". {hint}"));
        }
        text
    }
}
