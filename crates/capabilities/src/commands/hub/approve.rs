//! `hub approve`: a person decides, in a terminal, what waits.

mod narrow;

use crate::commands::policy;
use crate::context::Context;
use crate::error::{CliError, Kind};
use crate::gate::{Gate, Terminal};
use crate::hub;
use hub_core::pending::{Choice, PendingKind};
use hub_core::question::{self, Field, FieldKind};
use hub_core::redact::quote;
use hub_engine::{DecidedView, PendingView, RuleView};
use hub_server::api::policy::list::List as Rules;
use hub_server::api::waiting::decide::Decide;
use hub_server::api::waiting::list::List;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Characters of a source's text that are shown in one piece.
const SHOWN_CHARS: usize = 400;

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
    let mut gate = Gate::open(context, "deciding about calls").await?;
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
    let result = loop {
        let Some(choice) = ask(&mut gate.terminal, view)? else { break "left open".to_owned() };
        let always = choice == Choice::AllowAlways;
        let narrow = match always {
            true => narrow::ask(&mut gate.terminal)?,
            false => Some(Vec::new()),
        };
        let Some(narrow) = narrow else { break "left open".to_owned() };
        let told = said(&choice);
        let before = if always { rules(context).await? } else { Vec::new() };
        let request = Decide { pending: pending.id.clone(), choice, by: gate.by.clone(), narrow };
        break match hub::call(context, &request).await {
            Ok(DecidedView::Now) => {
                if always {
                    show_new(context, &mut gate.terminal, &before).await?;
                }
                told.to_owned()
            }
            Ok(DecidedView::Already(first)) => {
                format!("decided before, by {}: {}", first.by, said(&first.choice))
            }
            Ok(DecidedView::Expired) => "it had expired".to_owned(),
            // Nothing was decided: the person may choose otherwise.
            Err(error) if always && error.kind == Kind::Usage => {
                gate.terminal.say(&format!("  {}", error.message))?;
                continue;
            }
            Err(error) => return Err(error),
        };
    };
    Ok(Outcome {
        pending: pending.id.to_string(),
        run: pending.run.to_string(),
        address: pending.address.clone(),
        result,
    })
}

async fn rules(context: &Context) -> Result<Vec<RuleView>, CliError> {
    hub::call(context, &Rules {}).await
}

/// The rule that an "always" wrote, and how to take it back.
async fn show_new(
    context: &Context,
    terminal: &mut Terminal,
    before: &[RuleView],
) -> Result<(), CliError> {
    let now = rules(context).await?;
    for RuleView { rule, .. } in now.iter().filter(|now| !before.contains(now)) {
        let only = policy::only(rule);
        terminal.say(&format!("  from now on: allow {}, only for {only}", rule.pattern))?;
        terminal.say(&format!("  taken back by: capabilities policy unset {}", rule.id))?;
    }
    Ok(())
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
    for asked in question::read(pending.question.as_deref().unwrap_or_default()) {
        terminal.say(&format!("  it asks     {}", quote(&asked.message, SHOWN_CHARS)))?;
        if let Some(url) = &asked.url {
            terminal.say(&format!("  at          {}", quote(url, SHOWN_CHARS)))?;
        }
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
    if view.pending.kind == PendingKind::Input {
        return input(terminal, view.pending.question.as_deref().unwrap_or_default());
    }
    terminal.say("  it needs a credential: `capabilities connection add` gives it one")?;
    loop {
        let answer = terminal.ask("has it one now: [c]ontinue, [d]eny, or [s]kip: ")?;
        return Ok(Some(match answer.as_deref() {
            Some("c" | "continue") => Choice::Connected,
            Some("d" | "deny") => Choice::Deny,
            Some("s" | "skip") | None => return Ok(None),
            Some(_) => continue,
        }));
    }
}

/// A question of a source, field by field.
fn input(terminal: &mut Terminal, asked: &str) -> Result<Option<Choice>, CliError> {
    loop {
        let answer = terminal.ask("[a]nswer, [d]ecline, or [s]kip: ")?;
        match answer.as_deref() {
            Some("a" | "answer") => break,
            Some("d" | "decline") => return Ok(Some(Choice::Deny)),
            Some("s" | "skip") | None => return Ok(None),
            Some(_) => {}
        }
    }
    let mut contents = BTreeMap::new();
    for question in question::read(asked) {
        let mut content = serde_json::Map::new();
        for field in &question.fields {
            let Some(value) = fill(terminal, field)? else { return Ok(None) };
            content.extend(value.map(|value| (field.name.clone(), value)));
        }
        contents.insert(question.key, content);
    }
    Ok(Some(Choice::Answer(question::answer(asked, contents))))
}

/// Asks until the field takes what was typed; none where the terminal closed.
fn fill(terminal: &mut Terminal, field: &Field) -> Result<Option<Option<Value>>, CliError> {
    let takes = match &field.kind {
        FieldKind::Text => String::new(),
        FieldKind::Number => " (a number)".to_owned(),
        FieldKind::Integer => " (a whole number)".to_owned(),
        FieldKind::Flag => " (yes or no)".to_owned(),
        FieldKind::OneOf(choices) => format!(" (one of: {})", offered(choices)),
        FieldKind::SomeOf(choices) => format!(" (some of, with commas: {})", offered(choices)),
    };
    let prompt = format!("  {}{takes}: ", quote(&field.title, SHOWN_CHARS));
    loop {
        let Some(typed) = terminal.ask(&prompt)? else { return Ok(None) };
        let typed = match field.kind {
            FieldKind::SomeOf(_) => typed.replace(',', "\n"),
            _ => typed,
        };
        if let Some(value) = field.value(&typed) {
            return Ok(Some(value));
        }
    }
}

fn offered(choices: &[(String, String)]) -> String {
    let values: Vec<_> = choices.iter().map(|(value, _)| quote(value, SHOWN_CHARS)).collect();
    values.join(", ")
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
