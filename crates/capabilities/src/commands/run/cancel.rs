//! `run cancel`: ends a run for good. It takes rights away, so no gate stands before it.

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use hub_server::api::runs::cancel::Cancel;

/// Arguments of `run cancel`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The run
    run: String,
}

/// Cancels it.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let done = hub::call(context, &Cancel { id: args.run, by: "terminal".into() }).await?;
    context.out.answer(&done, |_, _| "cancelled".into());
    Ok(())
}
