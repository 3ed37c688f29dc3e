//! `connection remove`.

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use hub_server::api::connections::remove::Remove;

/// Arguments of `connection remove`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The source
    source: String,
    /// The connection
    name: String,
}

/// Removes it; no other becomes the default.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let told = format!("{} was removed", args.name);
    let done = hub::call(context, &Remove { source: args.source, name: args.name }).await?;
    context.out.answer(&done, |_, _| told);
    Ok(())
}
