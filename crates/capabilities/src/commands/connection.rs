//! `connection …`: named credentials of a source, by reference only.

pub mod add;
mod default;
mod list;
mod remove;

use crate::context::Context;
use crate::error::CliError;

/// The verbs.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Add a connection, or give it new credentials
    Add(add::Args),
    /// List a source's connections
    List(list::Args),
    /// Choose the connection of calls that name none
    Default(default::Args),
    /// Remove a connection
    Remove(remove::Args),
}

/// Does `command`.
pub async fn run(command: Command, context: &Context) -> Result<(), CliError> {
    match command {
        Command::Add(args) => add::run(args, context).await,
        Command::List(args) => list::run(args, context).await,
        Command::Default(args) => default::run(args, context).await,
        Command::Remove(args) => remove::run(args, context).await,
    }
}
