//! `reaper`: the small process that starts sources' processes and ends them when the hub is
//! gone, however it went.

use crate::error::CliError;

/// Arguments of `reaper`.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Works until its hub has gone, then ends the process.
pub fn run(_args: Args) -> Result<(), CliError> {
    hub_upstream::reaper_main()
}
