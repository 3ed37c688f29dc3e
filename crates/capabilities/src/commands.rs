//! One file per command: its arguments, and `run`.
//!
//! To add one: the file, a variant in its noun's enum (or in `cli.rs`), and a line in the
//! `match` beside it. Whatever widens rights passes [`crate::gate`] first.

pub mod apply;
pub mod client;
pub mod connection;
pub mod demo;
pub mod describe;
pub mod doctor;
pub mod execute;
pub mod hub;
pub mod import;
pub mod policy;
pub mod reaper;
pub mod run;
pub mod sample_server;
pub mod search;
pub mod secret;
pub mod source;

use crate::cli::Command;
use crate::context::Context;
use crate::error::CliError;

/// Does `command`.
pub async fn run(command: Command, context: &Context) -> Result<(), CliError> {
    match command {
        Command::Hub(command) => hub::run(command, context).await,
        Command::Source(command) => source::run(command, context).await,
        Command::Connection(command) => connection::run(command, context).await,
        Command::Secret(command) => secret::run(command, context).await,
        Command::Policy(command) => policy::run(command, context).await,
        Command::Client(command) => client::run(command, context).await,
        Command::Run(command) => run::run(command, context).await,
        Command::Apply(args) => apply::run(args, context).await,
        Command::Import(args) => import::run(args, context).await,
        Command::Search(args) => search::run(args, context).await,
        Command::Describe(args) => describe::run(args, context).await,
        Command::Execute(args) => execute::run(args, context).await,
        Command::Doctor(args) => doctor::run(args, context).await,
        Command::Demo(args) => demo::run(args, context).await,
        Command::SampleServer(args) => sample_server::run(args).await,
        Command::Reaper(args) => reaper::run(args),
    }
}
