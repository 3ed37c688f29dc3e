//! `run resume`: goes on with a run, as if its owner had asked.

use crate::context::Context;
use crate::error::CliError;
use crate::{envelope, hub};
use hub_server::api::runs::resume::Resume;

/// Arguments of `run resume`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The run
    run: String,
}

/// Goes on and shows the envelope.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let mut told = hub::call(context, &Resume { id: args.run }).await?;
    while let Some(id) = envelope::running(&told) {
        told = hub::call(context, &Resume { id }).await?;
    }
    envelope::show(context, &told)
}
