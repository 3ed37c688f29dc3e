//! `secret remove`.

use crate::context::Context;
use crate::error::CliError;
use crate::secrets;

/// Arguments of `secret remove`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Its name
    name: String,
}

/// Removes it; connections that refer to it wait for another one.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    if !secrets::remove(context, &args.name).await? {
        return Err(CliError::not_found(format!("there is no secret {}", args.name))
            .hint("`capabilities secret list` shows their names"));
    }
    let told = serde_json::json!({ "removed": args.name });
    context.out.answer(&told, |_, _| format!("{} was removed", args.name));
    Ok(())
}
