//! `run show`.

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use crate::output::{Out, Style};
use hub_engine::RunDetail;
use hub_server::api::runs::show::Show;

/// Arguments of `run show`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The run
    run: String,
}

/// Shows what happened.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let detail = hub::call(context, &Show { id: args.run }).await?;
    context.out.answer(&detail, show);
    Ok(())
}

fn show(out: &Out, detail: &RunDetail) -> String {
    let run = &detail.record;
    let mut lines = vec![
        format!("{} {}", out.paint(Style::Bold, run.id.as_str()), run.status.as_str()),
        out.paint(Style::Dim, &format!("asked by {}; {} effects sent", run.client, run.effects)),
    ];
    lines.extend(run.code.lines().enumerate().map(|(n, line)| format!("{:>4}  {line}", n + 1)));
    for entry in &detail.timeline {
        let after = entry.at.since(run.created_at);
        lines.push(format!("{after:>8} ms  {:<9} {}  {}", entry.kind, entry.subject, entry.text));
    }
    for view in detail.pendings.iter().filter(|v| v.pending.decision.is_none()) {
        let waits = format!("waits: {} ({})", view.pending.address, view.pending.id);
        lines.push(out.paint(Style::Yellow, &waits));
    }
    lines.extend(run.line.clone());
    lines.join("\n")
}
