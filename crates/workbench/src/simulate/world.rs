//! One life of a run: engines that are killed, a store that stays, a source that counts.

use super::program::Program;
use hub_core::catalog::Transport;
use hub_core::envelope::{ExecuteEnvelope, Status};
use hub_core::id::RunId;
use hub_core::journal::{self, Event};
use hub_core::owner::ElicitationMode;
use hub_core::pending::{Channel, Choice};
use hub_core::ports::{Clock, RunStore, Sent, UpstreamErrorKind};
use hub_engine::{
    Caller, Decide, Deps, Engine, EngineConfig, EngineError, Execute, ExecuteAnswer, FormReply,
    Forms, NewSource, Screen, Wait,
};
use hub_testkit::memory::Fault;
use hub_testkit::upstream::Received;
use hub_testkit::{
    AnyObject, ByName, CharTokens, FakeClock, MemoryStore, RustDriver, ScriptedUpstream,
    SeededRandom, Step, fixtures,
};
use serde_json::json;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

/// Passes a run may take before the simulation gives it up.
const PASSES: u64 = 200;

/// When the hub dies.
#[derive(Clone, Copy, Debug)]
pub enum Kill {
    /// At this commit of the life, before or after it is written.
    Commit { number: u64, written: bool },
    /// Once the source has received so many calls, before it answers the last.
    Received { calls: usize },
}

/// What became of a run.
pub struct Played {
    /// The last envelope.
    pub envelope: Option<ExecuteEnvelope>,
    /// The last answer of any kind, for the report.
    pub last: String,
    /// The journal as it stands in the store.
    pub journal: Vec<Event>,
    /// Everything the source received.
    pub received: Vec<Received>,
    /// The program, to be run once more by the oracle.
    pub program: Program,
    /// Passes of all lives.
    pub passes: u64,
    /// Commits and receipts of an undisturbed life.
    commits: u64,
}

impl Played {
    /// Every event of this life at which another may be killed.
    pub fn kill_points(&self) -> Vec<Kill> {
        let commits = (1..=self.commits).flat_map(|number| {
            [Kill::Commit { number, written: false }, Kill::Commit { number, written: true }]
        });
        let received = (1..=self.received.len()).map(|calls| Kill::Received { calls });
        commits.chain(received).collect()
    }
}

struct NoScreen;

impl Screen for NoScreen {
    fn open(&self, _: &RunId) -> bool {
        false
    }
}

/// Everything that outlives an engine.
pub struct World {
    store: Arc<MemoryStore>,
    clock: FakeClock,
    upstream: Arc<ScriptedUpstream>,
    driver: Arc<RustDriver>,
    random: SeededRandom,
    seed: u64,
    run: Option<String>,
    passes: u64,
    last: String,
}

impl World {
    /// Plays a program to its end through these kills.
    pub fn play(program: &Program, seed: u64, kills: &[Kill]) -> Played {
        let clock = FakeClock::at(fixtures::T0);
        let driver = RustDriver::new();
        let main = program.clone();
        driver.program("program", move |api| main.clone().main(api));
        let mut world = World {
            store: MemoryStore::new(),
            upstream: source(Arc::new(clock.clone()), seed),
            clock,
            driver,
            random: SeededRandom::new(seed ^ 0x5eed),
            seed,
            run: None,
            passes: 0,
            last: String::new(),
        };
        let first = world.runtime();
        first.block_on(world.add_source());
        drop(first);
        let before = world.store.commits();
        let mut envelope = None;
        for life in 0..=kills.len() {
            envelope = world.live(kills.get(life).copied());
            if envelope.as_ref().is_some_and(|e| e.status.is_ended()) {
                break;
            }
        }
        world.played(program, envelope, before)
    }

    fn played(self, program: &Program, envelope: Option<ExecuteEnvelope>, before: u64) -> Played {
        let lines = self.run.as_ref().map(|run| {
            let journal = self.store.journal(RunId::new(run));
            futures_util::future::FutureExt::now_or_never(journal)
        });
        let lines = lines.flatten().and_then(Result::ok).unwrap_or_default();
        Played {
            journal: journal::read(lines.iter().map(Vec::as_slice)).unwrap_or_default(),
            received: self.upstream.calls(),
            commits: self.store.commits() - before,
            envelope,
            program: program.clone(),
            passes: self.passes,
            last: self.last,
        }
    }

    fn runtime(&self) -> Runtime {
        Builder::new_current_thread().build().unwrap_or_else(|e| panic!("no runtime: {e}"))
    }

    /// One hub from its start to its death, or to the end of the run.
    fn live(&mut self, kill: Option<Kill>) -> Option<ExecuteEnvelope> {
        let runtime = self.runtime();
        let (upstream, clock, store) =
            (self.upstream.clone(), self.clock.clone(), self.store.clone());
        if let Some(Kill::Commit { number, written }) = kill {
            store.fail_commit(number, if written { Fault::After } else { Fault::Before });
        }
        let envelope = runtime.block_on(async {
            let death = async {
                match kill {
                    Some(Kill::Received { calls }) => upstream.until_received(calls).await,
                    _ => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = death => None,
                envelope = self.drive(kill.is_some()) => envelope,
                () = ticking(&clock) => None,
            }
        });
        // The process is gone with everything it was about to do.
        runtime.shutdown_background();
        self.store = if envelope.is_none() { self.store.crash() } else { self.store.take_over() };
        envelope
    }

    async fn drive(&mut self, mortal: bool) -> Option<ExecuteEnvelope> {
        let engine = self.open().await?;
        let caller = caller();
        for _ in 0..PASSES {
            self.passes += 1;
            let what = match &self.run {
                Some(run) => Execute::Resume(run.clone()),
                None => Execute::Code("program".into()),
            };
            let asked = engine.execute(&caller, what, FormReply::default(), Wait::default()).await;
            self.last = format!("{asked:?}");
            let envelope = match asked {
                Ok(ExecuteAnswer::Envelope(shown)) => shown.envelope()?,
                Ok(ExecuteAnswer::AskForms { .. }) => return None,
                // A power cut took the run before anything of it was durable: sent anew.
                Err(EngineError::NotFound(_)) => {
                    self.run = None;
                    continue;
                }
                Err(_) => return None,
            };
            self.run = Some(envelope.run_id.to_string());
            if envelope.status.is_ended() {
                return Some(envelope);
            }
            if mortal && envelope.error.is_some() {
                return None;
            }
            if envelope.status == Status::AwaitingApproval {
                self.decide(&engine).await;
            }
        }
        None
    }

    async fn decide(&self, engine: &Engine) {
        let waiting = engine.waiting(None).await.unwrap_or_default();
        for view in waiting {
            let choice = match self.random.below(5) {
                0 => Choice::Deny,
                1 => Choice::AllowRun,
                _ => Choice::AllowOnce,
            };
            let decide = Decide {
                pending: view.pending.id,
                choice,
                channel: Channel::Terminal,
                by: "person".into(),
                narrow: Vec::new(),
            };
            let _ = engine.decide(decide).await;
        }
    }

    async fn open(&self) -> Option<Engine> {
        let deps = Deps {
            store: self.store.clone(),
            upstream: self.upstream.clone(),
            driver: self.driver.clone(),
            prepare: Arc::new(ByName),
            types: Arc::new(AnyObject),
            tokens: Arc::new(CharTokens),
            clock: Arc::new(self.clock.clone()),
            random: Arc::new(SeededRandom::new(self.seed ^ self.random.next_u64())),
            screen: Arc::new(NoScreen),
        };
        Engine::open(deps, EngineConfig::default()).await.ok()
    }

    async fn add_source(&self) {
        let Some(engine) = self.open().await else { return };
        let new = NewSource {
            name: "demo".into(),
            transport: Transport::Http { url: "https://demo.example/mcp".into() },
            trusted: true,
            effects: Default::default(),
            timeout_ms: None,
            concurrency: None,
            from_file: false,
        };
        let added = engine.add_source(new).await;
        added.unwrap_or_else(|e| panic!("the source is not added: {e}"));
    }
}

/// Moves the clock whenever nothing else moves.
async fn ticking(clock: &FakeClock) {
    /// Turns of the scheduler in which nothing may happen before the clock is moved.
    const QUIET: u32 = 32;
    loop {
        for _ in 0..QUIET {
            tokio::task::yield_now().await;
        }
        clock.advance_to_next();
    }
}

/// A source of five tools: two kinds of effect, a read, one that asks, one that fails.
fn source(clock: Arc<dyn Clock>, seed: u64) -> Arc<ScriptedUpstream> {
    let upstream = ScriptedUpstream::new(clock);
    let latency = |name: &str| {
        let random = SeededRandom::new(seed ^ name.len() as u64);
        random.below(200)
    };
    let declared = |name: &str, idempotent: bool| {
        let mut tool = fixtures::tool(name);
        tool.annotations.destructive_hint = Some(false);
        tool.annotations.open_world_hint = Some(false);
        tool.annotations.idempotent_hint = Some(idempotent);
        tool
    };
    let echo = |name: &str| Step::echo().after(latency(name));
    upstream.tool("demo", fixtures::read_tool("read"), echo("read"));
    upstream.tool("demo", declared("write", false), echo("write"));
    upstream.tool("demo", declared("put", true), echo("put"));
    upstream.tool("demo", fixtures::tool("ask"), echo("ask"));
    let random = SeededRandom::new(seed);
    let failing = match random.below(3) {
        0 => Step::tool_error("it failed"),
        1 => Step::error(UpstreamErrorKind::Timeout, Sent::Maybe),
        _ => Step::with(|_| Ok(hub_core::ports::Answer::Value(json!("fine").to_string()))),
    };
    upstream.tool("demo", declared("fail", false), failing);
    upstream
}

fn caller() -> Caller {
    Caller {
        owner: fixtures::owner("agent"),
        client: "agent".into(),
        mode: ElicitationMode::Auto,
        dedupe: true,
        forms: Forms::None,
    }
}
