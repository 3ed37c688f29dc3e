//! The source: one counter, reached over HTTP and through a pipe, that kills the hub where its
//! trap says.

use super::hub::Hub;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::FileExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use xtask::Failure;

/// The hidden argument that makes this program the pipe between the hub and the source.
pub const PIPE: &str = "--pipe";
/// How long a step is waited for before the hub is killed without one.
const NO_STEP: Duration = Duration::from_millis(500);
/// Bytes of the index of SQLite's log that change with every step.
const STEP_BYTES: usize = 48;

/// How the hub reaches the source.
#[derive(Clone, Copy, Debug)]
pub enum Transport {
    Http,
    Stdio,
}

impl Transport {
    /// The source's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Http => "web",
            Self::Stdio => "pipe",
        }
    }
}

/// When the hub dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before the call is sent: the moment its intent is written, or, for a read, which has
    /// none, once the call before it is answered.
    Before,
    /// Once the source has received the call, before it answers.
    Received,
    /// A little after the source has answered.
    Answered,
}

/// Where the hub dies.
#[derive(Clone, Copy, Debug)]
pub struct Trap {
    /// Number of the call in the program, from 1.
    pub call: usize,
    pub moment: Moment,
    /// Whether that call is an effect.
    pub effect: bool,
}

#[derive(Default)]
struct State {
    received: Vec<String>,
    /// Calls since the trap was set.
    calls: usize,
    trap: Option<Trap>,
}

/// The source and what it received.
#[derive(Clone)]
pub struct Source {
    hub: Arc<Hub>,
    state: Arc<Mutex<State>>,
    port: u16,
    socket: PathBuf,
}

impl Source {
    /// Listens on both.
    pub fn open(hub: Arc<Hub>) -> Result<Self, Failure> {
        let tcp = TcpListener::bind("127.0.0.1:0")?;
        let socket = hub.home().join("source.sock");
        let unix = UnixListener::bind(&socket)?;
        let port = tcp.local_addr()?.port();
        let source = Self { hub, state: Arc::default(), port, socket };
        let (http, piped) = (source.clone(), source.clone());
        std::thread::spawn(move || {
            for stream in tcp.incoming().flatten() {
                let source = http.clone();
                // A client that went away ends its thread.
                std::thread::spawn(move || drop(source.serve_http(stream)));
            }
        });
        std::thread::spawn(move || {
            for stream in unix.incoming().flatten() {
                let source = piped.clone();
                std::thread::spawn(move || drop(source.serve_lines(stream)));
            }
        });
        Ok(source)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The transport that a hub is given.
    pub fn reached_by(
        &self,
        transport: Transport,
    ) -> Result<hub_core::catalog::Transport, Failure> {
        Ok(match transport {
            Transport::Http => hub_core::catalog::Transport::Http {
                url: format!("http://127.0.0.1:{}/mcp", self.port),
            },
            Transport::Stdio => hub_core::catalog::Transport::Stdio {
                command: std::env::current_exe()?.to_string_lossy().into_owned(),
                args: vec![
                    "killtest".into(),
                    PIPE.into(),
                    self.socket.to_string_lossy().into_owned(),
                ],
                env: Default::default(),
                cwd: None,
            },
        })
    }

    /// Sets the trap for the next program.
    pub fn arm(&self, trap: Trap) {
        let mut state = self.state();
        state.calls = 0;
        state.trap = Some(trap);
        drop(state);
        if trap.moment == Moment::Before && trap.call == 1 {
            // There is no call before it: the hub dies as the run is added.
            let source = self.clone();
            let seen = source.step();
            std::thread::spawn(move || source.kill_at_step(seen));
        }
    }

    /// The hub lives on.
    pub fn disarm(&self) {
        self.state().trap = None;
    }

    /// The texts of all effects, in order.
    pub fn received(&self) -> Vec<String> {
        self.state().received.clone()
    }

    /// Answers one message, and springs the trap. `write` sends the answer.
    fn handle(
        &self,
        message: &Value,
        write: &mut dyn FnMut(Option<&Value>) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let params = &message["params"];
        let called = message["method"] == "tools/call";
        let (n, trap) = if called { self.receive(params) } else { (0, None) };
        let at = |moment: Moment, call: usize| {
            trap.is_some_and(|t| called && t.moment == moment && t.call == call)
        };
        if at(Moment::Received, n) {
            return self.die();
        }
        if message.get("id").is_none() {
            return write(None);
        }
        let step = at(Moment::Before, n + 1).then(|| self.step());
        let answer = match answer(message) {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }),
            Err(error) => json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }),
        };
        write(Some(&answer))?;
        match step {
            Some(seen) if trap.is_some_and(|t| t.effect) => self.kill_at_step(seen),
            Some(_) => return self.die(),
            None => {}
        }
        if at(Moment::Answered, n) {
            // Somewhere between the answer on the wire and the next call.
            std::thread::sleep(Duration::from_micros(n as u64 * 37 % 2_000));
            return self.die();
        }
        Ok(())
    }

    /// Notes a call; its number since the trap was set, and the trap.
    fn receive(&self, params: &Value) -> (usize, Option<Trap>) {
        let mut state = self.state();
        if params["name"] == "add" {
            let text = params["arguments"]["text"].as_str().unwrap_or_default();
            state.received.push(text.to_owned());
        }
        state.calls += 1;
        (state.calls, state.trap)
    }

    /// The hub dies, if the trap is still set; whoever takes it away waits until it has.
    fn die(&self) -> std::io::Result<()> {
        let mut state = self.state();
        match state.trap.take() {
            Some(_) => self.hub.kill().map_err(|e| std::io::Error::other(e.0)),
            None => Ok(()),
        }
    }

    /// How far the store is.
    fn step(&self) -> [u8; STEP_BYTES] {
        let mut bytes = [0; STEP_BYTES];
        if let Ok(file) = File::open(self.hub.steps()) {
            let _ = file.read_at(&mut bytes, 0);
        }
        bytes
    }

    /// Kills the hub as soon as the store has gone on from `seen`.
    fn kill_at_step(&self, seen: [u8; STEP_BYTES]) {
        let began = Instant::now();
        if let Ok(file) = File::open(self.hub.steps()) {
            let mut now = seen;
            while now == seen && began.elapsed() < NO_STEP {
                if file.read_at(&mut now, 0).is_err() {
                    break;
                }
            }
        }
        let _ = self.die();
    }

    /// Messages as lines, as the pipe hands them on.
    fn serve_lines(&self, stream: UnixStream) -> Result<(), Failure> {
        let mut out = stream.try_clone()?;
        for line in BufReader::new(stream).lines() {
            let message: Value = serde_json::from_str(&line?)?;
            self.handle(&message, &mut |answer| match answer {
                Some(answer) => out.write_all(format!("{answer}\n").as_bytes()),
                None => Ok(()),
            })?;
        }
        Ok(())
    }

    /// As much of streamable HTTP as a hub needs: a message in, a message out.
    fn serve_http(&self, stream: TcpStream) -> Result<(), Failure> {
        let mut out = stream.try_clone()?;
        let mut input = BufReader::new(stream);
        while let Some((method, body)) = read_request(&mut input)? {
            if method != "POST" {
                out.write_all(b"HTTP/1.1 405 Not Allowed\r\ncontent-length: 0\r\n\r\n")?;
                continue;
            }
            let message: Value = serde_json::from_slice(&body)?;
            self.handle(&message, &mut |answer| match answer {
                Some(answer) => {
                    let body = answer.to_string();
                    let head = format!(
                        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
                         content-length: {}\r\n\r\n{body}",
                        body.len()
                    );
                    out.write_all(head.as_bytes())
                }
                None => out.write_all(b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n"),
            })?;
        }
        Ok(())
    }
}

fn read_request(input: &mut impl BufRead) -> Result<Option<(String, Vec<u8>)>, Failure> {
    let mut first = String::new();
    if input.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let mut length = 0;
    loop {
        let mut line = String::new();
        input.read_line(&mut line)?;
        let line = line.trim().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(bytes) = line.strip_prefix("content-length:") {
            length = bytes.trim().parse().map_err(|_| Failure::from("a bad length"))?;
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    Ok(Some((first.split(' ').next().unwrap_or_default().to_owned(), body)))
}

fn answer(message: &Value) -> Result<Value, Value> {
    let params = &message["params"];
    match message["method"].as_str() {
        Some("initialize") => Ok(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "counting", "version": "1" },
        })),
        Some("tools/list") => Ok(json!({ "tools": tools() })),
        Some("tools/call") => Ok(json!({
            "content": [{ "type": "text", "text": params["arguments"].to_string() }],
        })),
        Some("ping") => Ok(json!({})),
        _ => Err(json!({ "code": -32601, "message": "no such method" })),
    }
}

fn tools() -> Value {
    let tool = |name: &str, read: bool| {
        json!({
            "name": name,
            "inputSchema": { "type": "object" },
            "annotations": {
                "readOnlyHint": read, "destructiveHint": false, "openWorldHint": false,
            },
        })
    };
    json!([tool("look", true), tool("add", false)])
}

/// Hands lines on, both ways, until either side ends.
pub fn pipe(socket: &str) -> Result<(), Failure> {
    let stream = UnixStream::connect(socket)?;
    let mut to_source = stream.try_clone()?;
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut to_source);
        std::process::exit(0);
    });
    let mut lines = BufReader::new(stream);
    let mut out = std::io::stdout().lock();
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        out.write_all(&line)?;
        out.flush()?;
        line.clear();
    }
    Ok(())
}
