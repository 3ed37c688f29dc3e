//! The command tree. Arguments of a command stand in its own file.

use crate::commands;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// One endpoint for all your tools: agents search them, read their types and run programs.
#[derive(Debug, Parser)]
#[command(name = "capabilities", version, arg_required_else_help = true)]
pub struct Cli {
    /// Flags of every command.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Flags of every command.
#[derive(Args, Clone, Debug, Default)]
pub struct Global {
    /// The hub's folder (else CAPABILITIES_HOME, else the usual place for data)
    #[arg(long, global = true, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Print JSON, for programs
    #[arg(long, global = true)]
    pub json: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start, stop and look at the hub; decide what waits
    #[command(subcommand)]
    Hub(commands::hub::Command),
    /// Where tools come from
    #[command(subcommand)]
    Source(commands::source::Command),
    /// Named credentials of a source
    #[command(subcommand)]
    Connection(commands::connection::Command),
    /// Values in the hub's encrypted file
    #[command(subcommand)]
    Secret(commands::secret::Command),
    /// Which calls go, ask or never go
    #[command(subcommand)]
    Policy(commands::policy::Command),
    /// Programs that connect to the hub
    #[command(subcommand)]
    Client(commands::client::Command),
    /// Programs that ran or wait
    #[command(subcommand)]
    Run(commands::run::Command),
    /// Make sources, rules and limits as a file says
    Apply(commands::apply::Args),
    /// Take over the servers of another client's configuration
    Import(commands::import::Args),
    /// Find tools by what you want to do
    Search(commands::search::Args),
    /// Read the types of tools
    Describe(commands::describe::Args),
    /// Run a program, or go on with one
    Execute(commands::execute::Args),
    /// Look for what is wrong, and say what the hub protects from
    Doctor(commands::doctor::Args),
    /// See the main job, from search to approval, on a hub of its own
    Demo(commands::demo::Args),
    /// A small issue tracker that speaks MCP on its standard streams, for the demo and for tests
    #[command(hide = true)]
    SampleServer(commands::sample_server::Args),
    /// Starts the hub's child processes and ends them when the hub is gone
    #[command(hide = true)]
    Reaper(commands::reaper::Args),
}
