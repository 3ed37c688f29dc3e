//! `secret set`: reads a value where nobody sees it, and keeps it encrypted. It passes the gate
//! where it replaces a value, and where a connection already waits for that name: sources would
//! act as another account.

use crate::context::Context;
use crate::error::CliError;
use crate::gate::{Gate, Terminal};
use crate::hub;
use crate::secrets;
use hub_core::connection::{Connection, Secret, SecretRef};
use hub_server::api::sources::list::List;
use std::io::{IsTerminal, Read};

/// Bytes of one value.
const VALUE_BYTES: u64 = 64 << 10;

/// Arguments of `secret set`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Its name; connections refer to it as file:NAME
    name: String,
}

/// The connections that refer to this name.
async fn used(context: &Context, name: &str) -> Result<Vec<String>, CliError> {
    let reference = SecretRef::File(name.to_owned());
    let sources = hub::call(context, &List {}).await?;
    let users = sources.iter().flat_map(|view| {
        let of = |c: &&Connection| c.credentials.iter().any(|given| given.value == reference);
        let source = &view.source.name;
        view.connections.iter().filter(of).map(move |c| format!("{source} as {}", c.name))
    });
    Ok(users.collect())
}

/// Reads the value from the terminal, or from standard input where that is no terminal.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let replaces = secrets::names(context).await?.contains(&args.name);
    let used = used(context, &args.name).await?;
    if replaces || !used.is_empty() {
        let mut gate = Gate::open(context, "giving sources another secret").await?;
        let mut facts = vec![format!("file:{} gets a new value", args.name)];
        facts.extend(used.into_iter().map(|user| format!("  {user} will use it")));
        gate.confirm(&facts, "go on?")?;
    }
    let value = if std::io::stdin().is_terminal() {
        let mut terminal = Terminal::open()?;
        terminal.ask_hidden(&format!("value of {}: ", args.name))?.unwrap_or_default()
    } else {
        let mut text = String::new();
        std::io::stdin().take(VALUE_BYTES).read_to_string(&mut text)?;
        text.trim_end_matches(['\n', '\r']).to_owned()
    };
    if value.is_empty() {
        return Err(CliError::usage("nothing was kept: the value is empty"));
    }
    secrets::set(context, &args.name, Secret::new(value)).await?;
    let told = serde_json::json!({ "reference": format!("file:{}", args.name) });
    context.out.answer(&told, |_, _| format!("kept; refer to it as file:{}", args.name));
    Ok(())
}
