//! How an envelope is shown, and which exit code its status has.

use crate::context::Context;
use crate::error::CliError;
use crate::output::{Out, Style};
use hub_core::envelope::{ExecuteEnvelope, Status};
use hub_server::api::tools::execute::Told;

/// Shows it. The error says that the run failed or waits.
pub fn show(context: &Context, told: &Told) -> Result<(), CliError> {
    let envelope: ExecuteEnvelope = serde_json::from_str(&told.json)
        .map_err(|e| CliError::internal(format!("the hub's answer cannot be read: {e}")))?;
    if context.out.is_json() {
        context.out.line(&told.json);
    } else {
        context.out.line(&for_people(&context.out, &envelope));
    }
    let run = &envelope.run_id;
    match envelope.status {
        Status::Completed | Status::Running => Ok(()),
        Status::Failed | Status::Cancelled => {
            Err(CliError::failed(format!("the run {} {}", run, envelope.status.as_str())))
        }
        Status::AwaitingApproval | Status::AwaitingInput | Status::AwaitingConnection => {
            Err(CliError::waiting(format!("the run {run} waits for you"))
                .hint(format!("decide: capabilities hub approve {run}"))
                .hint(format!("go on:  capabilities run resume {run}")))
        }
        Status::Interrupted => Err(CliError::waiting(format!("the run {run} was interrupted"))
            .hint(format!("go on: capabilities run resume {run}"))),
    }
}

/// The run that is still at work: the command line waits on, so that its effects go on.
pub fn running(told: &Told) -> Option<String> {
    let envelope: ExecuteEnvelope = serde_json::from_str(&told.json).ok()?;
    (envelope.status == Status::Running).then(|| envelope.run_id.to_string())
}

/// The envelope in lines.
pub fn for_people(out: &Out, envelope: &ExecuteEnvelope) -> String {
    let style = match envelope.status {
        Status::Completed => Style::Green,
        Status::Failed | Status::Cancelled => Style::Red,
        _ => Style::Yellow,
    };
    let status = out.paint(style, envelope.status.as_str());
    let mut lines = vec![format!("{status} {}", envelope.run_id)];
    for call in &envelope.calls {
        let mark = match (&call.outcome, call.ok) {
            (Some(_), _) => "?",
            (None, true) => "✓",
            (None, false) => "✗",
        };
        lines.push(out.paint(Style::Dim, &format!("  {mark} {} {} ms", call.address, call.ms)));
    }
    lines.extend(envelope.logs.iter().flatten().map(|line| format!("  {line}")));
    for pending in envelope.pending.iter().flatten() {
        lines.push(out.paint(Style::Yellow, &format!("  waits: {}", pending.summary)));
    }
    if let Some(error) = &envelope.error {
        lines.push(format!("{}: {}", error.code, error.message));
        lines.extend(error.line.map(|line| format!("  at line {line}")));
        lines.extend(error.hint.clone().map(|hint| format!("  {hint}")));
    }
    for notice in envelope.notices.iter().flatten() {
        lines.push(out.paint(Style::Dim, &format!("  note: {notice}")));
    }
    if let Some(result) = &envelope.result {
        lines.push(serde_json::to_string_pretty(result).unwrap_or_default());
    }
    lines.join("\n")
}
