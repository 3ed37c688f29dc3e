//! A scripted door, a server on a free port, and a plain HTTP client that sends what it is told.

use crate::door::{Code, Door};
use crate::mcp::surface::Surface;
use crate::router;
use hub_core::catalog::Transport;
use hub_core::envelope::{ExecuteEnvelope, Status};
use hub_core::id::RunId;
use hub_core::owner::ClientKey;
use hub_core::ports::BoxFuture;
use hub_engine::{
    Caller, EngineError, Execute, ExecuteAnswer, Form, FormReply, Forms, NewSource, RunProgress,
    Shown, Wait,
};
use hub_testkit::fixtures;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The id under which forms of the script are asked.
pub const PENDING: &str = "pend_1";

/// What the script saw.
#[derive(Default)]
pub struct Script {
    /// The callers of `execute`, in order.
    pub callers: Mutex<Vec<Caller>>,
    /// Opened to let `slow` programs end.
    pub gate: Notify,
    /// Told when a `slow` program is listened to.
    pub listened: Notify,
    /// Told when a listener went away before the end.
    pub left: Notify,
}

impl Door for Script {
    fn authenticate<'a>(
        &'a self,
        token: &'a str,
    ) -> BoxFuture<'a, Result<Option<ClientKey>, EngineError>> {
        let mut key = fixtures::key(token.trim_start_matches("token-"));
        if token == "token-revoked" {
            key.revoked_at = Some(key.created_at);
        }
        let known = token.starts_with("token-");
        Box::pin(async move { Ok(known.then_some(key)) })
    }

    fn ready(&self) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(async { Err(EngineError::Busy("a secret reason".into())) })
    }

    fn instructions(&self, caller: &Caller) -> String {
        format!("Connected for {}: github.", caller.client)
    }
}

impl Code for Script {
    fn search<'a>(
        &'a self,
        _caller: &'a Caller,
        query: &'a str,
        namespace: Option<&'a str>,
    ) -> BoxFuture<'a, Result<String, EngineError>> {
        Box::pin(async move { Ok(format!("found {query:?} in {namespace:?}")) })
    }

    fn describe<'a>(
        &'a self,
        _caller: &'a Caller,
        targets: &'a [String],
    ) -> BoxFuture<'a, Result<String, EngineError>> {
        Box::pin(async move { Ok(targets.join(" and ")) })
    }

    fn execute<'a>(
        &'a self,
        caller: &'a Caller,
        what: Execute,
        reply: FormReply,
        wait: Wait,
    ) -> BoxFuture<'a, Result<ExecuteAnswer, EngineError>> {
        self.callers.lock().unwrap().push(caller.clone());
        Box::pin(async move {
            let code = match what {
                Execute::Code(code) => code,
                Execute::Resume(run) => {
                    let named = format!("run_not_found: no run {run}");
                    return Err(EngineError::NotFound(named));
                }
            };
            match code.as_str() {
                "busy" => Err(EngineError::Busy("too many runs".into())),
                "bad" => Err(EngineError::Invalid("the code is wrong".into())),
                "fail" => Ok(envelope(Status::Failed, json!(null))),
                "ask" => ask(caller, reply).await,
                "slow" => self.slow(wait).await,
                other => Ok(envelope(Status::Completed, json!(other))),
            }
        })
    }
}

impl Script {
    async fn slow(&self, wait: Wait) -> Result<ExecuteAnswer, EngineError> {
        let mut left = Left { script: self, ended: false };
        for calls_done in 0..3 {
            if let Some(tell) = &wait.progress {
                let run = RunId::new("run_1");
                tell(RunProgress {
                    run,
                    calls_done,
                    calls_made: 3,
                    elapsed_ms: 5_000,
                    call: Some(hub_engine::CallProgress {
                        n: 1,
                        address: "mail.sync".into(),
                        done: 40.0,
                        of: Some(100.0),
                    }),
                });
                // The client has to have been told before the next count replaces this one.
                self.listened.notify_one();
                self.gate.notified().await;
            }
        }
        if wait.progress.is_none() {
            self.listened.notify_one();
            self.gate.notified().await;
        }
        left.ended = true;
        Ok(envelope(Status::Completed, json!("slowly")))
    }
}

struct Left<'a> {
    script: &'a Script,
    ended: bool,
}

impl Drop for Left<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.script.left.notify_one();
        }
    }
}

async fn ask(caller: &Caller, reply: FormReply) -> Result<ExecuteAnswer, EngineError> {
    let form = Form {
        message: "May this be sent?".into(),
        requested_schema: json!({
            "type": "object",
            "properties": { "choice": { "type": "string", "title": "Choice", "oneOf": [
                { "const": "allow once", "title": "Allow once" },
                { "const": "deny", "title": "Deny" }
            ] } },
            "required": ["choice"]
        }),
    };
    match (&caller.forms, reply.state) {
        (_, Some(state)) if state != "sealed" => Err(EngineError::BadState),
        (_, Some(_)) => Ok(envelope(Status::Completed, json!(reply.responses))),
        (Forms::None, None) => Ok(envelope(Status::AwaitingApproval, json!(null))),
        (Forms::InputRequired, None) => Ok(ExecuteAnswer::AskForms {
            forms: BTreeMap::from([(PENDING.to_owned(), form)]),
            state: "sealed".into(),
        }),
        (Forms::Live(live), None) => {
            // From a task of its own, as the engine may.
            let live = live.clone();
            let answer = tokio::spawn(async move { live.ask(&form).await }).await.unwrap();
            Ok(envelope(Status::Completed, json!(answer)))
        }
    }
}

/// An envelope with a result.
pub fn envelope(status: Status, result: Value) -> ExecuteAnswer {
    let envelope = ExecuteEnvelope {
        run_id: RunId::new("run_1"),
        status,
        result: Some(result),
        error: None,
        logs: None,
        calls: Vec::new(),
        pending: None,
        truncated: None,
        notices: Some(vec!["mind this".into()]),
    };
    ExecuteAnswer::Envelope(Shown {
        json: serde_json::to_string(&envelope).unwrap().into(),
        line: envelope.line(7, true).into(),
        is_error: status == Status::Failed,
    })
}

/// A server on a free port of 127.0.0.1. Ends when dropped.
pub struct Server {
    pub port: u16,
    pub script: Arc<Script>,
    stop: CancellationToken,
}

impl Server {
    pub async fn start() -> Self {
        let script = Arc::new(Script::default());
        Self::of(Surface::Code(script.clone()), script).await
    }

    /// The same with another surface; the script is not asked then.
    pub async fn of(surface: Surface, script: Arc<Script>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let stop = CancellationToken::new();
        let routes = router::surface(surface, port, stop.clone());
        let until = stop.clone().cancelled_owned();
        tokio::spawn(axum::serve(listener, routes).with_graceful_shutdown(until).into_future());
        Self { port, script, stop }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    /// A request to `/mcp` that everything would be right with.
    pub fn post(&self, body: impl Into<String>) -> Ask {
        Ask::new(self.port, "POST", "/mcp")
            .with("Authorization", "Bearer token-a")
            .with("Content-Type", "application/json")
            .with("Accept", "application/json, text/event-stream")
            .body(body)
    }

    /// A stateless `tools/call` of `execute`.
    pub fn execute(&self, arguments: Value) -> Ask {
        self.call("execute", arguments, json!({}))
    }

    /// A stateless `tools/call`; `capabilities` are the client's.
    pub fn call(&self, tool: &str, arguments: Value, capabilities: Value) -> Ask {
        let params = json!({ "name": tool, "arguments": arguments });
        self.modern("tools/call", params, capabilities).with("Mcp-Name", tool)
    }

    /// A stateless request.
    pub fn modern(&self, method: &str, mut params: Value, capabilities: Value) -> Ask {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
        self.post(rpc(1, method, params))
            .with("MCP-Protocol-Version", "2026-07-28")
            .with("Mcp-Method", method)
    }

    /// The handshake of an older revision.
    pub async fn greet(&self, version: &str, capabilities: Value) -> Got {
        let params = json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": { "name": "test", "version": "1" }
        });
        self.post(rpc(0, "initialize", params)).send().await
    }

    /// Opens a session of an older revision.
    pub async fn session(&self, version: &str, capabilities: Value) -> String {
        let opened = self.greet(version, capabilities).await;
        assert_eq!(opened.status, 200, "{opened:?}");
        let session = opened.header("mcp-session-id").expect("a session").to_owned();
        let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let accepted = self.post(told.to_string()).with("Mcp-Session-Id", &session).send().await;
        assert_eq!(accepted.status, 202, "{accepted:?}");
        session
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// A JSON-RPC request.
pub fn rpc(id: u32, method: &str, params: Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

/// A request, exactly as it will be written.
#[derive(Clone)]
pub struct Ask {
    port: u16,
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl Ask {
    pub fn new(port: u16, method: &str, path: &str) -> Self {
        let headers = vec![
            ("Host".to_owned(), format!("127.0.0.1:{port}")),
            ("Connection".to_owned(), "close".to_owned()),
        ];
        Self { port, method: method.into(), path: path.into(), headers, body: String::new() }
    }

    /// Sets a header.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self = self.without(name);
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Leaves a header out.
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(had, _)| !had.eq_ignore_ascii_case(name));
        self
    }

    pub fn path(mut self, path: &str) -> Self {
        self.path = path.into();
        self
    }

    pub fn method(mut self, method: &str) -> Self {
        self.method = method.into();
        self
    }

    pub fn body(mut self, body: impl Into<String>) -> Self {
        self.body = body.into();
        self
    }

    /// Writes the request; the answer is read from the stream.
    pub async fn open(mut self) -> TcpStream {
        let said = ["content-length", "transfer-encoding"];
        if !self.headers.iter().any(|(name, _)| said.contains(&name.to_lowercase().as_str())) {
            self = self.clone().with("Content-Length", &self.body.len().to_string());
        }
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        // A server that refuses early may close before it has read everything.
        let _ = stream.write_all(self.body.as_bytes()).await;
        stream
    }

    /// Writes the request and reads the whole answer.
    pub async fn send(self) -> Got {
        let mut stream = self.open().await;
        let mut bytes = Vec::new();
        // A reset after the answer is still an answer.
        let _ = stream.read_to_end(&mut bytes).await;
        Got::parse(&String::from_utf8(bytes).unwrap())
    }
}

/// An answer.
#[derive(Debug)]
pub struct Got {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Got {
    fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or("0");
        let headers: Vec<_> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let chunked = headers.iter().any(|(name, value)| {
            name == "transfer-encoding" && value.eq_ignore_ascii_case("chunked")
        });
        let body = if chunked { unchunk(body) } else { body.to_owned() };
        Self { status: status.parse().unwrap(), headers, body }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(had, _)| had == name).map(|(_, value)| value.as_str())
    }

    /// The JSON messages of the body, out of a stream or plain.
    pub fn messages(&self) -> Vec<Value> {
        if self.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream")) {
            let data = self.body.lines().filter_map(|line| line.strip_prefix("data:"));
            return data.filter_map(|data| serde_json::from_str(data.trim()).ok()).collect();
        }
        vec![serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))]
    }

    /// The last message.
    pub fn json(&self) -> Value {
        self.messages().pop().unwrap_or_else(|| panic!("no message: {self:?}"))
    }
}

fn unchunk(mut body: &str) -> String {
    let mut out = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 || size > rest.len() {
            break;
        }
        out.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
    }
    out
}

/// A source to add, reached over HTTP.
pub fn source(name: &str) -> NewSource {
    NewSource {
        name: name.into(),
        transport: Transport::Http { url: format!("https://{name}.example/mcp") },
        trusted: true,
        effects: BTreeMap::new(),
        timeout_ms: None,
        concurrency: None,
        from_file: false,
    }
}
