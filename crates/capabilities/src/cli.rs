//! The command tree. Arguments of a command stand in its own file.

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
    /// A small issue tracker that speaks MCP on its standard streams, for the demo and for tests
    #[command(hide = true)]
    SampleServer(crate::commands::sample_server::Args),
}
