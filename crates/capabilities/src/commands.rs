//! One file per command: its arguments, and `run`.

pub mod sample_server;

use crate::cli::Command;
use crate::context::Context;
use crate::error::CliError;

/// Does `command`.
pub async fn run(command: Command, _context: &Context) -> Result<(), CliError> {
    match command {
        Command::SampleServer(args) => sample_server::run(args).await,
    }
}
