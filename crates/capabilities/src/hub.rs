//! The running hub, as commands reach it: through its socket, and started in the background
//! where none runs.

use crate::context::Context;
use crate::error::CliError;
use hub_server::api::Call;
use hub_server::client::{self, CallError};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Command, Stdio};

/// Bytes of a hub's last words that are shown when it could not start.
const LAST_WORDS_BYTES: usize = 2_000;

/// Calls the hub; starts one in the background where none runs.
pub async fn call<C: Call>(context: &Context, request: &C) -> Result<C::Answer, CliError> {
    match client::call(&context.folder.hub_socket(), request).await {
        Err(CallError::NoHub(_)) => {
            ensure(context).await?;
            Ok(client::call(&context.folder.hub_socket(), request).await?)
        }
        answer => Ok(answer?),
    }
}

/// Calls the hub if one runs.
pub async fn call_running<C: Call>(context: &Context, request: &C) -> Result<C::Answer, CliError> {
    Ok(client::call(&context.folder.hub_socket(), request).await?)
}

/// Whether a hub listens.
pub async fn is_running(context: &Context) -> bool {
    tokio::net::UnixStream::connect(context.folder.hub_socket()).await.is_ok()
}

/// Starts a hub in the background unless one runs. It outlives this process.
pub async fn ensure(context: &Context) -> Result<(), CliError> {
    if is_running(context).await {
        return Ok(());
    }
    let started = tokio::task::block_in_place(|| start(context))?;
    // Another process may have been faster: then ours gave up, and theirs answers.
    if started || is_running(context).await {
        context.out.note("a hub was started in the background (`capabilities hub stop` ends it)");
        return Ok(());
    }
    let words = last_words(context);
    Err(CliError::no_hub(format!("the hub did not start: {words}"))
        .hint(format!("its log is {}", context.folder.log().display())))
}

/// Starts one and waits until it listens or has ended. Whether it listens.
fn start(context: &Context) -> Result<bool, CliError> {
    context.folder.create()?;
    // Appended: another process may be starting the same hub at this moment.
    let log = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(context.folder.log())?;
    let mut child = Command::new(std::env::current_exe()?)
        .arg("--home")
        .arg(context.folder.root())
        .args(["hub", "start", "--background"])
        .current_dir(context.folder.root())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()?;
    // It closes its standard output or writes one line there once it listens.
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut line)?;
    }
    Ok(!line.is_empty())
}

fn last_words(context: &Context) -> String {
    let text = std::fs::read_to_string(context.folder.log()).unwrap_or_default();
    let from = text.len().saturating_sub(LAST_WORDS_BYTES);
    let from = (from..text.len()).find(|&i| text.is_char_boundary(i)).unwrap_or(text.len());
    let last = text[from..].lines().rfind(|l| !l.trim().is_empty());
    last.unwrap_or("it said nothing").trim_start_matches("error: ").to_owned()
}
