//! `source refresh`.

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use crate::output::Out;
use hub_engine::Refreshed;
use hub_server::api::sources::refresh::Refresh;

/// Arguments of `source refresh`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Its name
    name: String,
}

/// Reads its tools again.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    context.out.note(&format!("asking {} …", args.name));
    let refreshed = hub::call(context, &Refresh { name: args.name }).await?;
    context.out.answer(&refreshed, show);
    Ok(())
}

/// What changed.
pub fn show(out: &Out, refreshed: &Refreshed) -> String {
    let mut lines = super::show::heading(out, &refreshed.view);
    let changes =
        [("new", &refreshed.added), ("gone", &refreshed.removed), ("changed", &refreshed.changed)];
    for (what, addresses) in changes {
        if !addresses.is_empty() {
            lines.push(format!("  {what}: {}", addresses.join(", ")));
        }
    }
    lines.join("\n")
}
