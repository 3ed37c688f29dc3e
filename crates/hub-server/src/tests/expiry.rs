//! A form that is answered too late, over the wire: a whole engine behind the endpoint, and a
//! clock that the test moves.

use crate::listen::{Bound, ServeConfig, serve};
use crate::tests::listening::Unused;
use crate::tests::support::{Ask, rpc, source};
use hub_core::limits::{PENDING_LIFE_MS, REQUEST_STATE_LIFE_MS};
use hub_core::owner::ElicitationMode;
use hub_engine::{Deps, Engine, EngineConfig};
use hub_testkit::{
    AnyObject, ByName, CharTokens, FakeClock, MemoryStore, RustDriver, ScriptedUpstream,
    SeededRandom, Step, fixtures,
};
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio_util::sync::{CancellationToken, DropGuard};

struct Hub {
    bound: Bound,
    clock: FakeClock,
    upstream: Arc<ScriptedUpstream>,
    key: String,
    _folder: TempDir,
    _stop: DropGuard,
}

impl Hub {
    async fn start() -> Self {
        let clock = FakeClock::at(fixtures::T0);
        let upstream = ScriptedUpstream::new(Arc::new(clock.clone()));
        upstream.tool("demo", fixtures::tool("ask"), Step::echo());
        let driver = RustDriver::new();
        driver.program("one", |api| async move { api.call("demo.ask", json!({})).await });
        let deps = Deps {
            store: MemoryStore::new(),
            upstream: upstream.clone(),
            driver,
            others: Vec::new(),
            prepare: Arc::new(ByName),
            types: Arc::new(AnyObject),
            tokens: Arc::new(CharTokens),
            clock: Arc::new(clock.clone()),
            random: Arc::new(SeededRandom::new(1)),
            screen: Arc::new(Unused),
        };
        let engine = Engine::open(deps, EngineConfig::default()).await.unwrap();
        engine.add_source(source("demo")).await.unwrap();
        let key = engine.issue_key("agent", ElicitationMode::Auto, true).await.unwrap().token;
        let folder = TempDir::new().unwrap();
        let stop = CancellationToken::new();
        let (told, bound) = oneshot::channel();
        let sockets = folder.path().join("run");
        let config = ServeConfig { port: 0, sockets, stop: stop.clone(), bound: Some(told) };
        tokio::spawn(serve(engine, config));
        let (bound, _stop) = (bound.await.unwrap(), stop.drop_guard());
        Self { bound, clock, upstream, key, _folder: folder, _stop }
    }

    /// Sends the program, with what came of forms where there were any.
    async fn execute(&self, more: Value) -> Value {
        let mut params = json!({ "name": "execute", "arguments": { "code": "one" }, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } } } });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let ask = Ask::new(self.bound.port, "POST", "/mcp")
            .with("Authorization", &format!("Bearer {}", self.key))
            .with("Content-Type", "application/json")
            .with("Accept", "application/json")
            .with("MCP-Protocol-Version", "2026-07-28")
            .with("Mcp-Method", "tools/call")
            .with("Mcp-Name", "execute")
            .body(rpc(1, "tools/call", params));
        ask.send().await.json()
    }

    /// The yes to everything that a result asks.
    fn yes(asked: &Value) -> Value {
        assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
        let requests = asked["result"]["inputRequests"].as_object().unwrap();
        let yes = json!({ "action": "accept", "content": { "decision": "allow_once" } });
        let answers = requests.keys().map(|id| (id.clone(), yes.clone()));
        json!({ "requestState": asked["result"]["requestState"],
            "inputResponses": Value::Object(answers.collect()) })
    }
}

#[tokio::test]
async fn an_answer_in_time_is_taken_and_a_late_one_is_refused_like_a_forged_one() {
    let hub = Hub::start().await;
    let yes = Hub::yes(&hub.execute(json!({})).await);
    let mut forged = yes.clone();
    forged["requestState"] = json!("x");
    let forged = hub.execute(forged).await;
    assert_eq!(forged["error"]["code"], -32602, "{forged}");

    hub.clock.advance(REQUEST_STATE_LIFE_MS as u64);
    let late = hub.execute(yes).await;
    assert_eq!(late["error"], forged["error"], "{late}");
    assert_eq!(hub.upstream.count("demo", "ask"), 0);

    let hub = Hub::start().await;
    let yes = Hub::yes(&hub.execute(json!({})).await);
    hub.clock.advance(REQUEST_STATE_LIFE_MS.min(PENDING_LIFE_MS) as u64 - 1);
    let done = hub.execute(yes).await;
    assert_eq!(done["result"]["structuredContent"]["status"], "completed", "{done}");
    assert_eq!(hub.upstream.count("demo", "ask"), 1);
}

/// The call itself waits no longer than its pending: the run ends, and says so.
#[tokio::test]
async fn a_call_that_nobody_decided_in_time_ends_its_run() {
    let hub = Hub::start().await;
    let asked = hub.execute(json!({})).await;
    Hub::yes(&asked);
    hub.clock.advance(PENDING_LIFE_MS as u64);
    let ended = hub.execute(json!({})).await;
    let envelope = &ended["result"]["structuredContent"];
    assert_eq!(envelope["status"], "cancelled", "{ended}");
    assert_eq!(envelope["error"]["code"], "approval_expired", "{ended}");
    assert_eq!(hub.upstream.count("demo", "ask"), 0);
}
