//! `hub open`: the hub's page in the person's browser. It passes the gate: the page can decide.

use crate::context::Context;
use crate::error::CliError;
use crate::gate::Gate;
use crate::hub;
use crate::screen::Browser;
use hub_server::api::hub::open::Open;

/// Arguments of `hub open`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The page of this run; else everything that waits
    run: Option<String>,
}

/// Opens it. The way in is in a file that only this user can read, and works once.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    Gate::open(context, "opening the hub's page").await?;
    let file = hub::call(context, &Open { run: args.run }).await?;
    if !Browser::find(&context.environment, true).open(&file) {
        return Err(CliError::failed("this machine shows no browser")
            .hint("decide in the terminal: capabilities hub approve"));
    }
    let told = serde_json::json!({ "opened": true });
    context.out.answer(&told, |_, _| "opened in your browser".to_owned());
    Ok(())
}
