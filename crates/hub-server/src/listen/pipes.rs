//! `mcp.sock`: each connection says who it is in its first line, then speaks MCP, one message
//! per line.

use crate::door::Door;
use crate::listen::socket::Socket;
use crate::mcp::serve_lines;
use crate::mcp::surface::Surface;
use crate::mcp::url::UrlChoice;
use crate::mcp::{Line, read_line};
use crate::peers::{self, Clients};
use axum::serve::Listener;
use hub_core::limits::{HELLO_BYTES, HELLO_MS, STREAM_SESSIONS};
use hub_core::owner::ClientKey;
use rmcp::ErrorData;
use rmcp::model::{ErrorCode, ServerJsonRpcMessage};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::io::{AsyncBufRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// The first line of a pipe. Nothing is answered to it unless it is refused: then one JSON-RPC
/// error comes, and the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The key's token.
    pub key: String,
    /// What the client calls itself, for the log.
    #[serde(default)]
    pub client: Option<String>,
    /// What a URL would choose.
    #[serde(flatten)]
    pub choice: UrlChoice,
}

impl Hello {
    /// The line, with its end.
    pub fn line(&self) -> String {
        // Texts and booleans: this cannot fail.
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }
}

/// An error code of ours lies outside the range that JSON-RPC keeps for itself.
const REFUSED: ErrorCode = ErrorCode(1);

/// Serves pipes until `stop`, then waits until all have ended; `ended` ends them.
pub async fn serve(
    socket: Socket,
    surface: Surface,
    clients: Clients,
    stop: CancellationToken,
    ended: CancellationToken,
) {
    let (_file, mut listener) = socket.into_parts();
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            Some(_) = open.join_next() => {}
            (stream, _) = listener.accept() => {
                if open.len() < STREAM_SESSIONS {
                    open.spawn(one(stream, surface.clone(), clients.clone(), ended.clone()));
                } else {
                    refuse(stream, "too many pipes are open; close some clients").await;
                }
            }
        }
    }
    while open.join_next().await.is_some() {}
}

async fn one(stream: UnixStream, surface: Surface, clients: Clients, ended: CancellationToken) {
    let pid = peers::pid(&stream);
    let (read, write) = stream.into_split();
    let mut read = BufReader::new(read);
    let patience = Duration::from_millis(HELLO_MS);
    let door = surface.door();
    let hello = match tokio::time::timeout(patience, hello(&mut read, door.as_ref())).await {
        Ok(hello) => hello,
        Err(_) => Err("the first line did not come in time"),
    };
    match hello {
        Ok((key, choice)) => {
            clients.piped(pid, &key).await;
            tracing::info!(client = key.client, "a pipe opened");
            serve_lines(surface, key, choice, read, write, ended).await;
        }
        Err(reason) => {
            refuse(write, reason).await;
        }
    }
}

/// One line, so short that it never has to wait for the other side to read.
async fn refuse(mut write: impl AsyncWrite + Unpin, reason: &'static str) {
    tracing::warn!(reason, "a pipe was refused");
    let error = ErrorData::new(REFUSED, reason, None);
    let mut line =
        serde_json::to_vec(&ServerJsonRpcMessage::error(error, None)).unwrap_or_default();
    line.push(b'\n');
    // It may have gone already.
    let _ = write.write_all(&line).await;
}

async fn hello(
    read: &mut (impl AsyncBufRead + Unpin),
    door: &dyn Door,
) -> Result<(ClientKey, UrlChoice), &'static str> {
    let mut line = Vec::new();
    match read_line(read, &mut line, HELLO_BYTES).await {
        Ok(Line::Whole) => {}
        Ok(Line::TooLong) => return Err("the first line is too long"),
        Ok(Line::End) | Err(_) => return Err("the pipe closed before its first line"),
    }
    let hello: Hello = serde_json::from_slice(&line).map_err(|_| "the first line names no key")?;
    match door.authenticate(&hello.key).await {
        Ok(Some(key)) if key.revoked_at.is_none() => Ok((key, hello.choice)),
        Ok(_) => Err("this key opens nothing; `capabilities client connect` makes one"),
        Err(error) => {
            tracing::error!(%error, "a key could not be looked up");
            Err("the hub could not look the key up; its log says why")
        }
    }
}
