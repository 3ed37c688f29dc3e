//! `source remove`.

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use hub_server::api::sources::remove::Remove;

/// Arguments of `source remove`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Its name
    name: String,
}

/// Removes it with its connections.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let name = args.name.clone();
    let done = hub::call(context, &Remove { name: args.name }).await?;
    context.out.answer(&done, |_, _| format!("{name} was removed"));
    Ok(())
}
