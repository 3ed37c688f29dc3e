//! `source …`: where tools come from.

pub mod add;
mod list;
mod refresh;
mod remove;
mod set;
mod show;

use crate::context::Context;
use crate::error::CliError;

/// The verbs.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Add a source: a command line behind `--`, or a URL
    Add(add::Args),
    /// List the sources
    List(list::Args),
    /// Show one source with its tools
    Show(show::Args),
    /// Read a source's tools again
    Refresh(refresh::Args),
    /// Change how much a source is asked at once, and for how long
    Set(set::Args),
    /// Remove a source with its connections
    Remove(remove::Args),
}

/// Does `command`.
pub async fn run(command: Command, context: &Context) -> Result<(), CliError> {
    match command {
        Command::Add(args) => add::run(args, context).await,
        Command::List(args) => list::run(args, context).await,
        Command::Show(args) => show::run(args, context).await,
        Command::Refresh(args) => refresh::run(args, context).await,
        Command::Set(args) => set::run(args, context).await,
        Command::Remove(args) => remove::run(args, context).await,
    }
}
