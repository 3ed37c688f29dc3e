//! `execute`: a run is created, or joined, and waited on.

use crate::api::{Caller, EngineError, Execute, ExecuteAnswer, FormReply, Forms, Wait};
use crate::engine::{Engine, Known};
use crate::run::attend::Attending;
use crate::run::envelope::{plain, show};
use crate::run::forms::{request_digest, uses_forms};
use crate::run::pass::{Abandoned, Begin, End, Pass, Rest};
use crate::run::preflight::Preflight;
use crate::run::registry::{Claim, Live, Place, Report, Rested};
use crate::run::rest::with_error;
use crate::run::resume::stored;
use crate::run::wait::Target;
use hub_core::digest::Digest;
use hub_core::envelope::{RunError, Status};
use hub_core::error::RunErrorCode;
use hub_core::id::RunId;
use hub_core::limits;
use hub_core::machine::{Machine, MachineLimits};
use hub_core::owner::ElicitationMode;
use hub_core::ports::{
    Attach, GuestFault, GuestLimits, GuestNamespace, GuestSpec, NewRun, Opened, PrepareError,
    Prepared,
};
use hub_core::run::{Blob, Pins, RunRecord};
use hub_core::time::UnixMillis;
use std::sync::Arc;
use std::sync::atomic::Ordering;

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
            return self.cannot_ask(caller, &what).await;
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

    /// A client that is asked by its own forms only, and shows none in this request: nothing runs.
    /// Code becomes an ended run; a run that is there already is left as it stands.
    async fn cannot_ask(
        &self,
        caller: &Caller,
        what: &Execute,
    ) -> Result<ExecuteAnswer, EngineError> {
        let message = "this client's key allows only its own forms, and it shows none";
        let hint = "Ask the user to connect this client again in another mode.";
        let target = match what {
            Execute::Code(code) => {
                let error = PrepareError {
                    code: RunErrorCode::ClientCannotAsk,
                    message: message.into(),
                    hint: Some(hint.into()),
                    address: None,
                    line: None,
                    column: None,
                };
                self.refused(self.new_record(caller, code), error).await?
            }
            Execute::Resume(run) => {
                let record = self.owned(caller, run).await?;
                if record.status.is_ended() {
                    Target::Rests(stored(&record, false))
                } else {
                    let mut error = plain(RunErrorCode::ClientCannotAsk, message.into());
                    error.hint = Some(hint.into());
                    let shown = show(&with_error(&record, error), 0);
                    Target::Rests(Rested { shown, asks: false })
                }
            }
        };
        self.wait_on(caller, what, target, &Wait::default(), 0).await
    }

    async fn open_run(
        &self,
        caller: &Caller,
        code: &str,
        last_asked: Option<UnixMillis>,
    ) -> Result<Target, EngineError> {
        let known = self.known();
        let prepared = self.prepare(code, &known).await;
        let mut record = self.new_record(caller, code);
        let (id, now) = (record.id.clone(), record.created_at);
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(error) => return self.refused(record, error).await,
        };
        let names = known.names();
        let program = Blob::from(serde_json::to_vec(&prepared).unwrap_or_default());
        record.pins = Some(Pins {
            program: program.digest,
            names: names.blob.digest,
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
        let build = self.build_to_keep().await;
        let brings_build = build.is_some();
        let blobs = [program, names.blob.clone()].into_iter().chain(build.map(Blob::from));
        let at_most = Some(self.inner.config.parked_runs);
        let opened = NewRun { record: record.clone(), blobs: blobs.collect(), attach, at_most };
        let opened = self.inner.deps.store.open_run(opened).await;
        if brings_build && !matches!(opened, Ok(Opened::Created)) {
            self.build_not_kept();
        }
        match opened {
            Ok(Opened::Created) => {}
            Ok(Opened::Joins(earlier)) => {
                place.give_back(None);
                return self.join(caller, earlier).await;
            }
            Ok(Opened::TooMany) => {
                place.give_back(None);
                return Err(self.too_many());
            }
            Err(error) => {
                place.give_back(None);
                return Err(error.into());
            }
        }
        let machine = Machine::begin(self.machine_limits(), now, Vec::new(), []);
        let begin = Begin {
            record,
            driver: self.inner.deps.driver.clone(),
            live: live.clone(),
            reports,
            prepared,
            machine,
            written: 0,
            journal_bytes: 0,
            active_base: 0,
            waited_ms: 0,
        };
        self.start(place, begin, names.table.clone());
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

    fn too_many(&self) -> EngineError {
        let most = self.inner.config.parked_runs;
        EngineError::Busy(format!(
            "busy: {most} runs of this user wait or were interrupted, and no more may; resume \
             some, or ask the user to decide or end some (`capabilities run list`)"
        ))
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

    pub(crate) fn attend(&self, caller: &Caller, live: Arc<Live>) -> Attending {
        if uses_forms(caller) {
            live.forms.store(true, Ordering::SeqCst);
        }
        let attending = Attending::new(live.clone());
        let _ = live.reports.try_send(Report::Look);
        attending
    }

    pub(crate) fn machine_limits(&self) -> MachineLimits {
        MachineLimits { calls: self.inner.config.calls_per_run, ..MachineLimits::default() }
    }

    /// Starts the task that owns the run.
    pub(crate) fn start(&self, place: Place, begin: Begin, names: Arc<[GuestNamespace]>) {
        let engine = self.clone();
        crate::tasks::spawn(async move {
            let pins = begin.record.pins.clone();
            let program: Arc<str> = begin.prepared.program.as_str().into();
            let driver = begin.driver.clone();
            let mut pass = Pass::new(engine.clone(), begin);
            let rest = match pins {
                Some(pins) => {
                    let spec = GuestSpec {
                        program,
                        namespaces: names,
                        seed: pins.seed,
                        clock_start: pins.clock_start,
                        limits: GuestLimits::default(),
                    };
                    match driver.start(spec).await {
                        Ok((guest, turn)) => pass.run(guest, turn).await,
                        Err(fault) if pass.machine.is_replaying() => {
                            Rest::Abandoned(Abandoned::Fault(fault))
                        }
                        Err(GuestFault::Lost) => Rest::Interrupted,
                        Err(fault) => Rest::Ended(End::Fault(fault)),
                    }
                }
                None => Rest::Ended(End::Cancelled),
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
        let run = NewRun { record, blobs: Vec::new(), attach: None, at_most: None };
        self.inner.deps.store.open_run(run).await?;
        Ok(Target::Rests(Rested { shown, asks: false }))
    }

    async fn prepare(&self, code: &str, known: &Arc<Known>) -> Result<Prepared, PrepareError> {
        let tools = Preflight {
            engine: self.clone(),
            known: known.clone(),
            runtime: tokio::runtime::Handle::current(),
        };
        let (tell, told) = tokio::sync::oneshot::channel();
        let heard = Box::new(move |read| {
            // Nobody waits any more: nothing began.
            let _ = tell.send(read);
        });
        self.inner.deps.prepare.prepare_apart(code.into(), Box::new(tools), heard);
        told.await.unwrap_or_else(|_| {
            Err(PrepareError {
                code: RunErrorCode::Internal,
                message: "the program reader failed".into(),
                hint: None,
                address: None,
                line: None,
                column: None,
            })
        })
    }
}

pub(crate) fn busy() -> EngineError {
    EngineError::Busy("busy: too many programs run at once; try again in a moment".into())
}
