//! `client list`.

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use crate::output::Out;
use hub_core::owner::ClientKey;
use hub_server::api::keys::list::List;

/// Arguments of `client list`.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Lists the keys.
pub async fn run(_args: Args, context: &Context) -> Result<(), CliError> {
    let keys = hub::call(context, &List {}).await?;
    context.out.answer(keys.as_slice(), show);
    Ok(())
}

fn show(out: &Out, keys: &[ClientKey]) -> String {
    let row = |key: &ClientKey| {
        vec![
            key.client.clone(),
            crate::commands::policy::word(&key.mode),
            if key.revoked_at.is_some() { "revoked" } else { "valid" }.to_owned(),
            key.id.to_string(),
        ]
    };
    let rows: Vec<_> = keys.iter().map(row).collect();
    out.table(&["CLIENT", "ASKS BY", "STATE", "KEY"], &rows, "no clients yet")
}
