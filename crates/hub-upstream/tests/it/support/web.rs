//! A web server whose answers a test writes, byte for byte; it keeps what it was asked.

use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Seen {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The JSON-RPC method, or the HTTP one where there is none.
    pub fn rpc(&self) -> &str {
        self.body["method"].as_str().unwrap_or(&self.method)
    }

    /// A successful answer to it.
    pub fn result(&self, result: Value) -> Reply {
        Reply::json(200, &json!({"jsonrpc": "2.0", "id": self.body["id"], "result": result}))
    }

    /// A refusal of it.
    pub fn error(&self, status: u16, code: i64, message: &str) -> Reply {
        let error = json!({"code": code, "message": message});
        Reply::json(status, &json!({"jsonrpc": "2.0", "id": self.body["id"], "error": error}))
    }
}

/// An answer.
#[derive(Clone, Default)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<Vec<u8>>,
    /// Keep the stream open after the body, until the client goes.
    pub hold: bool,
    /// More of the body, as it comes.
    pub later: Option<Arc<tokio::sync::Mutex<tokio::sync::mpsc::Receiver<String>>>>,
    /// Send these bytes and nothing else, then close.
    pub raw: Option<Vec<u8>>,
    /// Close without a word.
    pub reset: bool,
}

impl Reply {
    pub fn new(status: u16, kind: &str, body: &str) -> Self {
        let headers = match kind {
            "" => vec![],
            kind => vec![("Content-Type".to_owned(), kind.to_owned())],
        };
        Self { status, headers, body: vec![body.as_bytes().to_vec()], ..Self::default() }
    }

    pub fn json(status: u16, body: &Value) -> Self {
        Self::new(status, "application/json", &body.to_string())
    }

    pub fn events(body: &str) -> Self {
        Self::new(200, "text/event-stream", body)
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

type Handler = Arc<dyn Fn(&Seen) -> Reply + Send + Sync>;

/// Ends with the test.
pub struct Web {
    pub origin: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    serving: JoinHandle<()>,
}

impl Drop for Web {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Web {
    pub async fn start(handler: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let (handler, log): (Handler, _) = (Arc::new(handler), seen.clone());
        let serving = tokio::spawn(async move {
            let mut all = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (handler, log) = (handler.clone(), log.clone());
                all.spawn(async move { serve(stream, &handler, &log).await });
            }
        });
        Self { origin, seen, serving }
    }

    /// A legacy MCP server with one tool `t`; `on_call` answers its calls, `else_` what is
    /// neither call, list nor handshake.
    pub async fn legacy(
        on_call: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
        else_: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self::start(move |seen| match seen.rpc() {
            "server/discover" => seen.error(400, -32600, "Not initialized"),
            "initialize" => seen.result(initialized(&seen.body["params"]["protocolVersion"])),
            "notifications/initialized" => Reply::new(202, "", ""),
            "tools/list" => seen.result(one_tool()),
            "tools/call" => on_call(seen),
            _ => else_(seen),
        })
        .await
    }

    /// A modern MCP server with one tool `t`.
    pub async fn modern(on_call: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        Self::start(move |seen| match seen.rpc() {
            "server/discover" => seen.result(discovered()),
            "tools/list" => seen.result(one_tool()),
            "tools/call" => on_call(seen),
            _ => seen.error(404, -32601, "Method not found"),
        })
        .await
    }

    pub fn url(&self) -> String {
        format!("{}/mcp", self.origin)
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Everything of one method (JSON-RPC, or HTTP where there is none).
    pub fn of(&self, rpc: &str) -> Vec<Seen> {
        self.seen().into_iter().filter(|seen| seen.rpc() == rpc).collect()
    }
}

pub fn initialized(version: &Value) -> Value {
    json!({"protocolVersion": version, "capabilities": {"tools": {}},
        "serverInfo": {"name": "web", "version": "1"}})
}

pub fn discovered() -> Value {
    json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {"listChanged": true}}, "ttlMs": 0, "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "web", "version": "2"}}})
}

pub fn one_tool() -> Value {
    json!({"tools": [{"name": "t", "inputSchema": {"type": "object"}}]})
}

pub fn ok() -> Value {
    json!({"content": [{"type": "text", "text": "ok"}]})
}

async fn serve(stream: TcpStream, handler: &Handler, log: &Mutex<Vec<Seen>>) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line).await.ok()?;
    let mut words = line.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_owned(), value.to_owned()));
    }
    let mut seen = Seen { method, path, headers, body: Value::Null };
    let length = seen.header("content-length").and_then(|n| n.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    seen.body = serde_json::from_slice(&body).unwrap_or_default();
    let reply = handler(&seen);
    log.lock().unwrap().push(seen);
    if reply.reset {
        return None;
    }
    if let Some(raw) = &reply.raw {
        stream.write_all(raw).await.ok()?;
        return stream.shutdown().await.ok();
    }
    let mut head = format!("HTTP/1.1 {} X\r\nConnection: close\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).await.ok()?;
    for part in &reply.body {
        stream.write_all(part).await.ok()?;
        stream.flush().await.ok()?;
        tokio::task::yield_now().await;
    }
    if let Some(later) = &reply.later {
        let mut later = later.lock().await;
        while let Some(part) = later.recv().await {
            stream.write_all(part.as_bytes()).await.ok()?;
            stream.flush().await.ok()?;
        }
    }
    if reply.hold {
        // The client says nothing more; this ends when it goes.
        stream.read_u8().await.ok()?;
    }
    stream.shutdown().await.ok()
}
