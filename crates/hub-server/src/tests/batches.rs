//! Batches of MCP 2025-03-26.

use crate::tests::support::{Server, rpc};
use hub_core::limits::BATCH_MESSAGES;
use serde_json::{Value, json};

fn batch(messages: &[String]) -> String {
    format!("[{}]", messages.join(", "))
}

#[tokio::test]
async fn each_message_is_answered_in_one_stream() {
    let server = Server::start().await;
    let session = server.session("2025-03-26", json!({})).await;
    let call = |id: u32, code: &str| {
        rpc(id, "tools/call", json!({ "name": "execute", "arguments": { "code": code } }))
    };
    let told = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": { "requestId": 99 } });
    let body = batch(&[
        call(1, "one"),
        told.to_string(),
        call(2, "two"),
        rpc(3, "tools/destroy", json!({})),
        rpc(4, "ping", json!({})),
    ]);
    let got = server.post(body).with("Mcp-Session-Id", &session).send().await;
    assert_eq!(got.status, 200, "{got:?}");
    let mut answers: Vec<Value> =
        got.messages().into_iter().filter(|message| message.get("id").is_some()).collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!(answers.len(), 4, "{answers:?}");
    assert_eq!(answers[0]["result"]["structuredContent"]["result"], "one");
    assert_eq!(answers[1]["result"]["structuredContent"]["result"], "two");
    assert_eq!(answers[2]["error"]["code"], -32601);
    assert!(answers[3].get("result").is_some());
}

#[tokio::test]
async fn notifications_alone_are_accepted() {
    let server = Server::start().await;
    let session = server.session("2025-03-26", json!({})).await;
    let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
    let ask = server.post(batch(&[told.clone(), told])).with("Mcp-Session-Id", &session);
    assert_eq!(ask.send().await.status, 202);
}

#[tokio::test]
async fn a_batch_has_its_revision_its_size_and_no_handshake() {
    let server = Server::start().await;
    let session = server.session("2025-03-26", json!({})).await;
    let ping = |id: usize| rpc(id as u32, "ping", json!({}));
    let pings = |count: usize| batch(&(0..count).map(ping).collect::<Vec<_>>());
    let send = |body: String, version: Option<&'static str>| {
        let ask = server.post(body).with("Mcp-Session-Id", &session);
        match version {
            Some(version) => ask.with("MCP-Protocol-Version", version),
            None => ask,
        }
    };
    assert_eq!(send(pings(2), Some("2025-03-26")).send().await.status, 200);
    for version in ["2025-06-18", "2025-11-25"] {
        let got = send(pings(2), Some(version)).send().await;
        assert_eq!(got.status, 400, "{version}");
        assert_eq!(got.json()["error"]["code"], -32600, "{version}");
    }
    let got = send(pings(BATCH_MESSAGES), None).send().await;
    assert_eq!(got.messages().iter().filter(|m| m.get("result").is_some()).count(), BATCH_MESSAGES);
    assert_eq!(send(pings(BATCH_MESSAGES + 1), None).send().await.status, 400);
    let greeting = rpc(
        1,
        "initialize",
        json!({ "protocolVersion": "2025-03-26",
        "capabilities": {}, "clientInfo": { "name": "x", "version": "1" } }),
    );
    assert_eq!(server.post(batch(&[greeting, ping(2)])).send().await.status, 400);
}
