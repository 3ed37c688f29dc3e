//! `doctor`: looks for what is wrong, and says what the hub protects from and what it does not.

use crate::config::settings::Settings;
use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use crate::output::{Out, Style};
use crate::sandbox;
use hub_server::Process;
use hub_server::api::hub::status::AskStatus;
use hub_server::api::sources::list::List;
use serde::Serialize;
use std::os::unix::fs::PermissionsExt;

/// What approvals are worth, honestly.
const CLAIM: &str = "\
Who can approve a call: you, on the hub's page or in a terminal, and a client's form where you \
let it ask that way (modes auto and native: you trust that program to show you the form and to \
pass on only what you answer). Programs that agents write cannot, nor can models that only speak \
MCP, web pages, other users of this machine, or, in browser mode, MCP clients: not over MCP, and \
not by commands that they start.
What the hub cannot stop: a process with your own full rights, such as an agent with an \
unrestricted shell. It can read the hub's folder and other clients' keys, step out from under the \
process by which it is known, play a terminal, and act as you. The hub makes that harder \
(commands that widen rights ask at a terminal, and are refused below every process that the hub \
knows as a client) and visible (each decision records terminal and ancestors).
A client is the process that speaks to the hub with a key, whoever started its pipe, and what is \
above either as part of the same application, so that an editor's own terminal belongs to the \
editor. It is not seen where it comes through a tunnel or out of a container with processes of its \
own, where an editor runs its terminals under another program than the one that speaks to the \
hub, and where the system has no /proc. There the terminal's yes is all that stands: give such \
clients keys with --mode browser.
For a wall: run the agent in a sandbox, or the hub under another account or on another machine.";

/// Arguments of `doctor`.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// One thing looked at.
#[derive(Debug, Serialize)]
struct Check {
    what: String,
    ok: bool,
    found: String,
}

/// Everything looked at.
#[derive(Debug, Serialize)]
struct Report {
    checks: Vec<Check>,
    claim: &'static str,
}

/// Looks; starts and changes nothing.
pub async fn run(_args: Args, context: &Context) -> Result<(), CliError> {
    let mut checks = vec![folder(context), settings(context), store(context).await, clients()];
    checks.push(worker(context));
    checks.extend(hub_itself(context).await);
    let failed = checks.iter().filter(|check| !check.ok).count();
    context.out.answer(&Report { checks, claim: CLAIM }, show);
    match failed {
        0 => Ok(()),
        n => Err(CliError::failed(format!("{n} of the checks found something"))),
    }
}

fn check(what: impl Into<String>, found: Result<String, String>) -> Check {
    let ok = found.is_ok();
    Check { what: what.into(), ok, found: found.unwrap_or_else(|problem| problem) }
}

fn folder(context: &Context) -> Check {
    let root = context.folder.root();
    let found = match std::fs::metadata(root) {
        Err(_) => Ok(format!("{} does not exist yet", root.display())),
        Ok(meta) if meta.permissions().mode() & 0o077 == 0 => Ok(root.display().to_string()),
        Ok(_) => Err(format!("others can look into {0}: chmod 700 {0}", root.display())),
    };
    check("folder", found)
}

fn settings(context: &Context) -> Check {
    let read = Settings::read(&context.folder);
    check("limits", read.map(|_| "readable".to_owned()).map_err(|e| e.message))
}

/// Every page of the database, read beside a hub that may be at work on it.
async fn store(context: &Context) -> Check {
    let folder = context.folder.store();
    let looked = tokio::task::spawn_blocking(move || hub_store::inspect(&folder)).await;
    let found = match looked {
        Ok(Ok(None)) => Ok("none yet".to_owned()),
        Ok(Ok(Some(damage))) if damage.is_empty() => Ok("whole".to_owned()),
        Ok(Ok(Some(damage))) => Err(format!("damaged: {}", damage.join("; "))),
        Ok(Err(error)) => Err(error),
        Err(error) => Err(error.to_string()),
    };
    check("store", found)
}

/// Whether this system tells which processes are clients.
fn clients() -> Check {
    let own = std::process::id();
    let found = match Process::read(own) {
        Some(_) if Process::is_placed(own) => {
            "this system tells below which processes a command runs"
        }
        Some(_) => {
            "this system hides other users' processes: a client is seen as far as they are yours"
        }
        None => "this system does not tell which processes are clients: the terminal alone decides",
    };
    check("gate", Ok(found.to_owned()))
}

/// What confines a worker of the sandbox, tried from inside.
fn worker(context: &Context) -> Check {
    let asked_for = Settings::read(&context.folder).ok().and_then(|settings| settings.sandbox);
    check("sandbox worker", sandbox::tried(asked_for.unwrap_or_default()))
}

async fn hub_itself(context: &Context) -> Vec<Check> {
    if !hub::is_running(context).await {
        let told = "none runs; a client or `capabilities hub start` starts one".to_owned();
        return vec![check("hub", Ok(told))];
    }
    let status = match hub::call_running(context, &AskStatus {}).await {
        Ok(status) => status,
        Err(error) => return vec![check("hub", Err(error.message))],
    };
    let ours = env!("CARGO_PKG_VERSION");
    let version = if status.version == ours {
        Ok(format!("version {ours}, process {}", status.pid))
    } else {
        Err(format!(
            "the running hub is version {}, this program {ours}: restart it with `capabilities \
             hub stop`",
            status.version
        ))
    };
    let loopbacks = match status.addresses.len() {
        2 => Ok("both are the hub's".to_owned()),
        _ => Ok("this machine has only one".to_owned()),
    };
    let mut checks = vec![check("hub", version), check("loopbacks", loopbacks)];
    checks.push(check("sandbox", Ok(status.engine.engine)));
    match hub::call_running(context, &List {}).await {
        Err(error) => checks.push(check("sources", Err(error.message))),
        Ok(sources) => checks.extend(sources.into_iter().map(|view| {
            let found = match view.problem {
                Some(problem) => Err(problem),
                None => Ok(format!("{} tools", view.tools)),
            };
            check(format!("source {}", view.source.name), found)
        })),
    }
    checks
}

fn show(out: &Out, report: &Report) -> String {
    let line = |check: &Check| {
        let mark =
            if check.ok { out.paint(Style::Green, "✓") } else { out.paint(Style::Red, "✗") };
        format!("{mark} {}: {}", check.what, check.found)
    };
    let lines: Vec<_> = report.checks.iter().map(line).collect();
    format!("{}\n\n{}", lines.join("\n"), report.claim)
}
