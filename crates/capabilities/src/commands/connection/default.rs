//! `connection default`.

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use hub_server::api::connections::make_default::MakeDefault;

/// Arguments of `connection default`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The source
    source: String,
    /// The connection
    name: String,
}

/// Makes it the default.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let told = format!("{} uses {} unless a call names another", args.source, args.name);
    let request = MakeDefault { source: args.source, name: args.name };
    let done = hub::call(context, &request).await?;
    context.out.answer(&done, |_, _| told);
    Ok(())
}
