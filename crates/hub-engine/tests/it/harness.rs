//! A hub in memory: arrange by builder, act, look.

use hub_core::catalog::Transport;
use hub_core::envelope::ExecuteEnvelope;
use hub_core::owner::ElicitationMode;
use hub_core::pending::{Channel, Choice};
use hub_engine::{
    Caller, Decide, DecidedView, Deps, Engine, EngineConfig, Execute, ExecuteAnswer, FormReply,
    Forms, NewSource, Screen, Shown, Wait,
};
use hub_testkit::{
    AnyObject, ByName, CharTokens, FakeClock, MemoryStore, RustDriver, ScriptedUpstream,
    SeededRandom, fixtures,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Everything a test holds.
pub struct Hub {
    pub engine: Engine,
    pub clock: FakeClock,
    pub store: Arc<MemoryStore>,
    pub upstream: Arc<ScriptedUpstream>,
    pub driver: Arc<RustDriver>,
    pub screen: Arc<Pages>,
    pub config: EngineConfig,
    seed: AtomicUsize,
}

/// Counts the pages that were opened.
#[derive(Default)]
pub struct Pages(pub AtomicUsize);

impl Screen for Pages {
    fn open(&self, _run: &hub_core::id::RunId) -> bool {
        self.0.fetch_add(1, Ordering::SeqCst);
        true
    }
}

impl Hub {
    /// A hub with a source `demo`: `read` (read-only), `write` (allowed effect), `ask` (asks),
    /// all of which echo their arguments.
    pub async fn new() -> Self {
        Self::with(EngineConfig::default()).await
    }

    /// The same with other limits.
    pub async fn with(config: EngineConfig) -> Self {
        let clock = FakeClock::at(fixtures::T0);
        let store = MemoryStore::new();
        let upstream = ScriptedUpstream::new(Arc::new(clock.clone()));
        let driver = RustDriver::new();
        let screen = Arc::new(Pages::default());
        let engine = open(&clock, &store, &upstream, &driver, &screen, &config, 1).await;
        let seed = AtomicUsize::new(2);
        let hub = Self { engine, clock, store, upstream, driver, screen, config, seed };
        hub.demo().await;
        hub
    }

    async fn demo(&self) {
        let mut write = fixtures::tool("write");
        write.annotations.destructive_hint = Some(false);
        write.annotations.open_world_hint = Some(false);
        for tool in [fixtures::read_tool("read"), write, fixtures::tool("ask")] {
            self.upstream.tool("demo", tool, hub_testkit::Step::echo());
        }
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
        self.engine.add_source(new).await.expect("demo is added");
    }

    /// The hub dies and another one opens the same store.
    pub async fn crash(&mut self) {
        self.store = self.store.crash();
        self.reopen().await;
    }

    /// Another engine on the same store.
    pub async fn reopen(&mut self) {
        self.store = self.store.take_over();
        let seed = self.seed.fetch_add(1, Ordering::SeqCst) as u64;
        let (clock, store, config) = (&self.clock, &self.store, &self.config);
        let (upstream, driver, screen) = (&self.upstream, &self.driver, &self.screen);
        self.engine = open(clock, store, upstream, driver, screen, config, seed).await;
    }

    /// The hub ends, and one with another build of the sandbox opens the same store.
    pub async fn upgrade(&mut self, build: &str) {
        self.engine.shut_down().await;
        self.driver = self.driver.build(build);
        self.reopen().await;
    }

    /// Polls a request until so many calls were received in all; then the client is gone.
    pub async fn give_up(&self, code: &str, received: usize) {
        let request = self.run(code);
        tokio::pin!(request);
        tokio::select! {
            outcome = &mut request => panic!("it came to rest: {outcome:?}"),
            () = self.upstream.until_received(received) => {}
        }
    }

    /// `execute({code})` as client `agent`.
    pub async fn run(&self, code: &str) -> Outcome {
        self.ask(&caller("agent"), Execute::Code(code.into())).await
    }

    /// `execute({resume})` as client `agent`.
    pub async fn resume(&self, run: &str) -> Outcome {
        self.ask(&caller("agent"), Execute::Resume(run.into())).await
    }

    /// Any request of any caller.
    pub async fn ask(&self, caller: &Caller, what: Execute) -> Outcome {
        let answer = self.engine.execute(caller, what, FormReply::default(), Wait::default()).await;
        match answer.expect("an answer") {
            ExecuteAnswer::Envelope(shown) => Outcome::new(shown),
            ExecuteAnswer::AskForms { .. } => panic!("asked by form"),
        }
    }

    /// Decides the first pending of a run in a terminal.
    pub async fn decide(&self, outcome: &Outcome, choice: Choice) -> DecidedView {
        let pending = outcome.envelope.pending.as_ref().expect("something waits")[0].id.clone();
        self.decide_id(&pending, choice).await
    }

    /// Decides a pending by its identifier.
    pub async fn decide_id(&self, pending: &str, choice: Choice) -> DecidedView {
        let decide = Decide {
            pending: hub_core::id::PendingId::new(pending),
            choice,
            channel: Channel::Terminal,
            by: "test".into(),
            narrow: Vec::new(),
        };
        self.engine.decide(decide).await.expect("decided")
    }
}

async fn open(
    clock: &FakeClock,
    store: &Arc<MemoryStore>,
    upstream: &Arc<ScriptedUpstream>,
    driver: &Arc<RustDriver>,
    screen: &Arc<Pages>,
    config: &EngineConfig,
    seed: u64,
) -> Engine {
    let deps = Deps {
        store: store.clone(),
        upstream: upstream.clone(),
        driver: driver.clone(),
        others: Vec::new(),
        prepare: Arc::new(ByName),
        types: Arc::new(AnyObject),
        tokens: Arc::new(CharTokens),
        clock: Arc::new(clock.clone()),
        random: Arc::new(SeededRandom::new(seed)),
        screen: screen.clone(),
    };
    Engine::open(deps, config.clone()).await.expect("the engine opens")
}

/// What a request was answered.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub envelope: ExecuteEnvelope,
    pub shown: Shown,
}

impl Outcome {
    fn new(shown: Shown) -> Self {
        Self { envelope: shown.envelope().expect("an envelope"), shown }
    }

    pub fn run(&self) -> &str {
        self.envelope.run_id.as_str()
    }

    pub fn status(&self) -> &str {
        self.envelope.status.as_str()
    }

    pub fn error(&self) -> &str {
        self.envelope.error.as_ref().map(|e| e.code.as_str()).unwrap_or_default()
    }
}

/// A 2026-07-28 client that shows forms.
pub fn with_forms(client: &str) -> Caller {
    Caller { forms: Forms::InputRequired, ..caller(client) }
}

/// A client without forms.
pub fn caller(client: &str) -> Caller {
    Caller {
        owner: fixtures::owner(client),
        client: client.into(),
        mode: ElicitationMode::Auto,
        dedupe: true,
        forms: Forms::None,
    }
}
