//! `demo`: the main job in one minute, on a hub of its own in a folder that goes away.

mod stage;

use crate::context::Context;
use crate::envelope::for_people;
use crate::error::CliError;
use crate::gate::Terminal;
use crate::output::Style;
use hub_core::envelope::{ExecuteEnvelope, Status};
use hub_core::pending::Choice;
use hub_engine::{Execute, PendingView};
use serde::Serialize;
use stage::Stage;

/// Reads, adds, and then wants to delete: the last call asks.
const PROGRAM: &str = "\
const { issues } = await tracker.searchIssues({ query: \"crash\" });
const [first, ...same] = issues;
await tracker.commentOnIssue({
  number: first.number,
  text: `Also reported as ${same.map((issue) => issue.number).join(\", \")}`,
});
const gone = await Promise.all(
  same.map((issue) => tracker.deleteIssue({ number: issue.number })),
);
return { kept: first.title, gone };";

/// Arguments of `demo`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Answer the approval with yes instead of asking you
    #[arg(long)]
    yes: bool,
}

/// What was played, for programs.
#[derive(Debug, Serialize)]
struct Played {
    found: String,
    types: String,
    program: &'static str,
    waiting: ExecuteEnvelope,
    done: ExecuteEnvelope,
}

/// Plays search, describe, execute, approval, resume.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let mut terminal = match args.yes {
        true => None,
        false => Some(Terminal::open().map_err(|_| {
            CliError::usage("the demo asks you one question, and here is no terminal")
                .hint("give --yes to let it answer itself")
        })?),
    };
    let stage = Stage::set(context).await?;
    let played = play(context, &stage, &mut terminal).await;
    stage.strike().await;
    let played = played?;
    if context.out.is_json() {
        context.out.answer(&played, |_, _| String::new());
        return Ok(());
    }
    context.out.line(
        "\nThat was an agent's way through the hub. For your own:\n  \
         capabilities source add NAME -- COMMAND     or  --url URL\n  \
         capabilities client connect claude-code     or cursor, vscode, codex, any other",
    );
    Ok(())
}

async fn play(
    context: &Context,
    stage: &Stage,
    terminal: &mut Option<Terminal>,
) -> Result<Played, CliError> {
    // For programs all of it comes at once, at the end.
    let say = |text: &str| context.out.say(text);
    let heading = |text: &str| say(&context.out.paint(Style::Bold, text));
    heading("1. An agent searches: \"delete duplicate issues\"");
    let found = stage.search("delete duplicate issues").await?;
    say(&found);
    heading("\n2. It reads the types of what it found");
    let targets = ["tracker.searchIssues", "tracker.commentOnIssue", "tracker.deleteIssue"];
    let types = stage.describe(&targets.map(str::to_owned)).await?;
    say(&types);
    heading("\n3. It writes a program and runs it");
    say(PROGRAM);
    let waiting = stage.execute(Execute::Code(PROGRAM.to_owned())).await?;
    say(&for_people(&context.out, &waiting));
    expect(&waiting, Status::AwaitingApproval)?;
    heading("\n4. Deleting asks you; the program waits, as long as it takes");
    for pending in stage.waiting(&waiting).await? {
        let choice = decide(context, terminal, &pending)?;
        stage.decide(&pending, choice).await?;
    }
    heading("\n5. The run goes on: what was answered is replayed, nothing is sent twice");
    let done = stage.execute(Execute::Resume(waiting.run_id.to_string())).await?;
    say(&for_people(&context.out, &done));
    expect(&done, Status::Completed)?;
    Ok(Played { found, types, program: PROGRAM, waiting, done })
}

fn decide(
    context: &Context,
    terminal: &mut Option<Terminal>,
    view: &PendingView,
) -> Result<Choice, CliError> {
    let pending = &view.pending;
    let call = format!("{} {}", pending.address, pending.arguments);
    let Some(terminal) = terminal else {
        context.out.say(&format!("{call}\n  because {}: allowed (--yes)", pending.reason));
        return Ok(Choice::AllowOnce);
    };
    terminal.say(&call)?;
    terminal.say(&format!("  goes to {}", pending.origin))?;
    terminal.say(&format!("  because {}", pending.reason))?;
    match terminal.ask("allow it once? [yes/no] ")?.as_deref() {
        Some("yes" | "y") => Ok(Choice::AllowOnce),
        _ => Ok(Choice::Deny),
    }
}

fn expect(envelope: &ExecuteEnvelope, status: Status) -> Result<(), CliError> {
    // Whoever denies sees the program end as it chose to; that is no fault of the demo.
    let denied = envelope.error.as_ref().is_some_and(|e| e.code == "denied");
    if envelope.status == status || denied {
        return Ok(());
    }
    Err(CliError::internal(format!(
        "the demo's program is {}, not {}",
        envelope.status.as_str(),
        status.as_str()
    )))
}
