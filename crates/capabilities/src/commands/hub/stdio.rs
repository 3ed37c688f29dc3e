//! `hub stdio`: a thin pipe between a client's standard streams and the hub's socket.
//!
//! The hub is started in the background where none runs; it is never inside this process, so
//! that clients come and go without ending anything.

use crate::clients;
use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use hub_server::{Hello, UrlChoice};
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, copy, copy_buf};
use tokio::net::UnixStream;

/// Arguments of `hub stdio`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The client whose key is used (`client connect` made it); else the local server key
    #[arg(long, value_name = "NAME")]
    client: Option<String>,
    /// Leave results out of the line of text, for clients that hand over structured content
    #[arg(long)]
    summary: bool,
    /// Always ask on the hub's page or in a terminal, never by a form of the client
    #[arg(long)]
    browser: bool,
}

/// Copies both ways until either side ends.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    // Standard output belongs to MCP, and a client shows standard error to nobody.
    hub::ensure(context).await?;
    let key = clients::key(context, args.client.as_deref())?;
    let stream = UnixStream::connect(context.folder.mcp_socket()).await.map_err(|error| {
        CliError::no_hub(format!("the hub's socket for clients does not answer: {error}"))
    })?;
    let (from_hub, mut to_hub) = stream.into_split();
    let choice = UrlChoice { browser: args.browser, summary: args.summary };
    let hello = Hello { key, client: args.client, choice };
    to_hub.write_all(hello.line().as_bytes()).await?;

    let mut from_hub = BufReader::new(from_hub);
    let (mut stdin, mut stdout) = (tokio::io::stdin(), tokio::io::stdout());
    let hung_up = AtomicBool::new(false);
    let up = async {
        copy(&mut stdin, &mut to_hub).await?;
        hung_up.store(true, Ordering::SeqCst);
        to_hub.shutdown().await?;
        // Answers may still be on their way: only the hub's end ends the pipe.
        std::future::pending::<std::io::Result<()>>().await
    };
    let down = async {
        let mut first = Vec::new();
        from_hub.read_until(b'\n', &mut first).await?;
        stdout.write_all(&first).await?;
        stdout.flush().await?;
        let more = copy_buf(&mut from_hub, &mut stdout).await?;
        stdout.flush().await?;
        Ok::<_, std::io::Error>((more == 0).then(|| refusal(&first)).flatten())
    };
    let refused = tokio::select! {
        ended = up => ended.map(|()| None),
        refused = down => refused,
    };
    let error = match refused {
        Ok(Some(reason)) => CliError::refused(reason),
        Ok(None) if hung_up.load(Ordering::SeqCst) => std::process::exit(0),
        Ok(None) => CliError::no_hub("the hub went away"),
        Err(error) => error.into(),
    };
    context.out.error(&error);
    // A read of standard input cannot be cancelled; the process ends without waiting for it.
    std::process::exit(error.kind.code().into())
}

/// Why the hub refused the pipe: then its only line is an error that answers no request.
fn refusal(line: &[u8]) -> Option<String> {
    let said: serde_json::Value = serde_json::from_slice(line).ok()?;
    let reason = said["error"]["message"].as_str()?;
    said["id"].is_null().then(|| reason.to_owned())
}
