//! `policy …`: which calls go, ask or never go.

mod explain;
mod history;
mod list;
mod set;
mod unset;

pub use list::{only, word};

use crate::context::Context;
use crate::error::CliError;

/// The verbs.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// List the rules in order of precedence
    List(list::Args),
    /// Write a rule
    Set(set::Args),
    /// Remove a rule
    Unset(unset::Args),
    /// Say which rule decides about an address, and why
    Explain(explain::Args),
    /// List who changed which rule when
    History(history::Args),
}

/// Does `command`.
pub async fn run(command: Command, context: &Context) -> Result<(), CliError> {
    match command {
        Command::List(args) => list::run(args, context).await,
        Command::Set(args) => set::run(args, context).await,
        Command::Unset(args) => unset::run(args, context).await,
        Command::Explain(args) => explain::run(args, context).await,
        Command::History(args) => history::run(args, context).await,
    }
}
