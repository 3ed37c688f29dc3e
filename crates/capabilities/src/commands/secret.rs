//! `secret …`: values in the hub's encrypted file.

mod list;
mod remove;
mod set;

use crate::context::Context;
use crate::error::CliError;

/// The verbs.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Keep a value under a name, read from the terminal or standard input
    Set(set::Args),
    /// List the names that are kept
    List(list::Args),
    /// Remove one
    Remove(remove::Args),
}

/// Does `command`.
pub async fn run(command: Command, context: &Context) -> Result<(), CliError> {
    match command {
        Command::Set(args) => set::run(args, context).await,
        Command::List(args) => list::run(args, context).await,
        Command::Remove(args) => remove::run(args, context).await,
    }
}
