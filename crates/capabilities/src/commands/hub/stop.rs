//! `hub stop`: ends the hub, and returns once it is gone: another one can start at once.

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use hub_server::api::hub::stop::Stop;

/// Arguments of `hub stop`.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Stops the hub; starts none.
pub async fn run(_args: Args, context: &Context) -> Result<(), CliError> {
    hub::call_running(context, &Stop {}).await?;
    if !hub::is_gone(context).await {
        return Err(CliError::failed("the hub was told to stop, but is still at work"));
    }
    let told = serde_json::json!({ "stopped": true });
    context.out.answer(&told, |_, _| "the hub has stopped".to_owned());
    Ok(())
}
