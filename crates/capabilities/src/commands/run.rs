//! `run …`: programs that ran or wait.

mod cancel;
mod list;
mod replay;
mod resume;
mod show;

use crate::context::Context;
use crate::error::CliError;

/// The verbs.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// List runs, newest first
    List(list::Args),
    /// Show one run with what happened in it
    Show(show::Args),
    /// Go on with a run
    Resume(resume::Args),
    /// End a run for good
    Cancel(cancel::Args),
    /// Run it again from its journal, sending nothing
    Replay(replay::Args),
}

/// Does `command`.
pub async fn run(command: Command, context: &Context) -> Result<(), CliError> {
    match command {
        Command::List(args) => list::run(args, context).await,
        Command::Show(args) => show::run(args, context).await,
        Command::Resume(args) => resume::run(args, context).await,
        Command::Cancel(args) => cancel::run(args, context).await,
        Command::Replay(args) => replay::run(args, context).await,
    }
}
