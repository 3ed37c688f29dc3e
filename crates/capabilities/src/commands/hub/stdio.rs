//! `hub stdio`: a thin pipe between a client's standard streams and the hub's socket.
//!
//! The hub is started in the background where none runs; it is never inside this process, so
//! that clients come and go without ending anything.

use crate::clients;
use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use hub_server::{Hello, UrlChoice};
use tokio::io::{AsyncWriteExt, copy};
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
    let (mut from_hub, mut to_hub) = stream.into_split();
    let choice = UrlChoice { browser: args.browser, summary: args.summary };
    let hello = Hello { key, client: args.client, choice };
    to_hub.write_all(hello.line().as_bytes()).await?;

    let (mut stdin, mut stdout) = (tokio::io::stdin(), tokio::io::stdout());
    let up = async {
        copy(&mut stdin, &mut to_hub).await?;
        to_hub.shutdown().await?;
        // Answers may still be on their way: only the hub's end ends the pipe.
        std::future::pending::<std::io::Result<()>>().await
    };
    let down = async {
        copy(&mut from_hub, &mut stdout).await?;
        stdout.flush().await
    };
    tokio::select! {
        ended = up => ended?,
        ended = down => ended?,
    }
    // A read of standard input cannot be cancelled; the process ends without waiting for it.
    std::process::exit(0)
}
