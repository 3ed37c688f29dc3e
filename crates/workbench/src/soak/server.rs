//! The counted sources: `add` writes its id down, then answers; `get` reads nothing much.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use xtask::Failure;

/// The hidden argument that makes this program a source.
pub const FLAG: &str = "--serve";

/// Where a source writes its effects down.
pub fn book(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.book"))
}

/// `stdio ERA NAME FOLDER` or `http ERA NAME FOLDER PORT`.
pub fn run(args: &[String]) -> Result<(), Failure> {
    let [way, era, name, folder, rest @ ..] = args else {
        return Err("--serve takes more than that".into());
    };
    let server = Arc::new(Server {
        modern: era == "modern",
        book: book(Path::new(folder), name),
        writing: Mutex::default(),
    });
    match (way.as_str(), rest) {
        ("stdio", []) => server.stdio(),
        ("http", [port]) => server.http(port.parse().map_err(|_| Failure::from("no port"))?),
        _ => Err("--serve takes stdio or http PORT".into()),
    }
}

struct Server {
    modern: bool,
    book: PathBuf,
    /// Held while a line is written, to the book or to standard output.
    writing: Mutex<()>,
}

impl Server {
    fn stdio(self: Arc<Self>) -> Result<(), Failure> {
        for line in std::io::stdin().lock().lines() {
            let Ok(asked) = serde_json::from_str::<Value>(&line?) else { continue };
            let server = self.clone();
            std::thread::spawn(move || {
                if let Some(answer) = server.answer(&asked) {
                    let _writing = server.writing.lock().unwrap_or_else(PoisonError::into_inner);
                    let mut out = std::io::stdout().lock();
                    let _ = writeln!(out, "{answer}").and_then(|()| out.flush());
                }
            });
        }
        Ok(())
    }

    fn http(self: Arc<Self>, port: u16) -> Result<(), Failure> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        for stream in listener.incoming() {
            let (server, stream) = (self.clone(), stream?);
            // A client that goes away is its own business.
            std::thread::spawn(move || server.web(stream));
        }
        Ok(())
    }

    fn web(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let (mut first, mut length) = (String::new(), 0);
        reader.read_line(&mut first)?;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? <= 2 {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
        let (status, body) = match self.answer(&asked) {
            _ if !first.starts_with("POST") => ("405 No", String::new()),
            Some(answer) => ("200 OK", answer.to_string()),
            None => ("202 Accepted", String::new()),
        };
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
             connection: close\r\n\r\n{body}"
        )
    }

    fn answer(&self, asked: &Value) -> Option<Value> {
        asked.get("id")?;
        let params = &asked["params"];
        let result = match asked["method"].as_str()? {
            "server/discover" if self.modern => json!({ "ttlMs": 0, "cacheScope": "private",
                "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} } }),
            "initialize" => json!({ "protocolVersion": params["protocolVersion"],
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "counted", "version": "1" } }),
            "tools/list" => json!({ "tools": tools() }),
            "tools/call" => self.call(params),
            _ => {
                let error = json!({ "code": -32601, "message": "no such method" });
                return Some(json!({ "jsonrpc": "2.0", "id": asked["id"], "error": error }));
            }
        };
        let mut result = result;
        if self.modern {
            result["resultType"] = json!("complete");
        }
        Some(json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result }))
    }

    fn call(&self, params: &Value) -> Value {
        let arguments = &params["arguments"];
        if params["name"] == "add"
            && let Some(id) = arguments["id"].as_str()
            && let Err(error) = self.write(id)
        {
            let content = json!([{ "type": "text", "text": error.to_string() }]);
            return json!({ "isError": true, "content": content });
        }
        std::thread::sleep(Duration::from_millis(arguments["ms"].as_u64().unwrap_or(0)));
        json!({ "content": [], "structuredContent": { "id": arguments["id"] } })
    }

    fn write(&self, id: &str) -> std::io::Result<()> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut book = std::fs::File::options().append(true).create(true).open(&self.book)?;
        book.write_all(format!("{id}\n").as_bytes())
    }
}

fn tools() -> Value {
    let input = json!({ "type": "object", "properties": {
        "id": { "type": "string" }, "ms": { "type": "integer" } }, "required": ["id", "ms"] });
    let tool = |name: &str, reads: bool| {
        json!({ "name": name, "description": "Counted", "inputSchema": input, "annotations":
            { "readOnlyHint": reads, "destructiveHint": false, "openWorldHint": false } })
    };
    json!([tool("add", false), tool("get", true)])
}
