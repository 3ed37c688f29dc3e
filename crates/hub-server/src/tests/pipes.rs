//! MCP over a pipe.

use crate::mcp::surface::Surface;
use crate::mcp::url::UrlChoice;
use crate::mcp::{Line, read_line, serve_stream};
use crate::tests::attendance::soon;
use crate::tests::eras::{Plain, lifecycle};
use crate::tests::support::{Script, rpc};
use hub_core::limits::{BATCH_MESSAGES, REQUEST_BYTES};
use hub_testkit::fixtures;
use rmcp::model::ProtocolVersion;
use rmcp::service::ClientServiceExt;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf};
use tokio::io::{WriteHalf, split};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

struct Pipe {
    script: Arc<Script>,
    write: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    served: JoinHandle<()>,
}

fn serve() -> (DuplexStream, JoinHandle<()>, Arc<Script>) {
    let (near, far) = tokio::io::duplex(1 << 16);
    let (read, write) = split(far);
    let key = fixtures::key("a");
    let script = Arc::new(Script::default());
    let surface = Surface::Code(script.clone());
    let stop = CancellationToken::new();
    let served = tokio::spawn(serve_stream(surface, key, UrlChoice::default(), read, write, stop));
    (near, served, script)
}

impl Pipe {
    fn open() -> Self {
        let (near, served, script) = serve();
        let (read, write) = split(near);
        Self { write, lines: BufReader::new(read).lines(), served, script }
    }

    async fn say(&mut self, line: &str) {
        self.write.write_all(line.as_bytes()).await.unwrap();
        self.write.write_all(b"\n").await.unwrap();
    }

    async fn hear(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap().expect("the pipe is open");
        serde_json::from_str(&line).unwrap()
    }

    async fn greet(&mut self, version: &str) -> Value {
        let params = json!({ "protocolVersion": version, "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" } });
        self.say(&rpc(0, "initialize", params)).await;
        let answer = self.hear().await;
        self.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        answer["result"]["protocolVersion"].clone()
    }
}

#[tokio::test]
async fn every_revision_is_spoken() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut pipe = Pipe::open();
        assert_eq!(pipe.greet(version).await, version);
        pipe.say(&rpc(1, "tools/list", json!({}))).await;
        assert_eq!(pipe.hear().await["result"]["tools"].as_array().unwrap().len(), 3);
    }
    let (near, _served, _script) = serve();
    let version = ProtocolVersion::V_2026_07_28;
    let mode = lifecycle(&version);
    let client = Plain::of(version).serve_with_lifecycle(near, mode).await.unwrap();
    assert_eq!(client.list_all_tools().await.unwrap().len(), 3);
}

#[tokio::test]
async fn a_probe_may_come_before_the_older_handshake() {
    let mut pipe = Pipe::open();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    pipe.say(&rpc(1, "server/discover", json!({ "_meta": meta }))).await;
    let versions = pipe.hear().await["result"]["supportedVersions"].clone();
    assert_eq!(versions[0], "2024-11-05");
    assert_eq!(versions[4], "2026-07-28");
    assert_eq!(pipe.greet("2025-11-25").await, "2025-11-25");
}

#[tokio::test]
async fn noise_is_answered_and_survived() {
    let mut pipe = Pipe::open();
    pipe.greet("2025-03-26").await;
    let too_long = format!("\"{}\"", "x".repeat(REQUEST_BYTES));
    let too_many = format!("[{}1]", "1,".repeat(BATCH_MESSAGES));
    for (line, code) in [
        ("secret-value", -32700),
        ("{\"jsonrpc\":\"2.0\"", -32700),
        ("[{]", -32700),
        ("{}", -32600),
        ("[]", -32600),
        (too_many.as_str(), -32600),
        (too_long.as_str(), -32600),
    ] {
        pipe.say("").await;
        pipe.say(line).await;
        let answer = pipe.hear().await;
        assert_eq!(answer["error"]["code"], code);
        assert!(!answer.to_string().contains("secret-value"));
    }
    pipe.say(&format!("[{},{}]", rpc(1, "ping", json!({})), rpc(2, "ping", json!({})))).await;
    let mut ids = [pipe.hear().await["id"].clone(), pipe.hear().await["id"].clone()];
    ids.sort_by_key(Value::as_u64);
    assert_eq!(ids, [json!(1), json!(2)]);
}

#[tokio::test]
async fn a_pipe_that_cancels_or_closes_leaves_its_run() {
    let slow = json!({ "name": "execute", "arguments": { "code": "slow" } });
    for closes in [false, true] {
        let mut pipe = Pipe::open();
        pipe.greet("2025-11-25").await;
        pipe.say(&rpc(7, "tools/call", slow.clone())).await;
        soon(&pipe.script.listened).await;
        let script = pipe.script.clone();
        if closes {
            drop(pipe);
        } else {
            let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": { "requestId": 7 } });
            pipe.say(&cancel.to_string()).await;
        }
        soon(&script.left).await;
    }
}

#[tokio::test]
async fn it_ends_with_the_pipe() {
    let mut pipe = Pipe::open();
    pipe.greet("2025-11-25").await;
    drop(pipe.write);
    drop(pipe.lines);
    pipe.served.await.unwrap();
}

#[tokio::test]
async fn a_line_is_bounded_at_its_edge() {
    let most = 8;
    let mut read: &[u8] = b"12345678\n123456789\n1\nrest";
    let mut line = Vec::new();
    let mut next = async || {
        line.clear();
        let end = read_line(&mut read, &mut line, most).await.unwrap();
        (end, String::from_utf8(line.clone()).unwrap())
    };
    assert_eq!(next().await, (Line::Whole, "12345678".to_owned()));
    assert_eq!(next().await.0, Line::TooLong);
    assert_eq!(next().await, (Line::Whole, "1".to_owned()));
    assert_eq!(next().await.0, Line::End);
}
