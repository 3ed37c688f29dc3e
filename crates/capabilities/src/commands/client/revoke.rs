//! `client revoke`.

use crate::clients;
use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use hub_server::api::keys::list::List;
use hub_server::api::keys::revoke::Revoke;

/// Arguments of `client revoke`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Its name, or the id of its key
    client: String,
}

/// Revokes its key.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let keys = hub::call(context, &List {}).await?;
    let done = hub::call(context, &Revoke { key: args.client.clone() }).await?;
    let named = keys.iter().find(|key| key.id.as_str() == args.client);
    clients::forget(context, named.map_or(&args.client, |key| &key.client));
    context.out.answer(&done, |_, _| format!("{} can no longer connect", args.client));
    Ok(())
}
