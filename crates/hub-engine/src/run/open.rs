//! `execute`: a run is created, joined or resumed, and waited on.

use crate::api::{Caller, EngineError, Execute, ExecuteAnswer, FormReply, Forms, Shown, Wait};
use crate::engine::{Engine, Known};
use crate::lookup::closest;
use crate::run::attend::Attending;
use crate::run::envelope::{add_notices, plain, show};
use crate::run::forms::{request_digest, uses_forms};
use crate::run::pass::{Abandoned, Begin, Pass, Rest};
use crate::run::registry::{Claim, Live, Place, Report, Rested};
use crate::run::rest::{abandoned, with_error};
use hub_core::catalog::ToolDef;
use hub_core::digest::Digest;
use hub_core::envelope::{ExecuteEnvelope, RunError, Status};
use hub_core::error::RunErrorCode;
use hub_core::id::RunId;
use hub_core::journal;
use hub_core::limits;
use hub_core::machine::{Machine, MachineLimits, PendingState, active_ms};
use hub_core::owner::ElicitationMode;
use hub_core::pending::{Channel, Choice, Decision, Pending};
use hub_core::ports::{
    ArgProblem, Attach, GuestLimits, GuestNamespace, GuestSpec, GuestTool, KnownTools, NewRun,
    Opened, PrepareError, Prepared, RunFilter, Store,
};
use hub_core::run::{Pins, RunRecord};
use hub_core::time::UnixMillis;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::mpsc;

impl Engine {
    /// `execute`. Dropping the future takes attendance away, nothing more.
    pub async fn execute(
        &self,
        caller: &Caller,
        what: Execute,
        reply: FormReply,
        wait: Wait,
    ) -> Result<ExecuteAnswer, EngineError> {
        let last_asked = self.asked(caller, request_digest(&what));
        if caller.mode == ElicitationMode::Native && matches!(caller.forms, Forms::None) {
            return Err(EngineError::Invalid(format!(
                "{}: this client's key allows only its own forms, and it shows none",
                RunErrorCode::ClientCannotAsk.as_str()
            )));
        }
        if reply.state.is_some() {
            return self.answer_forms(caller, &what, reply, &wait).await;
        }
        let attending = match &what {
            Execute::Code(code) => self.open_run(caller, code, last_asked).await?,
            Execute::Resume(run) => self.resume(caller, run).await?,
        };
        self.wait_on(caller, &what, attending, &wait, 0).await
    }

    /// Waits for the run to rest, tells progress, and asks by form where the client can.
    pub(crate) async fn wait_on(
        &self,
        caller: &Caller,
        what: &Execute,
        target: Target,
        wait: &Wait,
        round: u32,
    ) -> Result<ExecuteAnswer, EngineError> {
        let rested = match target {
            Target::Rests(rested) => rested,
            Target::Live { attending, joined } => {
                let mut rested = self.listen(&attending, wait).await;
                if joined {
                    rested = join_notice(rested);
                }
                rested
            }
        };
        if rested.asks {
            return self.ask(caller, what, rested, wait, round).await;
        }
        Ok(ExecuteAnswer::Envelope(rested.shown))
    }

    async fn listen(&self, attending: &Attending, wait: &Wait) -> Rested {
        let live = attending.live();
        let clock = &self.inner.deps.clock;
        let mut rested = live.rested.subscribe();
        let mut asking = live.asking.subscribe();
        let started = clock.monotonic_ms();
        loop {
            if let Some(tell) = &wait.progress {
                tell(live.progress.borrow().clone());
            }
            let ms = match wait.progress {
                Some(_) => limits::PROGRESS_EVERY_MS,
                None => {
                    let waited = clock.monotonic_ms() - started;
                    limits::ANSWER_RUNNING_MS.saturating_sub(waited)
                }
            };
            let heard = tokio::select! {
                biased;
                there = rested.wait_for(Option::is_some) => match there.as_deref() {
                    Ok(Some(rested)) => Heard::Rested(rested.clone()),
                    _ => Heard::Gone,
                },
                _ = asking.wait_for(|open| *open > 0) => Heard::Asks,
                () = clock.sleep(ms) => Heard::Nothing,
            };
            match heard {
                Heard::Rested(rested) => return rested,
                Heard::Gone => return self.running(live).await.rested,
                Heard::Asks => {
                    let stands = self.running(live).await;
                    if stands.asks_inside {
                        live.attendance.told_running(clock.monotonic_ms());
                        return stands.rested;
                    }
                    // Decided this moment: the run is about to hear of it.
                    tokio::select! {
                        _ = asking.changed() => {}
                        _ = rested.wait_for(Option::is_some) => {}
                    }
                }
                Heard::Nothing if wait.progress.is_some() => {}
                Heard::Nothing => {
                    live.attendance.told_running(clock.monotonic_ms());
                    return self.running(live).await.rested;
                }
            }
        }
    }

    async fn open_run(
        &self,
        caller: &Caller,
        code: &str,
        last_asked: Option<UnixMillis>,
    ) -> Result<Target, EngineError> {
        let known = self.known();
        let prepared = self.prepare(caller, code, &known).await;
        let mut record = self.new_record(caller, code);
        let (id, now) = (record.id.clone(), record.created_at);
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(error) => return self.refused(record, error).await,
        };
        let names = Arc::new(name_table(&known));
        let blobs = vec![
            serde_json::to_vec(&prepared).unwrap_or_default(),
            serde_json::to_vec(&*names).unwrap_or_default(),
        ];
        record.pins = Some(Pins {
            program: Digest::of(&blobs[0]),
            names: Digest::of(&blobs[1]),
            engine: self.inner.deps.driver.engine_id(),
            seed: self.seed(),
            clock_start: now,
        });
        let (live, reports) = match self.inner.runs.claim(&id, self.inner.config.live_runs) {
            Claim::Mine(live, reports) => (live, reports),
            Claim::Theirs(_) | Claim::Full => return Err(busy()),
        };
        let place = Place::new(self.clone(), live.clone());
        // Counted before the store is asked, so that a twin does not take it for nobody's.
        let attending = self.attend(caller, live.clone());
        let attach = caller.dedupe.then(|| self.attach_rule(last_asked, now));
        let opened = NewRun { record: record.clone(), blobs, attach };
        match self.inner.deps.store.open_run(opened).await {
            Ok(Opened::Created) => {}
            Ok(Opened::Joins(earlier)) => {
                place.give_back(None);
                return self.join(caller, earlier).await;
            }
            Err(error) => {
                place.give_back(None);
                return Err(error.into());
            }
        }
        let machine = Machine::begin(self.machine_limits(), now, Vec::new(), []);
        let begin = Begin {
            record,
            live: live.clone(),
            reports,
            prepared,
            machine,
            written: 0,
            journal_bytes: 0,
            active_base: 0,
            waited_ms: 0,
        };
        self.start(place, begin, names.to_vec());
        Ok(Target::Live { attending, joined: false })
    }

    fn new_record(&self, caller: &Caller, code: &str) -> RunRecord {
        let now = self.now();
        RunRecord {
            id: RunId::fresh(self.bits()),
            owner: caller.owner.clone(),
            client: caller.client.clone(),
            code_digest: Digest::of(code.as_bytes()),
            code: code.to_owned(),
            pins: None,
            status: Status::Running,
            created_at: now,
            changed_at: now,
            effects: 0,
            envelope: None,
            line: None,
        }
    }

    fn seed(&self) -> [u8; 32] {
        let mut seed = [0; 32];
        self.inner.deps.random.fill(&mut seed);
        seed
    }

    /// An ended run is joined only where this client asked nothing since: then its answer may
    /// have been lost.
    fn attach_rule(&self, last_asked: Option<UnixMillis>, now: UnixMillis) -> Attach {
        let recently = now.plus(-limits::ATTACH_AFTER_END_MS);
        Attach {
            ended_after: last_asked.map_or(recently, |asked| asked.max(recently)),
            attended: self.inner.runs.attended(),
            ended_counts: true,
        }
    }

    fn attend(&self, caller: &Caller, live: Arc<Live>) -> Attending {
        if uses_forms(caller) {
            live.forms.store(true, Ordering::SeqCst);
        }
        let attending = Attending::new(live.clone());
        let _ = live.reports.try_send(Report::Look);
        attending
    }

    fn machine_limits(&self) -> MachineLimits {
        MachineLimits { calls: self.inner.config.calls_per_run, ..MachineLimits::default() }
    }

    /// Starts the task that owns the run.
    fn start(&self, place: Place, begin: Begin, names: Vec<GuestNamespace>) {
        let engine = self.clone();
        crate::tasks::spawn(async move {
            let pins = begin.record.pins.clone();
            let program: Arc<str> = begin.prepared.program.as_str().into();
            let mut pass = Pass::new(engine.clone(), begin);
            let rest = match pins {
                Some(pins) => {
                    let spec = GuestSpec {
                        program,
                        namespaces: names.into(),
                        seed: pins.seed,
                        clock_start: pins.clock_start,
                        limits: GuestLimits::default(),
                    };
                    match engine.inner.deps.driver.start(spec).await {
                        Ok((guest, turn)) => pass.run(guest, turn).await,
                        Err(fault) if pass.machine.is_replaying() => {
                            Rest::Abandoned(Abandoned::Fault(fault))
                        }
                        Err(fault) => Rest::Ended(crate::run::pass::End::Fault(fault)),
                    }
                }
                None => Rest::Ended(crate::run::pass::End::Cancelled),
            };
            let rested = pass.settle(rest).await;
            place.give_back(Some(rested));
        });
    }

    /// Code that cannot run is an ended run too.
    async fn refused(
        &self,
        mut record: RunRecord,
        error: PrepareError,
    ) -> Result<Target, EngineError> {
        let error = RunError {
            code: error.code.as_str().to_owned(),
            message: error.message,
            hint: error.hint,
            address: error.address,
            line: error.line,
            column: error.column,
        };
        record.status = Status::Failed;
        let envelope = with_error(&record, error);
        let shown = show(&envelope, 0);
        record.envelope = Some(shown.json.to_string());
        record.line = Some(shown.line.to_string());
        let run = NewRun { record, blobs: Vec::new(), attach: None };
        self.inner.deps.store.open_run(run).await?;
        Ok(Target::Rests(Rested { shown, asks: false }))
    }

    async fn prepare(
        &self,
        caller: &Caller,
        code: &str,
        known: &Arc<Known>,
    ) -> Result<Prepared, PrepareError> {
        let _ = caller;
        let (prepare, code) = (self.inner.deps.prepare.clone(), code.to_owned());
        let tools = Preflight {
            engine: self.clone(),
            known: known.clone(),
            runtime: tokio::runtime::Handle::current(),
        };
        let read = tokio::task::spawn_blocking(move || prepare.prepare(&code, &tools)).await;
        read.unwrap_or_else(|e| {
            Err(PrepareError {
                code: RunErrorCode::Internal,
                message: format!("the program reader failed: {e}"),
                hint: None,
                address: None,
                line: None,
                column: None,
            })
        })
    }

    /// Joins an earlier run of the same code.
    async fn join(&self, caller: &Caller, earlier: RunId) -> Result<Target, EngineError> {
        Ok(match self.resume(caller, earlier.as_str()).await? {
            Target::Rests(rested) => Target::Rests(join_notice(rested)),
            Target::Live { attending, .. } => Target::Live { attending, joined: true },
        })
    }

    /// Goes on with a run of this owner, or shows where it stands.
    pub(crate) async fn resume(&self, caller: &Caller, run: &str) -> Result<Target, EngineError> {
        let record = self.owned(caller, run).await?;
        if record.status.is_ended() {
            return Ok(Target::Rests(stored(&record, false)));
        }
        if let Some(live) = self.inner.runs.get(&record.id) {
            return Ok(Target::Live { attending: self.attend(caller, live), joined: false });
        }
        let store = &self.inner.deps.store;
        let pendings = self.expire(store.pendings(record.id.clone()).await?).await?;
        // A run that was interrupted goes on up to where it has to wait.
        let parked = !matches!(record.status, Status::Interrupted | Status::Running);
        let expired = pendings
            .iter()
            .any(|p| p.decision.as_ref().is_some_and(|d| d.choice == Choice::Expired));
        if parked && !expired && pendings.iter().any(|p| p.decision.is_none()) {
            return Ok(Target::Rests(stored(&record, true)));
        }
        match self.inner.runs.claim(&record.id, self.inner.config.live_runs) {
            Claim::Full => Err(busy()),
            Claim::Theirs(live) => {
                Ok(Target::Live { attending: self.attend(caller, live), joined: false })
            }
            Claim::Mine(live, reports) => {
                let place = Place::new(self.clone(), live.clone());
                let attending = self.attend(caller, live);
                // Read again: a decision may have come between the first look and the claim.
                let pendings = self.expire(store.pendings(record.id.clone()).await?).await?;
                match self.begin(&record.id, place.live(), reports, pendings).await {
                    Ok((begin, names)) => {
                        self.start(place, begin, names);
                        Ok(Target::Live { attending, joined: false })
                    }
                    Err(rested) => {
                        place.give_back(Some(rested.clone()));
                        Ok(Target::Rests(rested))
                    }
                }
            }
        }
    }

    /// The run of that identifier (or `last`), if it is this owner's.
    pub(crate) async fn owned(&self, caller: &Caller, run: &str) -> Result<RunRecord, EngineError> {
        let store = &self.inner.deps.store;
        let found = if run == "last" {
            let filter =
                RunFilter { owner: Some(caller.owner.clone()), limit: 1, ..RunFilter::default() };
            store.runs(filter).await?.into_iter().next()
        } else {
            store.run(RunId::new(run)).await?
        };
        found.filter(|r| r.owner == caller.owner).ok_or_else(|| {
            EngineError::NotFound(format!(
                "{}: there is no run {run} for this client",
                RunErrorCode::RunNotFound.as_str()
            ))
        })
    }

    /// Pendings whose time is over are closed by the hub.
    async fn expire(&self, pendings: Vec<Pending>) -> Result<Vec<Pending>, EngineError> {
        let now = self.now();
        let mut out = Vec::with_capacity(pendings.len());
        for mut pending in pendings {
            if pending.decision.is_none() && pending.expires_at <= now {
                let decision = Decision {
                    choice: Choice::Expired,
                    channel: Channel::Hub,
                    by: "hub".into(),
                    at: now,
                };
                self.inner.deps.store.decide(pending.id.clone(), decision.clone()).await?;
                pending.decision = Some(decision);
            }
            out.push(pending);
        }
        Ok(out)
    }

    /// Reads everything a later pass begins with.
    async fn begin(
        &self,
        run: &RunId,
        live: &Arc<Live>,
        reports: mpsc::Receiver<Report>,
        pendings: Vec<Pending>,
    ) -> Result<(Begin, Vec<GuestNamespace>), Rested> {
        let store = &*self.inner.deps.store;
        let record = match store.run(run.clone()).await {
            Ok(Some(record)) if record.status.is_ended() => return Err(stored(&record, false)),
            Ok(Some(record)) => record,
            Ok(None) => return Err(unreadable(None, "the run is gone")),
            Err(error) => return Err(unreadable(None, &error.to_string())),
        };
        let failed = |why: &str| unreadable(Some(&record), why);
        let Some(pins) = &record.pins else { return Err(failed("it never began")) };
        let engine_id = self.inner.deps.driver.engine_id();
        if pins.engine != engine_id {
            let why = format!("it began on {} and this hub has {engine_id}", pins.engine);
            let fault = hub_core::ports::GuestFault::EngineMismatch(why);
            return Err(abandoned(&record, Abandoned::Fault(fault)));
        }
        let prepared: Prepared = blob(store, pins.program).await.map_err(|why| failed(&why))?;
        let names: Vec<GuestNamespace> =
            blob(store, pins.names).await.map_err(|why| failed(&why))?;
        let lines = store.journal(run.clone()).await.map_err(|e| failed(&e.to_string()))?;
        let events =
            journal::read(lines.iter().map(Vec::as_slice)).map_err(|e| failed(&e.to_string()))?;
        let states = pendings.into_iter().map(|p| PendingState {
            pending: p.id,
            choice: p.decision.map(|d| d.choice),
            digest: p.digest,
            scope: p.scope,
            kind: p.kind,
            confirm: p.confirm,
        });
        let active_base = active_ms(&events);
        let written = events.len() as u64;
        let limits = self.machine_limits();
        let waited_ms = self.now().since(record.changed_at);
        let machine = Machine::begin(limits, pins.clock_start, events, states);
        let begin = Begin {
            live: live.clone(),
            reports,
            prepared,
            machine,
            written,
            journal_bytes: lines.iter().map(|l| l.len() as u64).sum(),
            active_base,
            waited_ms,
            record: record.clone(),
        };
        Ok((begin, names))
    }
}

/// What a waiting request hears of its run.
enum Heard {
    /// The pass came to rest.
    Rested(Rested),
    /// The task is gone.
    Gone,
    /// A source asks the person something inside a live call.
    Asks,
    /// Nothing, for as long as it may wait in silence.
    Nothing,
}

/// What a request waits on.
pub(crate) enum Target {
    /// It rests already.
    Rests(Rested),
    /// It is at work.
    Live {
        /// Held while waiting.
        attending: Attending,
        /// Whether the request was for code that an earlier run has.
        joined: bool,
    },
}

pub(crate) async fn blob<T: serde::de::DeserializeOwned>(
    store: &dyn Store,
    digest: Digest,
) -> Result<T, String> {
    let bytes = store.blob(digest).await.map_err(|e| e.to_string())?;
    let bytes = bytes.ok_or("what it is pinned to is gone")?;
    if Digest::of(&bytes) != digest {
        return Err("what it is pinned to was changed".into());
    }
    serde_json::from_slice(&bytes).map_err(|e| e.to_string())
}

/// The envelope as it was last shown.
pub(crate) fn stored(record: &RunRecord, asks: bool) -> Rested {
    let shown = match (&record.envelope, &record.line) {
        (Some(json), Some(line)) => Shown {
            json: json.as_str().into(),
            line: line.as_str().into(),
            is_error: record.status == Status::Failed,
        },
        _ => show(&with_error(record, plain(RunErrorCode::Internal, "no envelope".into())), 0),
    };
    Rested { shown, asks }
}

fn unreadable(record: Option<&RunRecord>, why: &str) -> Rested {
    let error = plain(RunErrorCode::JournalUnreadable, why.to_owned());
    match record {
        Some(record) => Rested { shown: show(&with_error(record, error), 0), asks: false },
        None => Rested {
            shown: Shown {
                json: serde_json::json!({ "status": "failed", "error": error, "calls": [] })
                    .to_string()
                    .into(),
                line: format!("failed {why}").into(),
                is_error: true,
            },
            asks: false,
        },
    }
}

fn busy() -> EngineError {
    EngineError::Busy("busy: too many programs run at once; try again in a moment".into())
}

fn join_notice(rested: Rested) -> Rested {
    let Ok(mut envelope) = serde_json::from_str::<ExecuteEnvelope>(&rested.shown.json) else {
        return rested;
    };
    let notice = "this is an earlier run of the same code, joined so that nothing is sent twice; \
                  to run it again, change the code"
        .to_owned();
    add_notices(&mut envelope, vec![notice]);
    Rested { shown: show(&envelope, 0), asks: rested.asks }
}

/// The globals of a program that begins now.
fn name_table(known: &Known) -> Vec<GuestNamespace> {
    let namespaces = known.catalog.namespaces.iter().map(|n| GuestNamespace {
        name: n.source.namespace.clone(),
        tools: n
            .tools
            .iter()
            .map(|t| GuestTool {
                name: t.name.to_string(),
                raw: t.raw.to_string(),
                definition: t.digest,
            })
            .collect(),
    });
    namespaces.collect()
}

/// What the program reader may ask; called from its own thread.
struct Preflight {
    engine: Engine,
    known: Arc<Known>,
    runtime: tokio::runtime::Handle,
}

impl KnownTools for Preflight {
    fn is_namespace(&self, name: &str) -> bool {
        self.known.catalog.namespace(name).is_some()
    }

    fn is_tool(&self, namespace: &str, tool: &str) -> bool {
        self.known.catalog.namespace(namespace).is_some_and(|n| n.tool(tool).is_some())
    }

    fn closest(&self, namespace: &str, tool: &str) -> Vec<String> {
        closest(&self.known.catalog, &format!("{namespace}.{tool}"))
    }

    fn schema(&self, namespace: &str, tool: &str) -> Option<Value> {
        self.definition(namespace, tool).map(|d| d.input_schema.clone())
    }

    fn check(&self, namespace: &str, tool: &str, arguments: &Value) -> Vec<ArgProblem> {
        let Some(definition) = self.definition(namespace, tool) else { return Vec::new() };
        self.engine.inner.deps.types.check(&definition.input_schema, arguments)
    }
}

impl Preflight {
    fn definition(&self, namespace: &str, tool: &str) -> Option<Arc<ToolDef>> {
        let namespace = self.known.catalog.namespace(namespace)?;
        let tool = namespace.tool(tool)?;
        let inner = &self.engine.inner;
        let (store, source) = (&*inner.deps.store, &namespace.source.id);
        let read = inner.tools.definition(store, source, &tool.raw, tool.digest);
        self.runtime.block_on(read).ok().flatten()
    }
}
