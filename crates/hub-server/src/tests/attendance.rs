//! A closed stream and a cancellation take attendance away: the engine's future is dropped.

use crate::tests::support::{Server, rpc};
use serde_json::json;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

/// Long enough for a slow machine; reached only where the behaviour is wrong.
const NEVER: Duration = Duration::from_secs(60);

/// Reads until `text` was seen.
pub async fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let mut seen = Vec::new();
    let reading = async {
        while !String::from_utf8_lossy(&seen).contains(text) {
            let mut chunk = [0; 4096];
            let read = stream.read(&mut chunk).await.unwrap();
            assert_ne!(read, 0, "ended: {}", String::from_utf8_lossy(&seen));
            seen.extend_from_slice(&chunk[..read]);
        }
    };
    tokio::time::timeout(NEVER, reading).await.expect("it never came");
    String::from_utf8(seen).unwrap()
}

pub async fn soon(told: &tokio::sync::Notify) {
    tokio::time::timeout(NEVER, told.notified()).await.expect("nobody told");
}

fn slow(progress: bool) -> serde_json::Value {
    let mut params = json!({ "name": "execute", "arguments": { "code": "slow" } });
    if progress {
        params["_meta"]["progressToken"] = json!("p");
    }
    params
}

#[tokio::test]
async fn a_stateless_client_that_closes_leaves() {
    let server = Server::start().await;
    for progress in [false, true] {
        let ask = server.modern("tools/call", slow(progress), json!({}));
        let stream = ask.with("Mcp-Name", "execute").open().await;
        soon(&server.script.listened).await;
        drop(stream);
        soon(&server.script.left).await;
    }
}

#[tokio::test]
async fn an_older_client_that_closes_leaves_and_its_session_stays() {
    let server = Server::start().await;
    let session = server.session("2025-11-25", json!({})).await;
    for progress in [false, true] {
        let ask = server.post(rpc(1, "tools/call", slow(progress)));
        let stream = ask.with("Mcp-Session-Id", &session).open().await;
        soon(&server.script.listened).await;
        drop(stream);
        soon(&server.script.left).await;
    }
    let ask = server.post(rpc(2, "ping", json!({}))).with("Mcp-Session-Id", &session);
    assert_eq!(ask.send().await.status, 200);
}

#[tokio::test]
async fn an_older_client_that_comes_back_finds_its_answer() {
    let server = Server::start().await;
    let session = server.session("2025-11-25", json!({})).await;
    let ask = server.post(rpc(1, "tools/call", slow(false)));
    let mut stream = ask.with("Mcp-Session-Id", &session).open().await;
    let seen = read_until(&mut stream, "id:").await;
    let last = seen.lines().find_map(|line| line.strip_prefix("id:")).unwrap().trim().to_owned();
    soon(&server.script.listened).await;
    drop(stream);
    soon(&server.script.left).await;

    let back = || {
        server
            .post("")
            .method("GET")
            .with("Accept", "text/event-stream")
            .with("Mcp-Session-Id", &session)
            .with("Last-Event-ID", &last)
    };
    // It may leave again before the end.
    let stream = back().open().await;
    soon(&server.script.listened).await;
    drop(stream);
    soon(&server.script.left).await;

    let mut stream = back().open().await;
    soon(&server.script.listened).await;
    server.script.gate.notify_one();
    read_until(&mut stream, "slowly").await;
    assert_eq!(server.script.callers.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn an_older_client_that_cancels_leaves() {
    let server = Server::start().await;
    let session = server.session("2025-06-18", json!({})).await;
    let ask = server.post(rpc(5, "tools/call", slow(false)));
    let _stream = ask.with("Mcp-Session-Id", &session).open().await;
    soon(&server.script.listened).await;
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": { "requestId": 5 } });
    server.post(cancel.to_string()).with("Mcp-Session-Id", &session).send().await;
    soon(&server.script.left).await;
}

#[tokio::test]
async fn an_answer_read_to_its_end_is_no_leaving() {
    let server = Server::start().await;
    let ask = server.modern("tools/call", slow(false), json!({})).with("Mcp-Name", "execute");
    let answer = tokio::spawn(ask.send());
    soon(&server.script.listened).await;
    server.script.gate.notify_one();
    let got = answer.await.unwrap();
    assert_eq!(got.json()["result"]["structuredContent"]["result"], "slowly");
}
