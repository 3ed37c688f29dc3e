//! `secret list`: names, never values.

use crate::context::Context;
use crate::error::CliError;
use crate::secrets;

/// Arguments of `secret list`.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Lists the names.
pub async fn run(_args: Args, context: &Context) -> Result<(), CliError> {
    let names = secrets::names(context).await?;
    context.out.answer(names.as_slice(), |_, names| match names {
        [] => "no secrets".to_owned(),
        names => names.join("\n"),
    });
    Ok(())
}
