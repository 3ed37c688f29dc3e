//! MCP over a pipe: one JSON message per line, both eras in one session.
//!
//! A task of its own reads lines, so that a half-read line survives whatever else happens.

use crate::mcp::audience::Audience;
use crate::mcp::caller::Behind;
use crate::mcp::handler::AgentServer;
use crate::mcp::surface::Surface;
use crate::mcp::url::UrlChoice;
use hub_core::limits::{BATCH_MESSAGES, REQUEST_BYTES};
use hub_core::owner::ClientKey;
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ErrorData, ServerJsonRpcMessage};
use rmcp::service::serve_server_with_ct;
use rmcp::transport::{Transport, TransportAdapterIdentity};
use serde_json::value::RawValue;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Messages that were read and not yet handled.
const READ_AHEAD: usize = 16;

/// Serves one client over `read` and `write` until the client closes, or `stop`.
pub async fn serve_stream(
    surface: Surface,
    key: ClientKey,
    choice: UrlChoice,
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
    stop: CancellationToken,
) {
    serve_lines(surface, key, choice, BufReader::new(read), write, stop).await;
}

/// The same for a reader whose first line was read already.
pub(crate) async fn serve_lines(
    surface: Surface,
    key: ClientKey,
    choice: UrlChoice,
    read: impl AsyncBufRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
    stop: CancellationToken,
) {
    let lines = Lines::start(read, write);
    // The SDK cancels the token that it was given when the session ends.
    let stop = stop.child_token();
    let audience = Audience::of(&surface, stop.clone());
    let behind = Behind { key, choice, streams: true };
    let server = AgentServer::over_pipe(surface, audience, behind);
    let served =
        serve_server_with_ct::<_, _, _, TransportAdapterIdentity>(server, lines, stop).await;
    match served {
        Ok(running) => {
            // How it ended does not matter: the client is gone, its runs are the engine's.
            let _ = running.waiting().await;
        }
        // The error may quote the client's message, so it is not logged.
        Err(_) => tracing::debug!("a pipe closed before it said which protocol it speaks"),
    }
}

type Writer<W> = Arc<Mutex<W>>;

/// One message per line, both ways.
struct Lines<W> {
    messages: mpsc::Receiver<ClientJsonRpcMessage>,
    write: Writer<W>,
    reader: JoinHandle<()>,
}

impl<W: AsyncWrite + Send + Unpin + 'static> Lines<W> {
    fn start(read: impl AsyncBufRead + Send + Unpin + 'static, write: W) -> Self {
        let (sender, messages) = mpsc::channel(READ_AHEAD);
        let write = Arc::new(Mutex::new(write));
        // Ends with the pipe, or when the transport is dropped.
        let reader = tokio::spawn(read_all(read, write.clone(), sender));
        Self { messages, write, reader }
    }
}

impl<W> Drop for Lines<W> {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for Lines<W> {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let write = self.write.clone();
        async move { write_line(&write, &item).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.reader.abort();
        self.write.lock().await.shutdown().await
    }
}

async fn write_line<W: AsyncWrite + Unpin>(
    write: &Mutex<W>,
    item: &ServerJsonRpcMessage,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(item)?;
    line.push(b'\n');
    let mut write = write.lock().await;
    write.write_all(&line).await?;
    write.flush().await
}

async fn read_all<W: AsyncWrite + Unpin>(
    mut read: impl AsyncBufRead + Unpin,
    write: Writer<W>,
    messages: mpsc::Sender<ClientJsonRpcMessage>,
) {
    let mut line = Vec::new();
    loop {
        line.clear();
        match read_line(&mut read, &mut line, REQUEST_BYTES).await {
            Ok(Line::End) | Err(_) => return,
            Ok(Line::TooLong) => {
                let text = format!("a message is longer than {REQUEST_BYTES} bytes");
                if refuse(&write, ErrorData::invalid_request(text, None)).await.is_err() {
                    return;
                }
            }
            Ok(Line::Whole) => {
                for message in parse(&line) {
                    let done = match message {
                        Ok(message) => messages.send(message).await.is_ok(),
                        Err(error) => refuse(&write, error).await.is_ok(),
                    };
                    if !done {
                        return;
                    }
                }
            }
        }
    }
}

async fn refuse<W: AsyncWrite + Unpin>(write: &Mutex<W>, error: ErrorData) -> io::Result<()> {
    write_line(write, &ServerJsonRpcMessage::error(error, None)).await
}

/// What a line holds: one message, a batch (up to 2025-03-26), or something else.
fn parse(line: &[u8]) -> Vec<Result<ClientJsonRpcMessage, ErrorData>> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Vec::new();
    }
    if line[0] != b'[' {
        return vec![one(line)];
    }
    match serde_json::from_slice::<Vec<&RawValue>>(line) {
        Ok(items) if items.is_empty() || items.len() > BATCH_MESSAGES => {
            let text = format!("a batch holds 1 to {BATCH_MESSAGES} messages");
            vec![Err(ErrorData::invalid_request(text, None))]
        }
        Ok(items) => items.iter().map(|item| one(item.get().as_bytes())).collect(),
        Err(_) => vec![Err(not_json())],
    }
}

fn one(text: &[u8]) -> Result<ClientJsonRpcMessage, ErrorData> {
    serde_json::from_slice(text).map_err(|error| {
        if error.is_data() {
            ErrorData::invalid_request("no JSON-RPC message", None)
        } else {
            not_json()
        }
    })
}

fn not_json() -> ErrorData {
    ErrorData::parse_error("not JSON, or nested too deep", None)
}

/// How reading one line ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// The whole line is there, without its end.
    Whole,
    /// It was longer than allowed; it was skipped.
    TooLong,
    /// The other side closed. A line without its end is no message.
    End,
}

/// Reads one line of at most `most` bytes into `line`.
pub(crate) async fn read_line(
    read: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
    most: usize,
) -> io::Result<Line> {
    let mut too_long = false;
    loop {
        let available = read.fill_buf().await?;
        if available.is_empty() {
            return Ok(Line::End);
        }
        let end = available.iter().position(|&byte| byte == b'\n');
        let taken = end.unwrap_or(available.len());
        if line.len() + taken > most {
            too_long = true;
            line.clear();
        }
        if !too_long {
            line.extend_from_slice(&available[..taken]);
        }
        read.consume(end.map_or(taken, |end| end + 1));
        match end {
            Some(_) if too_long => return Ok(Line::TooLong),
            Some(_) => return Ok(Line::Whole),
            None => {}
        }
    }
}
