//! The direct surface on the wire, in both eras.

use crate::direct::{Direct, DirectAnswer, DirectCall, DirectRefusal};
use crate::door::Door;
use crate::mcp::surface::Surface;
use crate::tests::attendance::{read_until, soon};
use crate::tests::support::{Script, Server, rpc};
use hub_core::catalog::ToolDef;
use hub_core::owner::ClientKey;
use hub_core::ports::{BoxFuture, Progress};
use hub_engine::{Caller, EngineError, Form, Forms};
use hub_testkit::fixtures;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::{Notify, watch};

/// Answers by the name of the tool.
struct Played {
    changes: watch::Sender<u64>,
    called: Notify,
    left: Notify,
}

impl Door for Played {
    fn authenticate<'a>(
        &'a self,
        token: &'a str,
    ) -> BoxFuture<'a, Result<Option<ClientKey>, EngineError>> {
        let key = fixtures::key(token.trim_start_matches("token-"));
        Box::pin(std::future::ready(Ok(Some(key))))
    }

    fn ready(&self) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn instructions(&self, _caller: &Caller) -> String {
        String::new()
    }
}

impl Direct for Played {
    fn tools(&self) -> Arc<[ToolDef]> {
        let mut tools = vec![fixtures::tool("blocks")];
        if *self.changes.borrow() > 0 {
            tools.push(fixtures::tool("one_more"));
        }
        tools.into()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn call<'a>(
        &'a self,
        caller: &'a Caller,
        call: DirectCall,
    ) -> BoxFuture<'a, Result<DirectAnswer, DirectRefusal>> {
        Box::pin(async move {
            let text = |text: &str| json!({ "type": "text", "text": text });
            let result = match call.tool.as_str() {
                "blocks" => json!({
                    "content": [text("a"), { "type": "hologram", "depth": 3 }],
                    "structuredContent": [1],
                    "_meta": { "theirs": 1 }
                }),
                "talks" => {
                    talk(&call);
                    json!({ "content": [text("said")] })
                }
                "asks" => return ask(caller, call).await,
                "refuses" => {
                    let data = r#"{"requiredCapabilities":{"sampling":{}}}"#.to_owned();
                    let message = "it needs sampling".to_owned();
                    return Err(DirectRefusal { code: -32021, message, data: Some(data) });
                }
                _ => {
                    let _left = Left(&self.left);
                    self.called.notify_one();
                    std::future::pending().await
                }
            };
            Ok(DirectAnswer::Result(result.to_string()))
        })
    }
}

struct Left<'a>(&'a Notify);

impl Drop for Left<'_> {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

fn talk(call: &DirectCall) {
    for (done, level) in [(0.0, "debug"), (50.0, "info"), (50.0, "odd"), (100.0, "error")] {
        if let Some(tell) = &call.progress {
            tell(Progress { done, of: Some(100.0), message: Some(level) });
        }
        (call.hand_on.logs)(&json!({ "level": level, "data": done }).to_string());
    }
}

async fn ask(caller: &Caller, call: DirectCall) -> Result<DirectAnswer, DirectRefusal> {
    let requested_schema = json!({
        "type": "object",
        "properties": { "name": { "type": "string", "default": "x" } }
    });
    let said = match &caller.forms {
        Forms::InputRequired if call.reply.state.is_none() => {
            let params = json!({
                "mode": "form", "message": "Who?", "requestedSchema": requested_schema
            });
            let requests = json!({ "who": { "method": "elicitation/create", "params": params } });
            let (requests, state) = (requests.to_string(), "sealed".to_owned());
            return Ok(DirectAnswer::Asks { requests, state });
        }
        Forms::InputRequired => json!([call.reply.state, call.reply.responses]),
        Forms::Live(forms) => {
            json!(forms.ask(&Form { message: "Who?".into(), requested_schema }).await)
        }
        Forms::None => json!("nobody"),
    };
    let result = json!({ "content": [{ "type": "text", "text": said.to_string() }] });
    Ok(DirectAnswer::Result(result.to_string()))
}

async fn serve() -> (Server, Arc<Played>) {
    let played = Arc::new(Played {
        changes: watch::Sender::new(0),
        called: Notify::new(),
        left: Notify::new(),
    });
    let server = Server::of(Surface::Direct(played.clone()), Arc::new(Script::default())).await;
    (server, played)
}

fn older(tool: &str) -> String {
    rpc(1, "tools/call", json!({ "name": tool, "arguments": {} }))
}

#[tokio::test]
async fn a_result_is_handed_on_and_an_odd_block_costs_only_itself() {
    let (server, _) = serve().await;
    let session = server.session("2025-11-25", json!({})).await;
    let modern = server.call("blocks", json!({}), json!({})).send().await.json();
    let legacy = server.post(older("blocks")).with("Mcp-Session-Id", &session).send().await.json();
    for answer in [&modern, &legacy] {
        let blocks = answer["result"]["content"].as_array().unwrap();
        assert!(blocks.iter().all(|block| block["type"] == "text"), "{answer}");
        assert!(blocks.iter().any(|block| block["text"] == "a"));
        assert!(blocks.iter().any(|block| block["text"].to_string().contains("hologram")));
        assert_eq!(answer["result"]["_meta"]["theirs"], 1);
    }
    let info = &modern["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(info["name"], "capabilities");
    assert_eq!(modern["result"]["resultType"], "complete");
    assert_eq!(modern["result"]["structuredContent"], json!([1]));
    assert!(legacy["result"].get("resultType").is_none());
    assert!(legacy["result"].get("structuredContent").is_none(), "older agents know objects only");
}

#[tokio::test]
async fn what_the_source_says_is_told_in_order_as_far_as_it_was_asked_for() {
    let (server, _) = serve().await;
    let told = |messages: Vec<Value>| -> Vec<Value> {
        let params = messages.into_iter().filter(|m| m["method"].is_string());
        params.map(|mut m| m["params"].take()).collect()
    };
    let mut params = json!({ "name": "talks", "arguments": {} });
    params["_meta"]["progressToken"] = json!(7);
    params["_meta"]["io.modelcontextprotocol/logLevel"] = json!("info");
    let both = server.modern("tools/call", params, json!({})).with("Mcp-Name", "talks");
    let both = told(both.send().await.messages());
    let progress: Vec<&Value> = both.iter().filter_map(|p| p.get("progress")).collect();
    assert_eq!(json!(progress), json!([0.0, 50.0, 100.0]), "only what grows: {both:?}");
    assert!(both.iter().filter(|p| p.get("progress").is_some()).all(|p| p["total"] == 100.0));
    let levels: Vec<&Value> = both.iter().filter_map(|p| p.get("level")).collect();
    assert_eq!(json!(levels), json!(["info", "error"]));
    let none = server.call("talks", json!({}), json!({})).send().await;
    assert_eq!(told(none.messages()), Vec::<Value>::new());
    let json_only = server.call("talks", json!({}), json!({})).with("Accept", "application/json");
    assert_eq!(json_only.send().await.json()["result"]["content"][0]["text"], "said");
}

#[tokio::test]
async fn a_source_asks_the_person_as_the_agent_can_show_it() {
    let (server, _) = serve().await;
    let forms = json!({ "elicitation": {} });
    let asked = server.call("asks", json!({}), forms.clone()).send().await.json();
    assert_eq!(asked["result"]["resultType"], "input_required");
    assert_eq!(asked["result"]["requestState"], "sealed");
    let form = &asked["result"]["inputRequests"]["who"]["params"]["requestedSchema"];
    assert_eq!(form["properties"]["name"]["default"], "x");
    let answer = json!({ "action": "accept", "content": { "name": "y" } });
    let back = json!({
        "name": "asks", "arguments": {},
        "inputResponses": { "who": answer }, "requestState": "sealed"
    });
    let done = server.modern("tools/call", back, forms).with("Mcp-Name", "asks").send().await;
    let said = done.json()["result"]["content"][0]["text"].take();
    assert_eq!(said, json!(["sealed", { "who": answer }]).to_string());
    let nobody = server.call("asks", json!({}), json!({})).send().await.json();
    assert_eq!(nobody["result"]["content"][0]["text"], "\"nobody\"");
}

#[tokio::test]
async fn a_refusal_keeps_its_code_and_data() {
    let (server, _) = serve().await;
    let refused = server.call("refuses", json!({}), json!({})).send().await;
    assert_eq!(refused.status, 400);
    let error = &refused.json()["error"];
    assert_eq!(error["code"], -32021);
    assert_eq!(error["data"]["requiredCapabilities"], json!({ "sampling": {} }));
}

#[tokio::test]
async fn an_agent_that_leaves_ends_its_call() {
    let (server, played) = serve().await;
    let session = server.session("2025-11-25", json!({})).await;
    let modern = server.call("slow", json!({}), json!({}));
    let legacy = server.post(older("slow")).with("Mcp-Session-Id", &session);
    for ask in [modern, legacy] {
        let stream = ask.open().await;
        soon(&played.called).await;
        drop(stream);
        soon(&played.left).await;
    }
}

#[tokio::test]
async fn a_change_of_the_list_is_announced_to_all_that_listen() {
    let (server, played) = serve().await;
    let listens = json!({ "notifications": { "toolsListChanged": true } });
    let mut modern = server.modern("subscriptions/listen", listens, json!({})).open().await;
    read_until(&mut modern, "notifications/subscriptions/acknowledged").await;
    let other = json!({ "notifications": { "promptsListChanged": true } });
    let mut deaf = server.modern("subscriptions/listen", other, json!({})).open().await;
    read_until(&mut deaf, "notifications/subscriptions/acknowledged").await;
    let session = server.session("2025-11-25", json!({})).await;
    let get = server.post("").method("GET").with("Accept", "text/event-stream");
    let mut legacy = get.with("Mcp-Session-Id", &session).open().await;
    played.changes.send_modify(|count| *count += 1);
    let told = read_until(&mut modern, "notifications/tools/list_changed").await;
    assert!(told.contains("io.modelcontextprotocol/subscriptionId"), "{told}");
    read_until(&mut legacy, "notifications/tools/list_changed").await;
    let listed = server.modern("tools/list", json!({}), json!({})).send().await.json();
    assert_eq!(listed["result"]["tools"][1]["name"], "one_more");
    assert_eq!(listed["result"]["cacheScope"], "private");
    drop(server);
    let mut rest = Vec::new();
    tokio::io::AsyncReadExt::read_to_end(&mut deaf, &mut rest).await.ok();
    assert!(!String::from_utf8_lossy(&rest).contains("list_changed"), "it did not ask for that");
}

#[tokio::test]
async fn only_what_can_change_or_log_is_declared() {
    let (direct, _) = serve().await;
    let code = Server::start().await;
    for (server, changes) in [(&direct, true), (&code, false)] {
        let found = server.modern("server/discover", json!({}), json!({})).send().await.json();
        let able = &found["result"]["capabilities"];
        assert_eq!(able["tools"].get("listChanged").is_some(), changes);
        assert_eq!(able.get("logging").is_some(), changes);
        let session = server.session("2025-11-25", json!({})).await;
        let set = rpc(2, "logging/setLevel", json!({ "level": "error" }));
        let set = server.post(set).with("Mcp-Session-Id", &session).send().await.json();
        assert_eq!(set.get("result").is_some(), changes, "{set}");
    }
}
