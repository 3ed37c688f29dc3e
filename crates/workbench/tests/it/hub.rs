//! The engine with programs in Rust and a scripted source, on SQLite.

use hub_core::catalog::Transport;
use hub_core::envelope::ExecuteEnvelope;
use hub_core::id::PendingId;
use hub_core::owner::ElicitationMode;
use hub_core::pending::{Channel, Choice};
use hub_core::ports::UpstreamCall;
use hub_core::time::UnixMillis;
use hub_engine::{
    Caller, Decide, DecidedView, Deps, Engine, EngineConfig, Execute, ExecuteAnswer, FormReply,
    Forms, NewSource, Screen, Wait,
};
use hub_store::{Options, SqliteStore};
use hub_testkit::{
    AnyObject, ByName, CharTokens, FakeClock, RustDriver, ScriptedUpstream, SeededRandom, Step,
    fixtures,
};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// The tools of the source: `read`, effects that policy lets go (`put` may be sent again), one
/// that asks.
const TOOLS: [&str; 4] = ["read", "write", "put", "ask"];

struct NoScreen;

impl Screen for NoScreen {
    fn open(&self, _: &hub_core::id::RunId) -> bool {
        false
    }
}

/// One life of a hub. Dropping it ends it without a word.
pub struct Hub {
    pub engine: Engine,
    pub store: Arc<SqliteStore>,
    pub upstream: Arc<ScriptedUpstream>,
    clock: FakeClock,
}

/// What tools do beside answering with their arguments.
pub type Heard = Arc<dyn Fn(&UpstreamCall) + Send + Sync>;

impl Hub {
    /// Opens the store in `folder` as the product does.
    pub async fn open(
        folder: &Path,
        options: Options,
        driver: Arc<RustDriver>,
        now: UnixMillis,
        heard: Heard,
    ) -> Self {
        let store = SqliteStore::open(folder, options).unwrap();
        let clock = FakeClock::at(now);
        let upstream = ScriptedUpstream::new(Arc::new(clock.clone()));
        for name in TOOLS {
            let heard = heard.clone();
            let echo = Step::with(move |call| {
                heard(call);
                Ok(hub_core::ports::Answer::Value(call.arguments.clone()))
            });
            upstream.tool("demo", tool(name), echo);
        }
        let deps = Deps {
            store: store.clone(),
            upstream: upstream.clone(),
            driver,
            others: Vec::new(),
            prepare: Arc::new(ByName),
            types: Arc::new(AnyObject),
            tokens: Arc::new(CharTokens),
            clock: Arc::new(clock.clone()),
            random: Arc::new(SeededRandom::new(now.0.unsigned_abs())),
            screen: Arc::new(NoScreen),
        };
        let engine = Engine::open(deps, EngineConfig::default()).await.unwrap();
        if store.restored().is_some() {
            engine.end_restored_runs().await.unwrap();
            store.settle_restored().await.unwrap();
        }
        Self { engine, store, upstream, clock }
    }

    /// The same, and nobody listens.
    pub async fn quiet(folder: &Path, driver: Arc<RustDriver>, now: UnixMillis) -> Self {
        Self::open(folder, Options::default(), driver, now, Arc::new(|_| {})).await
    }

    /// Adds the source.
    pub async fn add_source(&self) {
        let transport = Transport::Http { url: "https://demo.example/mcp".into() };
        let new = NewSource {
            name: "demo".into(),
            transport,
            trusted: true,
            effects: Default::default(),
            timeout_ms: None,
            concurrency: None,
            from_file: false,
        };
        self.engine.add_source(new).await.unwrap();
    }

    /// One request of the agent.
    pub async fn ask(&self, what: Execute) -> ExecuteEnvelope {
        let caller = Caller {
            owner: fixtures::owner("agent"),
            client: "agent".into(),
            mode: ElicitationMode::Auto,
            dedupe: true,
            forms: Forms::None,
        };
        let reply = FormReply::default();
        let answer = tokio::select! {
            answer = self.engine.execute(&caller, what, reply, Wait::default()) => answer.unwrap(),
            () = ticking(&self.clock) => panic!("the clock stopped"),
        };
        match answer {
            ExecuteAnswer::Envelope(shown) => shown.envelope().unwrap(),
            ExecuteAnswer::AskForms { .. } => panic!("asked by form"),
        }
    }

    /// `execute({code})`.
    pub async fn run(&self, code: &str) -> ExecuteEnvelope {
        self.ask(Execute::Code(code.into())).await
    }

    /// `execute({resume})`.
    pub async fn resume(&self, run: &str) -> ExecuteEnvelope {
        self.ask(Execute::Resume(run.into())).await
    }

    /// A person decides in a terminal.
    pub async fn decide(&self, pending: &str, choice: Choice) -> DecidedView {
        let decide = Decide {
            pending: PendingId::new(pending),
            choice,
            channel: Channel::Terminal,
            by: "person".into(),
            narrow: Vec::new(),
        };
        self.engine.decide(decide).await.unwrap()
    }

    /// Everything the source received, as `tool arguments`.
    pub fn received(&self) -> Vec<String> {
        let calls = self.upstream.calls();
        calls.iter().map(|c| format!("{} {}", c.tool, c.arguments)).collect()
    }
}

/// Lets the timers of programs fire, which are short; nothing else waits for the clock.
async fn ticking(clock: &FakeClock) {
    loop {
        tokio::task::yield_now().await;
        if clock.next_in().is_some_and(|ms| ms <= 100) {
            clock.advance_to_next();
        }
    }
}

fn tool(name: &str) -> hub_core::catalog::ToolDef {
    let mut tool = match name {
        "read" => return fixtures::read_tool(name),
        "ask" => return fixtures::tool(name),
        name => fixtures::tool(name),
    };
    tool.annotations.destructive_hint = Some(false);
    tool.annotations.open_world_hint = Some(false);
    tool.annotations.idempotent_hint = Some(name == "put");
    tool
}

/// Programs by name: `life` is a life with every kind of call, and returns what came of each.
pub fn driver() -> Arc<RustDriver> {
    let driver = RustDriver::new();
    driver.program("life", |api| async move {
        let mut seen = vec![outcome("read", 0, api.call("demo.read", json!({ "i": 0 })).await)];
        for i in 1..4 {
            seen.push(outcome("write", i, api.call("demo.write", json!({ "i": i })).await));
        }
        let together: Vec<_> = (4..7).map(|i| api.call("demo.write", json!({ "i": i }))).collect();
        for (i, call) in (4..).zip(together) {
            seen.push(outcome("write", i, call.await));
        }
        let asked: Vec<_> = (7..9).map(|i| api.call("demo.ask", json!({ "i": i }))).collect();
        let put = api.call("demo.put", json!({ "i": 9 }));
        for (i, call) in (7..).zip(asked) {
            seen.push(outcome("ask", i, call.await));
        }
        seen.push(outcome("put", 9, put.await));
        for i in 10..13 {
            seen.push(outcome("write", i, api.call("demo.write", json!({ "i": i })).await));
            seen.push(outcome("read", i, api.call("demo.read", json!({ "i": i })).await));
        }
        Ok(json!(seen))
    });
    driver
}

fn outcome(tool: &str, i: u32, came: Result<Value, hub_core::ports::GuestError>) -> Value {
    let code = came.map_or_else(|e| e.tool.unwrap().code.as_str(), |_| "ok");
    json!([format!("{tool} {}", json!({ "i": i })), code])
}
