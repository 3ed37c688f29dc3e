//! `secret remove`. Passes the gate: a name that is free again can be given another value without
//! it, and sources would act as another account.

use crate::context::Context;
use crate::error::CliError;
use crate::gate::Gate;
use crate::secrets;

/// Arguments of `secret remove`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Its name
    name: String,
}

/// Removes it; connections that refer to it wait for another one.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    if secrets::names(context).await?.contains(&args.name) {
        let mut gate = Gate::open(context, "removing a secret").await?;
        let fact = format!("sources that use file:{} will wait for another one", args.name);
        gate.confirm(&[fact], "remove it?")?;
    }
    if !secrets::remove(context, &args.name).await? {
        return Err(CliError::not_found(format!("there is no secret {}", args.name))
            .hint("`capabilities secret list` shows their names"));
    }
    let told = serde_json::json!({ "removed": args.name });
    context.out.answer(&told, |_, _| format!("{} was removed", args.name));
    Ok(())
}
