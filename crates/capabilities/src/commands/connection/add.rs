//! `connection add`: where a credential lies and where it goes, never the credential itself.
//! It passes the gate: a source gets what it did not have, and a command or the environment of
//! a process can do anything.

use crate::config::literal;
use crate::context::Context;
use crate::error::CliError;
use crate::gate::Gate;
use crate::hub;
use hub_core::connection::{Connection, Credential, Placement};
use hub_engine::{NewConnection, SourceView};
use hub_server::api::connections::put::Put;
use hub_server::api::sources::list::List;

/// Arguments of `connection add`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The source
    source: String,
    /// Its name, such as `personal` or `work`
    #[arg(default_value = "personal")]
    name: String,
    /// Sent as a bearer token: env:NAME, file:NAME or command:COMMAND
    #[arg(long, value_name = "REFERENCE")]
    bearer: Option<String>,
    /// Sent as a header, NAME=REFERENCE
    #[arg(long, value_name = "NAME=REFERENCE")]
    header: Vec<String>,
    /// Sent as a query parameter, NAME=REFERENCE
    #[arg(long, value_name = "NAME=REFERENCE")]
    query: Vec<String>,
    /// Put into the environment of the source's process, NAME=REFERENCE
    #[arg(long, value_name = "NAME=REFERENCE")]
    env: Vec<String>,
    /// An environment value that is no secret, NAME=VALUE
    #[arg(long = "plain-env", value_name = "NAME=VALUE")]
    plain_env: Vec<String>,
    /// Use it for calls that name no connection
    #[arg(long)]
    default: bool,
}

/// Where a named credential goes.
type Place = fn(String) -> Placement;

/// Keeps the references.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let mut credentials = Vec::new();
    if let Some(bearer) = &args.bearer {
        credentials.push(credential(Placement::Bearer, bearer)?);
    }
    let placed: [(&[String], Place); 3] = [
        (&args.header, Placement::Header),
        (&args.query, Placement::Query),
        (&args.env, Placement::Env),
    ];
    for (pairs, place) in placed {
        for pair in pairs {
            let (name, reference) = literal::pair(pair)?;
            credentials.push(credential(place(name.to_owned()), reference)?);
        }
    }
    let mut connection = NewConnection {
        source: args.source,
        name: args.name,
        credentials,
        plain_env: Default::default(),
        make_default: args.default,
    };
    for pair in &args.plain_env {
        let (name, value) = literal::pair(pair)?;
        literal::refuse_value(name, value)?;
        connection.plain_env.insert(name.to_owned(), value.to_owned());
    }
    if connection.credentials.is_empty() && connection.plain_env.is_empty() {
        return Err(CliError::usage("a connection without credentials connects nothing")
            .hint("give one: --bearer env:TOKEN, --header NAME=file:NAME, --env NAME=env:NAME"));
    }
    let mut gate = Gate::open(context, "giving a source a credential").await?;
    let sources = hub::call(context, &List {}).await?;
    let facts = facts(&connection, &sources)?;
    gate.confirm(&facts, "give it that?")?;
    let made = hub::call(context, &Put { connection }).await?;
    context.out.answer(&made, |_, made: &Connection| {
        let default = if made.is_default { ", the default" } else { "" };
        format!("{} was kept{default}", made.name)
    });
    Ok(())
}

fn credential(placement: Placement, reference: &str) -> Result<Credential, CliError> {
    Ok(Credential { placement, value: literal::reference(reference)? })
}

/// Who gets what, and what is replaced by it.
fn facts(connection: &NewConnection, sources: &[SourceView]) -> Result<Vec<String>, CliError> {
    let view = sources.iter().find(|view| view.source.name == connection.source);
    let view = view.ok_or_else(|| {
        CliError::not_found(format!("there is no source {}", connection.source))
            .hint("`capabilities source list` shows them")
    })?;
    let origin = view.source.transport.origin();
    let mut facts = vec![format!("{} ({origin}) gets as {}:", connection.source, connection.name)];
    facts.extend(given(connection));
    if view.connections.iter().any(|c| c.name == connection.name) {
        facts.push(format!("in place of what {} is now", connection.name));
    }
    Ok(facts)
}

/// What a connection gives, one line each.
pub fn given(connection: &NewConnection) -> Vec<String> {
    let credentials = connection.credentials.iter().map(|c| format!("  {}", super::list::told(c)));
    let plain = connection.plain_env.iter().map(|(name, value)| format!("  env {name}={value}"));
    credentials.chain(plain).collect()
}
