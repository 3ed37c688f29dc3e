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
        out.paint(
            Style::Dim,
            &format!(
                "asked by {} at {}; effects sent: {}",
                run.client,
                hub_server::utc(run.created_at),
                run.effects
            ),
        ),
    ];
    lines.extend(run.code.lines().enumerate().map(|(n, line)| format!("{:>4}  {line}", n + 1)));
    for entry in &detail.timeline {
        let after = after(entry.at.since(run.created_at));
        let words = [entry.subject.as_str(), entry.text.as_str()].into_iter();
        let words: Vec<_> = words.filter(|words| !words.is_empty()).collect();
        let line = format!("{after:>10}  {:<10}  {}", entry.kind, words.join("  "));
        lines.push(line.trim_end().to_owned());
    }
    for view in detail.pendings.iter().filter(|v| v.pending.decision.is_none()) {
        let waits = format!("waits: {} ({})", view.pending.address, view.pending.id);
        lines.push(out.paint(Style::Yellow, &waits));
    }
    lines.extend(run.line.clone());
    lines.join("\n")
}

/// Milliseconds while they tell something, else in words.
fn after(ms: i64) -> String {
    match ms {
        ..60_000 => format!("{ms} ms"),
        _ => hub_server::span(ms),
    }
}
