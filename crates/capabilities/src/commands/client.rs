//! `client …`: programs that connect to the hub, each with a key of its own.

mod connect;
mod list;
mod revoke;

use crate::context::Context;
use crate::error::CliError;

/// The verbs.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Make a key for a client and show how to configure it
    Connect(connect::Args),
    /// List the clients
    List(list::Args),
    /// Take a client's key away
    Revoke(revoke::Args),
}

/// Does `command`.
pub async fn run(command: Command, context: &Context) -> Result<(), CliError> {
    match command {
        Command::Connect(args) => connect::run(args, context).await,
        Command::List(args) => list::run(args, context).await,
        Command::Revoke(args) => revoke::run(args, context).await,
    }
}
