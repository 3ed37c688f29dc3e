//! `client revoke`.

use crate::clients;
use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use hub_server::api::keys::revoke::Revoke;

/// Arguments of `client revoke`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Its name, or the id of its key
    client: String,
}

/// Revokes its key.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let done = hub::call(context, &Revoke { key: args.client.clone() }).await?;
    clients::forget(context, &args.client);
    context.out.answer(&done, |_, _| format!("{} can no longer connect", args.client));
    Ok(())
}
