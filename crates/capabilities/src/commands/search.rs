//! `search`: the agent's tool, from the terminal.

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use hub_server::api::tools::search::Search;

/// Arguments of `search`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// What you want to do; nothing lists the namespaces
    query: Vec<String>,
    /// Only in this namespace
    #[arg(long, short)]
    namespace: Option<String>,
}

/// Prints what an agent would read.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let search = Search { query: args.query.join(" "), namespace: args.namespace };
    let text = hub::call(context, &search).await?;
    context.out.answer(&text, |_, text| text.trim_end().to_owned());
    Ok(())
}
