//! `describe`: the agent's tool, from the terminal.

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use hub_server::api::tools::describe::Describe;

/// Arguments of `describe`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Addresses, namespaces or types
    #[arg(required = true)]
    targets: Vec<String>,
}

/// Prints what an agent would read.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let text = hub::call(context, &Describe { targets: args.targets }).await?;
    context.out.answer(&text, |_, text| text.trim_end().to_owned());
    Ok(())
}
