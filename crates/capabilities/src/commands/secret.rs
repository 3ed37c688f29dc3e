//! `secret …`: values in the hub's encrypted file.

mod set;

use crate::context::Context;
use crate::error::CliError;

/// The verbs.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Keep a value under a name, read from the terminal or standard input
    Set(set::Args),
}

/// Does `command`.
pub async fn run(command: Command, context: &Context) -> Result<(), CliError> {
    match command {
        Command::Set(args) => set::run(args, context).await,
    }
}
