//! `hub approve`: a person decides, in a terminal, what waits.

use crate::context::Context;
use crate::error::CliError;
use crate::gate::{Gate, Terminal};
use crate::hub;
use hub_core::pending::{Choice, PendingKind};
use hub_engine::{DecidedView, PendingView};
use hub_server::api::waiting::decide::Decide;
use hub_server::api::waiting::list::List;
use serde::Serialize;

/// Arguments of `hub approve`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Only what waits in this run
    run: Option<String>,
}

/// What became of one pending.
#[derive(Debug, Serialize)]
struct Outcome {
    pending: String,
    run: String,
    address: String,
    result: String,
}

/// Shows each pending and asks.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let mut gate = Gate::open(context, "deciding about calls")?;
    let waiting = hub::call(context, &List { run: args.run.clone() }).await?;
    if waiting.is_empty() {
        context.out.note("nothing waits for you");
    }
    let mut outcomes = Vec::new();
    for view in &waiting {
        outcomes.push(decide(context, &mut gate, view).await?);
    }
    context.out.answer(&outcomes, |_, outcomes| {
        let line = |o: &Outcome| format!("{} {}: {}", o.pending, o.address, o.result);
        outcomes.iter().map(line).collect::<Vec<_>>().join("\n")
    });
    Ok(())
}

async fn decide(
    context: &Context,
    gate: &mut Gate,
    view: &PendingView,
) -> Result<Outcome, CliError> {
    let pending = &view.pending;
    show(&mut gate.terminal, view)?;
    let result = match ask(&mut gate.terminal, view)? {
        None => "left open".to_owned(),
        Some(choice) => {
            let told = said(&choice);
            let request =
                Decide { pending: pending.id.clone(), choice, by: gate.by.clone(), narrow: vec![] };
            match hub::call(context, &request).await? {
                DecidedView::Now => told.to_owned(),
                DecidedView::Already(first) => {
                    format!("decided before, by {}: {}", first.by, said(&first.choice))
                }
                DecidedView::Expired => "it had expired".to_owned(),
            }
        }
    };
    Ok(Outcome {
        pending: pending.id.to_string(),
        run: pending.run.to_string(),
        address: pending.address.clone(),
        result,
    })
}

/// Everything the decision is about, before it is asked for.
fn show(terminal: &mut Terminal, view: &PendingView) -> std::io::Result<()> {
    let pending = &view.pending;
    terminal.say("")?;
    terminal.say(&format!("{}   asked by {}", pending.address, view.client))?;
    terminal.say(&format!("  goes to     {}", pending.origin))?;
    if let Some(connection) = &pending.connection {
        terminal.say(&format!("  as          {connection}"))?;
    }
    for (n, line) in pending.arguments.lines().enumerate() {
        terminal.say(&format!("  {:<12}{line}", if n == 0 { "with" } else { "" }))?;
    }
    for finding in &view.findings {
        terminal.say(&format!("  note        {finding}"))?;
    }
    terminal.say(&format!("  because     {}", pending.reason))?;
    terminal.say(&format!("  waits       {} s, run {}", view.age_ms / 1_000, pending.run))?;
    if let Some(question) = &pending.question {
        terminal.say(&format!("  it asks     {question}"))?;
    }
    Ok(())
}

/// Asks until an answer fits; none leaves it open.
fn ask(terminal: &mut Terminal, view: &PendingView) -> Result<Option<Choice>, CliError> {
    if view.pending.kind != PendingKind::Approval {
        return other(terminal, view);
    }
    let mut question = String::from("allow [o]nce");
    if view.offers_run {
        question.push_str(", for this [r]un (this tool and connection, up to 20 calls)");
    }
    if view.offers_always {
        question.push_str(", [a]lways");
    }
    question.push_str(", [d]eny, or [s]kip: ");
    loop {
        let answer = terminal.ask(&question)?;
        return Ok(Some(match answer.as_deref() {
            Some("o" | "once") => Choice::AllowOnce,
            Some("r" | "run") if view.offers_run => Choice::AllowRun,
            Some("a" | "always") if view.offers_always => Choice::AllowAlways,
            Some("d" | "deny") => Choice::Deny,
            Some("s" | "skip") | None => return Ok(None),
            Some(_) => continue,
        }));
    }
}

/// Connections and questions of a source.
fn other(terminal: &mut Terminal, view: &PendingView) -> Result<Option<Choice>, CliError> {
    let is_connection = view.pending.kind == PendingKind::Connection;
    let question = if is_connection {
        terminal.say("  it needs a credential: `capabilities connection add` gives it one")?;
        "has it one now: [c]ontinue, [d]eny, or [s]kip: "
    } else {
        "[d]ecline, answer with a line of JSON, or [s]kip: "
    };
    loop {
        let answer = terminal.ask(question)?;
        return Ok(Some(match answer.as_deref() {
            Some("c" | "continue") if is_connection => Choice::Connected,
            Some("d" | "deny" | "decline") if is_connection => Choice::Deny,
            Some("d" | "deny" | "decline") => {
                Choice::Answer(serde_json::json!({ "action": "decline" }).to_string())
            }
            Some("s" | "skip") | None => return Ok(None),
            Some(text) if !is_connection => match serde_json::from_str(text) {
                Ok(serde_json::Value::Object(content)) => Choice::Answer(
                    serde_json::json!({ "action": "accept", "content": content }).to_string(),
                ),
                _ => continue,
            },
            Some(_) => continue,
        }));
    }
}

fn said(choice: &Choice) -> &'static str {
    match choice {
        Choice::AllowOnce => "allowed once",
        Choice::AllowRun => "allowed for this run",
        Choice::AllowAlways => "always allowed",
        Choice::Deny => "denied",
        Choice::Connected => "goes on",
        Choice::Answer(_) => "answered",
        Choice::Expired => "expired",
        Choice::Withdrawn => "withdrawn",
    }
}
