//! `connection default`. Passes the gate: calls that name no connection go as another account.

use crate::context::Context;
use crate::error::CliError;
use crate::gate::Gate;
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
    let mut gate = Gate::open(context, "choosing the account that calls go as").await?;
    gate.confirm(&[format!("from now on {told}")], "choose it?")?;
    let request = MakeDefault { source: args.source, name: args.name };
    let done = hub::call(context, &request).await?;
    context.out.answer(&done, |_, _| told);
    Ok(())
}
