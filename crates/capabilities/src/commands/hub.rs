//! `hub …`: the hub itself.

mod approve;
mod open;
mod start;
mod status;
mod stdio;
mod stop;

use crate::context::Context;
use crate::error::CliError;

/// The verbs.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Start the hub and stay in the foreground
    Start(start::Args),
    /// Be an MCP server on standard input and output, for clients that start one
    Stdio(stdio::Args),
    /// Show whether a hub runs and what it does
    Status(status::Args),
    /// Stop the hub; runs that wait stay in the store
    Stop(stop::Args),
    /// Open the hub's page in your browser
    Open(open::Args),
    /// Decide what waits for a person
    Approve(approve::Args),
}

/// Does `command`.
pub async fn run(command: Command, context: &Context) -> Result<(), CliError> {
    match command {
        Command::Start(args) => start::run(args, context).await,
        Command::Stdio(args) => stdio::run(args, context).await,
        Command::Status(args) => status::run(args, context).await,
        Command::Stop(args) => stop::run(args, context).await,
        Command::Open(args) => open::run(args, context).await,
        Command::Approve(args) => approve::run(args, context).await,
    }
}
