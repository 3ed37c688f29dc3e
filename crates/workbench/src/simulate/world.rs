//! One life of a run: engines that are killed, a store that stays, a source that counts.

use super::person::{Deeds, Person};
use super::program::Program;
use super::source::{self, Refused};
use hub_core::catalog::Transport;
use hub_core::envelope::ExecuteEnvelope;
use hub_core::id::RunId;
use hub_core::journal::{self, Event};
use hub_core::limits;
use hub_core::owner::ElicitationMode;
use hub_core::pending::Pending;
use hub_core::ports::{Clock, GuestFault, RunStore};
use hub_core::time::UnixMillis;
use hub_engine::{
    Caller, Deps, Engine, EngineConfig, EngineError, Execute, ExecuteAnswer, FormReply, Forms,
    NewSource, Screen, Wait,
};
use hub_testkit::memory::Fault;
use hub_testkit::upstream::Received;
use hub_testkit::{
    AnyObject, ByName, CharTokens, FakeClock, MemoryStore, RustDriver, ScriptedUpstream,
    SeededRandom, fixtures,
};
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

/// Requests a run may take before the simulation gives it up.
const PASSES: u64 = 300;

/// How the hub dies.
#[derive(Clone, Copy, Debug)]
pub struct Kill {
    /// At which event.
    pub at: Death,
    /// Whether the machine goes with it: what was not synced is gone then.
    pub power: bool,
}

/// When the hub dies.
#[derive(Clone, Copy, Debug)]
pub enum Death {
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
    /// Everything that ever waited.
    pub pendings: Vec<Pending>,
    /// Everything the source received.
    pub received: Vec<Received>,
    /// What it refused for want of a credential.
    pub refused: Refused,
    /// What the person did.
    pub deeds: Deeds,
    /// The program, to be run once more by the oracle.
    pub program: Program,
    /// What `Date` said when the run began.
    pub clock_start: Option<UnixMillis>,
    /// Passes of all lives.
    pub passes: u64,
    /// Commits and receipts of an undisturbed life.
    commits: u64,
}

impl Played {
    /// The first thing in which another life was not the same, times too.
    pub fn differs(&self, other: &Self) -> Option<String> {
        let lines = |p: &Self| {
            let mut lines: Vec<_> = p.received.iter().map(|call| format!("{call:?}")).collect();
            lines.extend(p.journal.iter().map(|event| format!("{event:?}")));
            lines.push(format!("{} passes, {} commits, {}", p.passes, p.commits, p.last));
            lines
        };
        let both = lines(self).into_iter().zip(lines(other));
        both.filter(|(one, two)| one != two).map(|(one, two)| format!("{one} / {two}")).next()
    }

    /// Every event of this life at which another may be killed.
    pub fn deaths(&self) -> Vec<Death> {
        let commits = (1..=self.commits).flat_map(|number| {
            [Death::Commit { number, written: false }, Death::Commit { number, written: true }]
        });
        let received = (1..=self.received.len()).map(|calls| Death::Received { calls });
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
    refused: Refused,
    driver: Arc<RustDriver>,
    random: SeededRandom,
    seed: u64,
    run: Option<String>,
    deeds: Deeds,
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
        let refused = Refused::default();
        let mut world = World {
            store: MemoryStore::new(),
            upstream: source::open(Arc::new(clock.clone()), seed, &refused),
            refused,
            clock,
            driver,
            random: SeededRandom::new(seed ^ 0x5eed),
            seed,
            run: None,
            deeds: Deeds::default(),
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
        let run = RunId::new(self.run.clone().unwrap_or_default());
        let lines = now(self.store.journal(run.clone())).unwrap_or_default();
        let record = now(self.store.run(run.clone())).flatten();
        Played {
            journal: journal::read(lines.iter().map(Vec::as_slice)).unwrap_or_default(),
            pendings: now(self.store.pendings(run)).unwrap_or_default(),
            received: self.upstream.calls(),
            commits: self.store.commits() - before,
            envelope,
            program: program.clone(),
            refused: self.refused,
            deeds: self.deeds,
            clock_start: record.and_then(|r| r.pins).map(|p| p.clock_start),
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
        let death = kill.map(|k| k.at);
        if let Some(Death::Commit { number, written }) = death {
            store.fail_commit(number, if written { Fault::After } else { Fault::Before });
        }
        let envelope = runtime.block_on(async {
            let dies = async {
                match death {
                    Some(Death::Received { calls }) => upstream.until_received(calls).await,
                    _ => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = dies => None,
                envelope = self.drive(kill.is_some()) => envelope,
                () = ticking(&clock) => None,
            }
        });
        // The process is gone with everything it was about to do.
        runtime.shutdown_background();
        let power = kill.is_some_and(|k| k.power);
        let cut = envelope.is_none() && power;
        self.store = if cut { self.store.crash() } else { self.store.take_over() };
        envelope
    }

    async fn drive(&mut self, mortal: bool) -> Option<ExecuteEnvelope> {
        let engine = self.open().await?;
        let caller = caller(self.seed.is_multiple_of(3));
        for _ in 0..PASSES {
            self.passes += 1;
            if self.run.is_some() && self.random.below(30) == 0 && self.has_journal().await {
                // The machine's bad day: a pass that does not get to its frontier.
                self.driver.fail_next(GuestFault::Busy);
            }
            let envelope = match self.request(&engine, &caller).await {
                Asked::Told(envelope) => *envelope,
                Asked::Again => continue,
                Asked::Dead => return None,
            };
            self.run = Some(envelope.run_id.to_string());
            if envelope.status.is_ended() {
                return Some(envelope);
            }
            let busy = envelope.error.as_ref().is_some_and(|e| e.code == "replay_unavailable");
            if mortal && envelope.error.is_some() && !busy {
                return None;
            }
            if self.random.below(8) == 0 {
                self.person().change_something(&engine).await;
            }
            self.person().attend(&engine).await;
        }
        None
    }

    async fn has_journal(&self) -> bool {
        let run = RunId::new(self.run.clone().unwrap_or_default());
        self.store.journal(run).await.is_ok_and(|lines| !lines.is_empty())
    }

    /// Whether the run ended long ago or without effects: the same code would be another run.
    async fn would_run_anew(&self) -> bool {
        let run = RunId::new(self.run.clone().unwrap_or_default());
        let record = self.store.run(run).await.ok().flatten();
        let latest = self.clock.now().plus(-limits::ATTACH_AFTER_END_MS);
        record.is_some_and(|r| r.status.is_ended() && (r.effects == 0 || r.changed_at <= latest))
    }

    fn person(&self) -> Person<'_> {
        Person {
            random: &self.random,
            clock: &self.clock,
            upstream: &self.upstream,
            deeds: &self.deeds,
        }
    }

    /// One request as agents make them: waited on, given up in the middle, made twice at once, or
    /// overtaken by a person who ends the run.
    async fn request(&mut self, engine: &Engine, caller: &Caller) -> Asked {
        let again = self.random.below(4) == 0 && !self.would_run_anew().await;
        let what = match &self.run {
            Some(run) if !again => Execute::Resume(run.clone()),
            _ => Execute::Code("program".into()),
        };
        let soon = self.upstream.calls().len() + 1 + self.random.below(3) as usize;
        let asked = match self.random.below(12) {
            0 | 1 => {
                let ask = self.ask(engine, caller, &what);
                tokio::select! {
                    biased;
                    answer = ask => answer,
                    () = self.upstream.until_received(soon) => return Asked::Again,
                }
            }
            2 if matches!(what, Execute::Resume(_)) => {
                let (one, two) =
                    tokio::join!(self.ask(engine, caller, &what), self.ask(engine, caller, &what));
                if let Some(fault) = told_apart(&one, &two) {
                    self.deeds.fault(fault);
                }
                one
            }
            3 if self.random.below(6) == 0 => {
                let run = self.run.clone().unwrap_or_else(|| "last".into());
                let cancel = async {
                    self.upstream.until_received(soon).await;
                    let _ = engine.cancel_run(&run, "person").await;
                    std::future::pending().await
                };
                tokio::select! {
                    biased;
                    answer = self.ask(engine, caller, &what) => answer,
                    () = cancel => return Asked::Again,
                }
            }
            _ => self.ask(engine, caller, &what).await,
        };
        self.last = format!("{asked:?}");
        match asked {
            Ok(shown) => match shown.envelope() {
                Some(envelope) => Asked::Told(Box::new(envelope)),
                None => Asked::Dead,
            },
            // A power cut took the run before anything of it was durable: sent anew.
            Err(EngineError::NotFound(_)) => {
                self.run = None;
                Asked::Again
            }
            Err(_) => Asked::Dead,
        }
    }

    /// Asks, and fills in forms for as long as there are any.
    async fn ask(
        &self,
        engine: &Engine,
        caller: &Caller,
        what: &Execute,
    ) -> Result<hub_engine::Shown, EngineError> {
        let mut reply = FormReply::default();
        loop {
            match engine.execute(caller, what.clone(), reply, Wait::default()).await? {
                ExecuteAnswer::Envelope(shown) => return Ok(shown),
                ExecuteAnswer::AskForms { forms, state } => {
                    reply = self.person().fill(&forms, state);
                }
            }
        }
    }

    async fn open(&self) -> Option<Engine> {
        let deps = Deps {
            store: self.store.clone(),
            upstream: self.upstream.clone(),
            driver: self.driver.clone(),
            others: Vec::new(),
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
            name: source::NAME.into(),
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

/// What came of a request.
enum Asked {
    Told(Box<ExecuteEnvelope>),
    Again,
    Dead,
}

fn now<T>(stored: hub_core::ports::Stored<'_, T>) -> Option<T> {
    futures_util::future::FutureExt::now_or_never(stored).and_then(Result::ok)
}

/// Two requests for one run that ended must be told the same bytes.
fn told_apart(
    one: &Result<hub_engine::Shown, EngineError>,
    two: &Result<hub_engine::Shown, EngineError>,
) -> Option<String> {
    let (one, two) = (one.as_ref().ok()?, two.as_ref().ok()?);
    let ended = |s: &hub_engine::Shown| {
        s.envelope().filter(|e| e.status.is_ended()).map(|mut e| {
            // Whoever joined by code is told that it did.
            e.notices = None;
            e
        })
    };
    let (a, b) = (ended(one)?, ended(two)?);
    (a != b).then(|| format!("one request was told {}, its twin {}", one.json, two.json))
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

fn caller(forms: bool) -> Caller {
    Caller {
        owner: fixtures::owner("agent"),
        client: "agent".into(),
        mode: ElicitationMode::Auto,
        dedupe: true,
        forms: if forms { Forms::InputRequired } else { Forms::None },
    }
}
