//! `execute`: the agent's tool, from the terminal.

use crate::context::Context;
use crate::error::CliError;
use crate::{envelope, hub};
use hub_server::api::tools::execute::Execute;
use std::io::Read;
use std::path::PathBuf;

/// Arguments of `execute`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The program: body of an async function; `-` reads it from standard input
    #[arg(required_unless_present_any = ["file", "resume"])]
    code: Option<String>,
    /// Read the program from this file
    #[arg(long, short, conflicts_with = "code")]
    file: Option<PathBuf>,
    /// Go on with this run (`last` for the newest)
    #[arg(long, value_name = "RUN", conflicts_with_all = ["code", "file"])]
    resume: Option<String>,
}

/// Runs it and shows the envelope.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let what = match (args.resume, args.file, args.code) {
        (Some(run), _, _) => Execute::Resume(run),
        (None, Some(path), _) => Execute::Code(read(&path)?),
        (None, None, Some(code)) if code == "-" => Execute::Code(read_stdin()?),
        (None, None, code) => Execute::Code(code.unwrap_or_default()),
    };
    let mut told = hub::call(context, &what).await?;
    while let Some(run) = envelope::running(&told) {
        told = hub::call(context, &Execute::Resume(run)).await?;
    }
    envelope::show(context, &told)
}

fn read(path: &std::path::Path) -> Result<String, CliError> {
    std::fs::read_to_string(path)
        .map_err(|e| CliError::usage(format!("cannot read {}: {e}", path.display())))
}

fn read_stdin() -> Result<String, CliError> {
    let mut code = String::new();
    std::io::stdin().read_to_string(&mut code)?;
    Ok(code)
}
