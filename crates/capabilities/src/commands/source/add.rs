//! `source add`: a command line or a URL. A command passes the gate: it will run as the user.
//! A URL is added without a question, but not from below a client unless it is `--untrusted`:
//! whoever adds a source believes what its tools say of themselves. Where rules already let calls
//! under its name go, such as those of a source that was removed, it passes the gate in any case.

use crate::config::literal;
use crate::context::Context;
use crate::error::CliError;
use crate::gate::Gate;
use crate::hub;
use hub_core::catalog::Transport;
use hub_core::policy::Rule;
use hub_engine::NewSource;
use hub_server::api::sources::add::Add;
use hub_server::api::{policy, sources};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Arguments of `source add`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Its name; its tools stand under it in code
    name: String,
    /// Streamable HTTP endpoint of an MCP server
    #[arg(long, conflicts_with = "command")]
    url: Option<String>,
    /// Do not believe what its tools say of themselves: every call asks
    #[arg(long)]
    untrusted: bool,
    /// An environment value that is no secret, NAME=VALUE
    #[arg(long = "plain-env", value_name = "NAME=VALUE")]
    plain_env: Vec<String>,
    /// Working directory of the command
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Seconds one call may take
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// Calls on their way to it at once; see `source set`
    #[arg(long, value_name = "CALLS")]
    concurrency: Option<usize>,
    /// The command line of a stdio server, behind `--`
    #[arg(last = true)]
    command: Vec<String>,
}

/// Adds it and reads its tools.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let name = args.name.clone();
    let transport = transport(&args)?;
    let rules = inherited(context, &name).await?;
    let runs = matches!(transport, Transport::Stdio { .. });
    if runs || !rules.is_empty() {
        let mut gate = Gate::open(context, "adding a source").await?;
        let does = match runs {
            true => "will run this command as you, whenever its tools are used:",
            false => "will be called here:",
        };
        let mut facts = vec![format!("{name} {does}"), format!("  {}", transport.origin())];
        facts.extend(surroundings(&transport));
        facts.extend(rules);
        gate.confirm(&facts, "add it?")?;
    }
    let source = NewSource {
        name,
        transport,
        trusted: !args.untrusted,
        effects: BTreeMap::new(),
        timeout_ms: args.timeout.map(|s| s.saturating_mul(1_000)),
        concurrency: args.concurrency,
        from_file: false,
    };
    context.out.note(&format!("asking {} for its tools …", source.name));
    let refreshed = hub::call(context, &Add { source }).await?;
    context.out.answer(&refreshed, super::refresh::show);
    Ok(())
}

/// The rules that will let its calls go without asking, one line each.
pub async fn inherited(context: &Context, name: &str) -> Result<Vec<String>, CliError> {
    let views = hub::call(context, &policy::list::List {}).await?;
    let sources = hub::call(context, &sources::list::List {}).await?;
    let rules: Vec<Rule> = views.into_iter().map(|view| view.rule).collect();
    Ok(sources::add::inherited(name, &sources, &rules).map(lets_go).collect())
}

/// Such a rule, for people.
pub fn lets_go(rule: &Rule) -> String {
    format!("  its calls go without asking by a rule that is there: allow {}", rule.pattern)
}

fn transport(args: &Args) -> Result<Transport, CliError> {
    if let Some(url) = &args.url {
        literal::refuse_in_url(url)?;
        return Ok(Transport::Http { url: url.clone() });
    }
    let Some((command, rest)) = args.command.split_first() else {
        return Err(CliError::usage("a source is a URL (--url) or a command line behind --")
            .hint("capabilities source add files -- npx -y SERVER DIRECTORY"));
    };
    literal::refuse_in_arguments(rest)?;
    let mut env = BTreeMap::new();
    for pair in &args.plain_env {
        let (name, value) = literal::pair(pair)?;
        literal::refuse_value(name, value)?;
        env.insert(name.to_owned(), value.to_owned());
    }
    let cwd = args.cwd.as_ref().map(std::path::absolute).transpose()?;
    Ok(Transport::Stdio {
        command: located(command)?,
        args: rest.to_vec(),
        env,
        cwd: cwd.map(|d| d.to_string_lossy().into_owned()),
    })
}

/// A path is meant from here, while the hub runs elsewhere; a bare name is looked up there.
fn located(command: &str) -> Result<String, CliError> {
    if !command.contains('/') {
        return Ok(command.to_owned());
    }
    Ok(std::path::absolute(command)?.to_string_lossy().into_owned())
}

/// What else decides what a command does, one line each.
pub fn surroundings(transport: &Transport) -> Vec<String> {
    let Transport::Stdio { env, cwd, .. } = transport else { return Vec::new() };
    let env = env.iter().map(|(name, value)| format!("  with {name}={value}"));
    env.chain(cwd.iter().map(|folder| format!("  in {folder}"))).collect()
}
