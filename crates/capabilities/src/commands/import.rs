//! `import`: takes over the servers of another client's configuration. Each command line is
//! shown and asked about; secrets that stand there in clear move into the encrypted file, or
//! stay behind.

use super::source::add::{inherited, surroundings};
use crate::config::import::{FILE_BYTES, Found, Given, parse};
use crate::context::Context;
use crate::error::CliError;
use crate::gate::{Gate, Terminal};
use crate::{hub, secrets};
use hub_core::connection::{Credential, Placement, SecretRef};
use hub_engine::{NewConnection, NewSource};
use hub_server::api::connections::put::Put;
use hub_server::api::sources::keep::Keep;
use serde::Serialize;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Connection that takes what the file gave.
const CONNECTION: &str = "personal";

/// Arguments of `import`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The other client's configuration file
    file: PathBuf,
}

/// What became of a server.
#[derive(Debug, Serialize)]
struct Imported {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
    added: bool,
}

/// Reads, shows, asks, adds.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let found = parse(&read(&args.file)?)?;
    let mut gate = Gate::open(context, "taking over another client's servers").await?;
    let mut imported = Vec::new();
    for server in found {
        let name = server.name.clone();
        let origin = server.refused.is_none().then(|| server.transport.origin());
        let added = one(context, &mut gate.terminal, server).await?;
        imported.push(Imported { name, origin, added });
    }
    context.out.answer(&imported, |_, imported| {
        let line =
            |i: &Imported| format!("{} {}", if i.added { "added" } else { "left out" }, i.name);
        imported.iter().map(line).collect::<Vec<_>>().join("\n")
    });
    context.out.note("read their tools: capabilities source refresh NAME");
    Ok(())
}

async fn one(context: &Context, terminal: &mut Terminal, found: Found) -> Result<bool, CliError> {
    terminal.say("")?;
    terminal.say(&found.name)?;
    if let Some(why) = &found.refused {
        // Its command line is not repeated here either.
        terminal.say(&format!("  left out: {why}"))?;
        return Ok(false);
    }
    terminal.say(&format!("  {}", found.transport.origin()))?;
    for line in
        surroundings(&found.transport).into_iter().chain(inherited(context, &found.name).await?)
    {
        terminal.say(&line)?;
    }
    for note in &found.notes {
        terminal.say(&format!("  note: {note}"))?;
    }
    if !yes(terminal, "take it over?")? {
        return Ok(false);
    }
    let mut credentials = Vec::new();
    for (placement, given) in found.credentials {
        if let Some(value) = reference(context, terminal, &found.name, &placement, given).await? {
            credentials.push(Credential { placement, value });
        }
    }
    let source = NewSource {
        name: found.name.clone(),
        transport: found.transport,
        trusted: true,
        effects: Default::default(),
        timeout_ms: None,
        concurrency: None,
        from_file: false,
    };
    hub::call(context, &Keep { source }).await?;
    if !credentials.is_empty() {
        let connection = NewConnection {
            source: found.name,
            name: CONNECTION.to_owned(),
            credentials,
            plain_env: Default::default(),
            make_default: true,
        };
        hub::call(context, &Put { connection }).await?;
    }
    Ok(true)
}

/// Where the value will lie; none where it stays behind.
async fn reference(
    context: &Context,
    terminal: &mut Terminal,
    source: &str,
    placement: &Placement,
    given: Given,
) -> Result<Option<SecretRef>, CliError> {
    let what = match placement {
        Placement::Bearer => "bearer".to_owned(),
        Placement::Header(name) | Placement::Query(name) | Placement::Env(name) => name.clone(),
    };
    match given {
        Given::Reference(reference) => {
            terminal.say(&format!("  {what} from {reference}"))?;
            Ok(Some(reference))
        }
        Given::Asked(input) => {
            terminal.say(&format!(
                "  {what} is asked for by that client ({input}); give it with: capabilities \
                 connection add {source}"
            ))?;
            Ok(None)
        }
        Given::Literal(value) => {
            let name = format!("{source}.{what}");
            let question = format!("{what} stands there in clear: move it to file:{name}?");
            if !yes(terminal, &question)? {
                terminal.say("  it stays behind; the source may not work without it")?;
                return Ok(None);
            }
            secrets::set(context, &name, value).await?;
            Ok(Some(SecretRef::File(name)))
        }
    }
}

fn yes(terminal: &mut Terminal, question: &str) -> Result<bool, CliError> {
    let answer = terminal.ask(&format!("  {question} [yes/no] "))?;
    Ok(matches!(answer.as_deref(), Some("yes" | "y")))
}

fn read(path: &Path) -> Result<String, CliError> {
    let unreadable =
        |e: std::io::Error| CliError::usage(format!("cannot read {}: {e}", path.display()));
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let read = file.take(FILE_BYTES + 1).read_to_string(&mut text).map_err(unreadable)?;
    if read as u64 > FILE_BYTES {
        return Err(CliError::usage("this file is too large for a configuration"));
    }
    Ok(text)
}
