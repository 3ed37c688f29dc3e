//! The agent's side of MCP, as small as a bench needs: one request at a time, over standard input
//! and output or over HTTP.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};
use xtask::Failure;

/// A revision that all subjects speak.
const PROTOCOL: &str = "2025-06-18";

/// How long one answer may take unless the caller says otherwise.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// Lines of a server that may wait to be read.
const LINES_AHEAD: usize = 1024;

/// A connected server.
pub struct Client {
    wire: Wire,
    next_id: u64,
    /// What the server said of itself.
    pub instructions: String,
    /// Bytes of the last answer as they came.
    pub last_bytes: usize,
}

enum Wire {
    Stdio { child: Child, stdin: ChildStdin, lines: Receiver<String> },
    Http { agent: ureq::Agent, url: String, key: String, session: Option<String> },
}

impl Client {
    /// Starts a server and shakes hands with it.
    pub fn start(command: &[String], env: &[(String, String)]) -> Result<Self, Failure> {
        let mut process = Command::new(&command[0]);
        process.args(&command[1..]).envs(env.iter().cloned());
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = process.spawn().map_err(|e| format!("{}: {e}", command[0]))?;
        let stdin = child.stdin.take().ok_or("no standard input")?;
        let stdout = child.stdout.take().ok_or("no standard output")?;
        let (to, lines) = sync_channel(LINES_AHEAD);
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { return };
                if to.send(line).is_err() {
                    return;
                }
            }
        });
        Self::greet(Wire::Stdio { child, stdin, lines })
    }

    /// Connects to a server that runs.
    pub fn connect(url: &str, key: &str) -> Result<Self, Failure> {
        let config = ureq::Agent::config_builder().http_status_as_error(false).build();
        let agent = ureq::Agent::new_with_config(config);
        let (url, key) = (url.to_owned(), key.to_owned());
        Self::greet(Wire::Http { agent, url, key, session: None })
    }

    fn greet(wire: Wire) -> Result<Self, Failure> {
        let mut client = Self { wire, next_id: 0, instructions: String::new(), last_bytes: 0 };
        let who = json!({ "name": "bench", "version": "0" });
        let hello = json!({ "protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": who });
        let answer = client.ask("initialize", &hello, PATIENCE)?;
        client.instructions = answer["instructions"].as_str().unwrap_or_default().to_owned();
        client
            .send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }), PATIENCE)?;
        Ok(client)
    }

    /// The process that was started, if one was.
    pub fn pid(&self) -> Option<u32> {
        match &self.wire {
            Wire::Stdio { child, .. } => Some(child.id()),
            Wire::Http { .. } => None,
        }
    }

    /// One request and its result; an error of the protocol is a failure.
    pub fn ask(
        &mut self,
        method: &str,
        params: &Value,
        within: Duration,
    ) -> Result<Value, Failure> {
        self.next_id += 1;
        let id = self.next_id;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let mut answer = self.send(&request, within)?;
        match answer.get("error") {
            Some(error) => Err(Failure(format!("{method}: {error}"))),
            None => Ok(answer["result"].take()),
        }
    }

    /// Calls a tool with [`PATIENCE`].
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, Failure> {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }), PATIENCE)
    }

    fn send(&mut self, message: &Value, within: Duration) -> Result<Value, Failure> {
        match &mut self.wire {
            Wire::Stdio { stdin, lines, .. } => {
                writeln!(stdin, "{message}")?;
                let Some(id) = message.get("id") else { return Ok(Value::Null) };
                let (answer, bytes) = answer_among(stdin, lines, id, Instant::now() + within)?;
                self.last_bytes = bytes;
                Ok(answer)
            }
            Wire::Http { agent, url, key, session } => {
                let mut post = agent.post(url.as_str());
                post = post.config().timeout_global(Some(within)).build();
                post = post.header("accept", "application/json, text/event-stream");
                post = post.header("content-type", "application/json");
                post = post.header("mcp-protocol-version", PROTOCOL);
                if !key.is_empty() {
                    post = post.header("authorization", format!("Bearer {key}"));
                }
                if let Some(session) = session {
                    post = post.header("mcp-session-id", session.as_str());
                }
                let sent = post.send(message.to_string());
                let mut response = sent.map_err(|error| error.to_string())?;
                if let Some(id) = response.headers().get("mcp-session-id") {
                    *session = id.to_str().ok().map(str::to_owned);
                }
                let body = response.body_mut().with_config().limit(1 << 30).read_to_string();
                let body = body.map_err(|error| error.to_string())?;
                self.last_bytes = body.len();
                match message.get("id") {
                    Some(id) => answer_in(&body, id),
                    None => Ok(Value::Null),
                }
            }
        }
    }

    /// Closes the connection; a server that was started is waited for, then ended.
    pub fn close(self) {
        if let Wire::Stdio { mut child, stdin, lines } = self.wire {
            drop(stdin);
            while lines.recv_timeout(Duration::from_secs(5)).is_ok() {}
            for pid in super::process::tree(child.id()).into_iter().rev() {
                super::end(pid);
            }
            let _ended = child.wait();
        }
    }
}

/// Reads lines until the answer; questions of the server get an empty one.
fn answer_among(
    stdin: &mut ChildStdin,
    lines: &Receiver<String>,
    id: &Value,
    until: Instant,
) -> Result<(Value, usize), Failure> {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let line = lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => "no answer in time",
            RecvTimeoutError::Disconnected => "the server ended",
        })?;
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        if message.get("method").is_some() {
            if let Some(asked) = message.get("id") {
                let nothing = json!({ "roots": [] });
                writeln!(stdin, "{}", json!({ "jsonrpc": "2.0", "id": asked, "result": nothing }))?;
            }
        } else if message.get("id") == Some(id) {
            return Ok((message, line.len()));
        }
    }
}

/// The answer in a body that is JSON or a stream of events.
fn answer_in(body: &str, id: &Value) -> Result<Value, Failure> {
    let candidates = body.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
    let messages = candidates.filter_map(|text| serde_json::from_str::<Value>(text).ok());
    let mut answers = messages.filter(|message| message.get("id") == Some(id));
    let shown = || body.chars().take(200).collect::<String>();
    answers.next().ok_or_else(|| Failure(format!("no answer in {:?}", shown())))
}
