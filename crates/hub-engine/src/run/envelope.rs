//! From the end of a pass to the envelope that is shown.

use crate::api::Shown;
use crate::run::media::described;
use crate::run::pass::{End, Pass};
use hub_core::envelope::{
    CallSummary, ExecuteEnvelope, PendingSummary, RunError, Status, Truncated,
};
use hub_core::error::{RunErrorCode, ToolErrorCode};
use hub_core::hints;
use hub_core::limits;
use hub_core::machine::{CallView, Ending};
use hub_core::names;
use hub_core::pending::{Pending, PendingKind};
use hub_core::ports::{Finish, GuestError, GuestFault, LogLine, MainOutcome, Positions};
use hub_core::redact;
use serde_json::Value;

impl Pass {
    /// The envelope of a run that waits.
    pub(crate) fn waiting(
        &self,
        status: Status,
        pendings: &[Pending],
        place: Place,
    ) -> ExecuteEnvelope {
        let mut envelope = self.envelope(status);
        let shown = pendings.iter().map(|p| summary(p, place, &self.record.id.to_string()));
        envelope.pending = (!pendings.is_empty()).then(|| shown.collect());
        envelope
    }

    /// The envelope of an ended run.
    pub(crate) fn ended(&mut self, end: End) -> ExecuteEnvelope {
        let positions = self.prepared.positions.clone();
        let error = match end {
            End::Finished(finish) => return self.finished(*finish, &positions),
            End::Fault(fault) => fault_error(&fault, &positions),
            End::TimedOut => {
                let seconds = self.engine.inner.config.active_ms / 1000;
                plain(RunErrorCode::LimitTime, format!("the run was active for {seconds} s"))
                    .hinted("Do less in one run, or do it in parallel with Promise.all.")
            }
            End::Stalled => plain(
                RunErrorCode::Stalled,
                "the program awaits something that can never settle".into(),
            )
            .hinted("Every promise it awaits must come from a call, a timer or its own code."),
            End::Flooded => {
                let most = limits::JOURNAL_ENTRIES;
                let message = format!("calls, lookups and timers were answered over {most} times");
                let mut error = plain(RunErrorCode::Internal, message);
                error.code = ToolErrorCode::LimitCalls.as_str().to_owned();
                error.hinted("A call that fails in a loop fails again: stop after the first.")
            }
            End::Diverged(why) => plain(RunErrorCode::ReplayDiverged, why)
                .hinted("Nothing was sent again. Look at the calls made, then run new code."),
            End::Cancelled => return self.cancelled(),
        };
        let mut envelope = self.envelope(Status::Failed);
        envelope.error = Some(error);
        envelope
    }

    fn cancelled(&self) -> ExecuteEnvelope {
        let mut envelope = self.envelope(Status::Cancelled);
        envelope.error = Some(match self.machine.ending() {
            Some(Ending::Expired) => {
                plain(RunErrorCode::ApprovalExpired, "nobody decided in time".into())
            }
            _ => plain(RunErrorCode::Cancelled, "a person ended the run".into()),
        });
        envelope
    }

    fn finished(&mut self, finish: Finish, positions: &Positions) -> ExecuteEnvelope {
        self.logs.extend(finish.logs.iter().cloned());
        let mut notices = finish.notices.clone();
        let mut failure = match self.machine.main() {
            Some(MainOutcome::Rejected(error)) => {
                Some(self.meant_source(guest_error(error, positions, None)))
            }
            _ => None,
        };
        for unhandled in &finish.unhandled {
            match &unhandled.tool {
                // A call nobody awaited: worth a word, not worth the result.
                Some(tool) => notices.push(format!(
                    "a call that was not awaited failed: {}: {}",
                    tool.address.as_deref().unwrap_or("?"),
                    tool.message
                )),
                None => {
                    let code = RunErrorCode::UnhandledRejection;
                    let error = guest_error(unhandled, positions, Some(code));
                    failure.get_or_insert(error);
                }
            }
        }
        if let (None, Some(why)) = (&failure, &finish.not_serializable) {
            failure = Some(plain(RunErrorCode::NotSerializable, why.clone()));
        }
        let status = if failure.is_some() { Status::Failed } else { Status::Completed };
        let mut envelope = self.envelope(status);
        match failure {
            Some(error) => envelope.error = Some(error),
            None => {
                let (result, cut, media) = read_result(&finish);
                envelope.result = Some(result);
                if media > 0 {
                    notices.push(format!(
                        "the bytes of {media} images, sounds or files were left out of the \
                         answer; work with them inside the program"
                    ));
                }
                if cut {
                    let mut truncated = envelope.truncated.take().unwrap_or_default();
                    truncated.result = Some(true);
                    envelope.truncated = Some(truncated);
                    notices.push(format!(
                        "the result has {} bytes of JSON and was cut to the first {}; return less",
                        finish.result_size,
                        limits::RESULT_BYTES
                    ));
                }
            }
        }
        add_notices(&mut envelope, notices);
        envelope
    }

    fn envelope(&self, status: Status) -> ExecuteEnvelope {
        let mut envelope = ExecuteEnvelope {
            run_id: self.record.id.clone(),
            status,
            result: None,
            error: None,
            logs: (!self.logs.is_empty()).then(|| self.logs.iter().map(log_line).collect()),
            calls: summaries(self.machine.calls()),
            pending: None,
            truncated: self
                .logs_cut
                .then(|| Truncated { logs: Some(true), ..Truncated::default() }),
            notices: None,
        };
        let mut notices = self.prepared.notices.clone();
        if self.waited_ms > limits::OLD_RESULTS_MS {
            let minutes = self.waited_ms / 60_000;
            notices.push(format!("results from before the wait are {minutes} minutes old"));
        }
        add_notices(&mut envelope, notices);
        envelope
    }

    /// The envelope as it is kept and shown.
    pub(crate) fn show(&self, envelope: &ExecuteEnvelope) -> Shown {
        show(envelope, self.active())
    }
}

/// Calls as the envelope shows them.
pub(crate) fn summaries(calls: Vec<CallView>) -> Vec<CallSummary> {
    let summary = |c: CallView| CallSummary {
        address: c.address,
        ok: c.ok,
        ms: c.ms,
        outcome: c.unknown.then(|| "unknown".to_owned()),
    };
    calls.into_iter().map(summary).collect()
}

/// The envelope as bytes and as a line.
pub(crate) fn show(envelope: &ExecuteEnvelope, active_ms: u64) -> Shown {
    Shown {
        json: serde_json::to_string(envelope).unwrap_or_default().into(),
        line: envelope.line(active_ms, true).into(),
        is_error: envelope.status == Status::Failed,
    }
}

/// Adds notices, within their ceilings.
pub(crate) fn add_notices(envelope: &mut ExecuteEnvelope, notices: Vec<String>) {
    if notices.is_empty() {
        return;
    }
    let all = envelope.notices.get_or_insert_default();
    for notice in notices {
        if all.len() >= limits::NOTICES {
            break;
        }
        let mut text: String = notice.chars().take(limits::NOTICE_CHARS).collect();
        if text.len() < notice.len() {
            text = notice.chars().take(limits::NOTICE_CHARS - 1).collect();
            text.push('…');
        }
        if !all.contains(&text) {
            all.push(text);
        }
    }
}

fn log_line(line: &LogLine) -> String {
    match line.level.as_str() {
        "log" | "info" | "table" => line.text.clone(),
        level => format!("[{level}] {}", line.text),
    }
}

/// The result, or the first part of its JSON as a string; whether it was cut, and how many media
/// were described instead of shown.
fn read_result(finish: &Finish) -> (Value, bool, usize) {
    let Some(json) = &finish.result else { return (Value::Null, false, 0) };
    let (json, media) = described(json);
    if finish.result_size <= limits::RESULT_BYTES
        && let Ok(value) = serde_json::from_str(&json)
    {
        return (value, false, media);
    }
    let mut end = limits::RESULT_BYTES.min(json.len());
    while !json.is_char_boundary(end) {
        end -= 1;
    }
    (Value::String(json[..end].to_owned()), true, media)
}

pub(crate) fn plain(code: RunErrorCode, message: String) -> RunError {
    let code = code.as_str().to_owned();
    RunError { code, message, hint: None, address: None, line: None, column: None }
}

/// Adds a hint.
pub(crate) trait Hinted {
    fn hinted(self, hint: &str) -> Self;
}

impl Hinted for RunError {
    fn hinted(mut self, hint: &str) -> Self {
        self.hint = Some(hint.to_owned());
        self
    }
}

fn guest_error(
    error: &GuestError,
    positions: &Positions,
    instead: Option<RunErrorCode>,
) -> RunError {
    let place = error.line.map(|l| positions.original(l, error.column.unwrap_or(1)));
    let (line, column) = (place.map(|p| p.0), place.map(|p| p.1));
    if let Some(tool) = &error.tool {
        return RunError {
            code: tool.code.as_str().to_owned(),
            message: tool.message.clone(),
            hint: tool.hint.clone(),
            address: tool.address.clone(),
            line,
            column,
        };
    }
    let code = match (&error.code, instead) {
        (Some(code), _) => code.clone(),
        (None, Some(code)) => code.as_str().to_owned(),
        (None, None) => RunErrorCode::Uncaught.as_str().to_owned(),
    };
    let hint = error.hint.clone().or_else(|| missing_name(error));
    let message = match (error.name.as_str(), error.message.as_str()) {
        ("", message) => message.to_owned(),
        (name, "") => name.to_owned(),
        (name, message) => format!("{name}: {message}"),
    };
    RunError { code, message, hint, address: None, line, column }
}

/// What to do instead, where the program used a name that is not there.
fn missing_name(error: &GuestError) -> Option<String> {
    if error.name != "ReferenceError" {
        return None;
    }
    let name = error.message.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    name.filter(|word| !word.is_empty()).find_map(hints::for_name).map(str::to_owned)
}

impl Pass {
    /// The name the program used may have been meant for a source.
    fn meant_source(&self, error: RunError) -> RunError {
        if error.hint.is_some() || !error.message.starts_with("ReferenceError") {
            return error;
        }
        let words = error.message.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
        let Some(name) = words.filter(|w| !w.is_empty()).nth(1) else { return error };
        let known = self.engine.known();
        let all: Vec<&str> =
            known.catalog.namespaces.iter().map(|n| n.source.namespace.as_str()).collect();
        let close = names::closest(name, all.iter().copied(), 3);
        let hint = match close.as_slice() {
            [] => return error,
            close => {
                format!("Sources are globals by their namespace; closest: {}.", close.join(", "))
            }
        };
        error.hinted(&hint)
    }
}

fn preview(arguments: &str) -> String {
    let value: Value = serde_json::from_str(arguments).unwrap_or(Value::Null);
    redact::preview(&value, redact::Limits::LINE).text
}

pub(crate) fn fault_error(fault: &GuestFault, positions: &Positions) -> RunError {
    let text = fault.to_string();
    match fault {
        GuestFault::Syntax { line, column, .. } => {
            let place = line.map(|l| positions.original(l, column.unwrap_or(1)));
            let mut error = plain(RunErrorCode::SyntaxError, text);
            (error.line, error.column) = (place.map(|p| p.0), place.map(|p| p.1));
            error
        }
        GuestFault::Cpu(_) => plain(RunErrorCode::LimitCpu, text)
            .hinted("Compute less between two awaits, or filter at the source."),
        GuestFault::Memory(_) => plain(RunErrorCode::LimitMemory, text)
            .hinted("Work on pages instead of everything at once."),
        GuestFault::Stack => plain(RunErrorCode::LimitStack, text).hinted("Recurse less deeply."),
        GuestFault::Busy => plain(RunErrorCode::Busy, text).hinted("Try again in a moment."),
        GuestFault::EngineMismatch(_) => plain(RunErrorCode::EngineMismatch, text)
            .hinted("Look at what the run did with `run show`, then run new code."),
        GuestFault::Lost => {
            plain(RunErrorCode::Internal, text).hinted("Nothing is sent twice; resume the run.")
        }
        GuestFault::Broken(_) => plain(RunErrorCode::Internal, text),
    }
}

/// Where the person is asked first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// On the hub's own page.
    Page,
    /// In a form of the client.
    Form,
    /// Only where the person looks by themselves.
    Terminal,
}

/// Where the status of a waiting run comes from: what needs the person most.
pub(crate) fn waiting_status(pendings: &[Pending]) -> Status {
    let has = |kind| pendings.iter().any(|p| p.kind == kind);
    if has(PendingKind::Approval) {
        Status::AwaitingApproval
    } else if has(PendingKind::Connection) {
        Status::AwaitingConnection
    } else {
        Status::AwaitingInput
    }
}

/// What a pending says to the agent.
pub(crate) fn summary(pending: &Pending, place: Place, run: &str) -> PendingSummary {
    let what = match pending.kind {
        PendingKind::Approval => "the user must allow or deny this call",
        PendingKind::Connection => "the user must connect an account for this source",
        PendingKind::Input => "the source asks the user something",
    };
    let place = match place {
        Place::Page => "A page opened on their screen",
        Place::Form => "A form of this client asks them",
        Place::Terminal => "No page could be opened on their screen",
    };
    let message = format!(
        "{what}. {place}; they can also decide in a terminal of their own with `capabilities hub \
         approve {run}`. Tell them, do not run that yourself, then call execute with \
         {{\"resume\": \"{run}\"}}."
    );
    let connection = pending.connection.as_ref().map(|c| format!(" as {c}")).unwrap_or_default();
    PendingSummary {
        id: pending.id.to_string(),
        kind: pending.kind,
        address: Some(pending.address.clone()),
        summary: format!("{}{connection} {}", pending.address, preview(&pending.arguments)),
        message: Some(message),
    }
}

#[cfg(test)]
#[path = "envelope_tests.rs"]
mod tests;
