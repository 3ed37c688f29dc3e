//! `source show`.

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use crate::output::{Out, Style};
use hub_core::policy::Verdict;
use hub_engine::{SourceDetail, SourceView};
use hub_server::api::sources::show::Show;

/// Arguments of `source show`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Its name
    name: String,
}

/// Shows the source, its tools, and what is wrong with it.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let detail = hub::call(context, &Show { name: args.name }).await?;
    context.out.answer(&detail, show);
    Ok(())
}

fn show(out: &Out, detail: &SourceDetail) -> String {
    let mut lines = heading(out, &detail.view);
    for tool in &detail.tools {
        let mark = match tool.verdict {
            Verdict::Allow => "",
            Verdict::Ask => "   [asks]",
            Verdict::Confirm => "   [asks each time]",
            Verdict::Deny => "   [denied]",
        };
        lines.push(format!(
            "  {}{}{}",
            tool.address,
            tool.signature,
            out.paint(Style::Yellow, mark)
        ));
        if !tool.summary.is_empty() {
            lines.push(out.paint(Style::Dim, &format!("    {}", tool.summary)));
        }
        if tool.address.rsplit_once('.').is_none_or(|(_, name)| name != tool.raw) {
            let raw = crate::gate::visible(&tool.raw);
            lines.push(out.paint(Style::Dim, &format!("    the source calls it {raw}")));
        }
        for note in &tool.notes {
            let note = crate::gate::visible(note);
            lines.push(out.paint(Style::Yellow, &format!("    schema: {note}")));
        }
    }
    for broken in &detail.view.broken {
        let text = format!("  not imported: {} ({})", broken.name, broken.reason);
        lines.push(out.paint(Style::Red, &text));
    }
    if let Some(stderr) = detail.stderr.as_deref().filter(|text| !text.trim().is_empty()) {
        lines.push(out.paint(Style::Dim, "its last words on standard error:"));
        lines.extend(stderr.lines().map(|l| format!("  {}", crate::gate::visible(l))));
    }
    lines.join("\n")
}

/// Name, origin, state.
pub fn heading(out: &Out, view: &SourceView) -> Vec<String> {
    let source = &view.source;
    let trust = if source.trusted { "" } else { " (untrusted: its annotations are not believed)" };
    let mut lines = vec![
        format!("{} as {}{trust}", out.paint(Style::Bold, &source.name), source.namespace),
        out.paint(Style::Dim, &format!("  {}", source.transport.origin())),
        format!("  {} tools; {} {}", view.tools, view.server, view.protocol_version),
    ];
    if let Some(standing) = &view.standing {
        lines.push(out.paint(Style::Dim, &format!("  {standing}")));
    }
    let set = [
        source.concurrency.map(|n| format!("calls at once: {n}")),
        source.timeout_ms.map(|ms| format!("seconds per call: {}", ms / 1_000)),
    ];
    let set: Vec<String> = set.into_iter().flatten().collect();
    if !set.is_empty() {
        lines.push(out.paint(Style::Dim, &format!("  {}", set.join("; "))));
    }
    if let Some(problem) = &view.problem {
        lines.push(out.paint(Style::Red, &format!("  {problem}")));
    }
    lines
}
