//! The running hub, as commands reach it: through its socket, and started in the background
//! where none runs.

use crate::context::Context;
use crate::error::CliError;
use crate::logs;
use hub_server::api::Call;
use hub_server::client::{self, CallError};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Bytes of a hub's last words that are shown when it could not start.
const LAST_WORDS_BYTES: usize = 2_000;
/// How long a hub may take to start, or to let runs come to rest when it stops.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks at the store's lock.
const PAUSE: Duration = Duration::from_millis(10);
/// How often one is started before its last words are told: another process may be faster.
const STARTS: u32 = 2;

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
///
/// Whoever holds the store's lock is the hub: one that starts or stops is waited for, so that
/// any number of processes may come here at once.
pub async fn ensure(context: &Context) -> Result<(), CliError> {
    let began = Instant::now();
    let mut starts = 0;
    while starts < STARTS {
        if is_running(context).await {
            return Ok(());
        }
        if hub_store::is_held(&context.folder.store()) {
            if began.elapsed() > PATIENCE {
                return Err(CliError::no_hub("a hub holds the store and does not answer")
                    .hint(format!("its log is {}", context.folder.log().display())));
            }
            tokio::time::sleep(PAUSE).await;
            continue;
        }
        starts += 1;
        if tokio::task::block_in_place(|| start(context))? {
            let told = "a hub was started in the background (`capabilities hub stop` ends it)";
            context.out.note(told);
            return Ok(());
        }
    }
    let words = last_words(context);
    Err(CliError::no_hub(format!("the hub did not start: {words}"))
        .hint(format!("its log is {}", context.folder.log().display())))
}

/// Waits until no process holds the store any more; whether that came in time.
pub async fn is_gone(context: &Context) -> bool {
    let began = Instant::now();
    while hub_store::is_held(&context.folder.store()) {
        if began.elapsed() > PATIENCE {
            return false;
        }
        tokio::time::sleep(PAUSE).await;
    }
    true
}

/// Starts one and waits until it listens or has ended. Whether it listens.
fn start(context: &Context) -> Result<bool, CliError> {
    context.folder.create()?;
    logs::turn(&context.folder.log())?;
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
