//! `secret set`: reads a value where nobody sees it, and keeps it encrypted. Replacing one passes
//! the gate: sources that use it would act as another account.

use crate::context::Context;
use crate::error::CliError;
use crate::gate::{Gate, Terminal};
use crate::secrets;
use hub_core::connection::Secret;
use std::io::{IsTerminal, Read};

/// Bytes of one value.
const VALUE_BYTES: u64 = 64 << 10;

/// Arguments of `secret set`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Its name; connections refer to it as file:NAME
    name: String,
}

/// Reads the value from the terminal, or from standard input where that is no terminal.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    if secrets::names(context).await?.contains(&args.name) {
        let mut gate = Gate::open(context, "replacing a secret").await?;
        let fact = format!("sources that use file:{} will use the new value", args.name);
        gate.confirm(&[fact], "replace it?")?;
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
