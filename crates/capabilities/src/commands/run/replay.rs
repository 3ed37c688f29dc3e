//! `run replay`: runs a program again from its journal, for debugging. Nothing is sent.

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use hub_server::api::runs::replay::Replay;

/// Arguments of `run replay`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The run
    run: String,
}

/// Replays it and says what came out.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let text = hub::call(context, &Replay { id: args.run }).await?;
    context.out.answer(&text, |_, text| text.clone());
    Ok(())
}
