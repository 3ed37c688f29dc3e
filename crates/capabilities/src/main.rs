//! The command line of the hub.
//!
//! This crate reads the environment, the terminal and the wall clock, and hands them to the
//! others as values; it wires the ports to their implementations ([`wire`]) and prints.
//! A command is a file under `commands/`: its arguments, and one function that does it.

mod cli;
mod clients;
mod commands;
mod config;
mod context;
mod envelope;
mod environment;
mod error;
mod folder;
mod gate;
mod hub;
mod local_key;
mod logs;
mod output;
mod sample;
mod sandbox;
mod screen;
mod secrets;
mod system;
mod tasks;
mod wire;

use clap::Parser;
use std::process::ExitCode;

/// Counts the memory of a guest where this program serves as a sandbox worker, and nothing else.
#[cfg(target_os = "linux")]
#[global_allocator]
static MEMORY: hub_sandbox::WorkerMemory = hub_sandbox::WorkerMemory;

/// As the first argument: this process is a worker of the sandbox, before it is anything else.
const SANDBOX_WORKER: &str = "sandbox-worker";

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if std::env::args().nth(1).as_deref() == Some(SANDBOX_WORKER) {
        let rest: Vec<String> = std::env::args().skip(2).collect();
        hub_sandbox::worker_main(&rest);
    }
    let cli = cli::Cli::parse();
    let context = match context::Context::new(&cli.global) {
        Ok(context) => context,
        Err(error) => return error.report(&output::Out::new(cli.global.json, true)),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let done = match runtime {
        Ok(runtime) => runtime.block_on(commands::run(cli.command, &context)),
        Err(error) => Err(error::CliError::internal(format!("cannot start a runtime: {error}"))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(&context.out),
    }
}
