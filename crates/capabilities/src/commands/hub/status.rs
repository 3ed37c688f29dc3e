//! `hub status`: whether a hub runs and what it does.

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use crate::output::{Out, Style};
use hub_server::api::hub::status::{AskStatus, HubStatus};

/// Arguments of `hub status`.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Asks the hub; starts none.
pub async fn run(_args: Args, context: &Context) -> Result<(), CliError> {
    let status = hub::call_running(context, &AskStatus {}).await?;
    context.out.answer(&status, show);
    Ok(())
}

fn show(out: &Out, status: &HubStatus) -> String {
    let engine = &status.engine;
    let at: Vec<String> = status.addresses.iter().map(|a| format!("http://{a}/mcp")).collect();
    let waiting = match engine.waiting {
        0 => "nothing waits for you".to_owned(),
        n => out.paint(Style::Yellow, &format!("{n} waiting: capabilities hub approve")),
    };
    format!(
        "{} version {}, process {}, up {} s\n{}\n{} sources with {} tools; {} runs at work; {}\n\
         sandbox {}",
        out.paint(Style::Green, "running"),
        status.version,
        status.pid,
        status.up_ms / 1_000,
        at.join("  "),
        engine.sources,
        engine.tools,
        engine.live_runs,
        waiting,
        engine.engine,
    )
}
