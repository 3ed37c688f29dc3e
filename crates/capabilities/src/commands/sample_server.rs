//! `sample-server`: the built-in issue tracker, for the demo and for tests.

use crate::error::CliError;
use crate::sample::{Tracker, serve};
use std::path::PathBuf;

/// Arguments of `sample-server`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Keep the issues in this file instead of in memory
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Append one line per call to this file
    #[arg(long, value_name = "FILE")]
    calls: Option<PathBuf>,
}

/// Serves until standard input ends.
pub async fn run(args: Args) -> Result<(), CliError> {
    let tracker = Tracker::open(args.state).map_err(|e| CliError::failed(e.to_string()))?;
    serve(tracker, args.calls).await.map_err(CliError::failed)
}
