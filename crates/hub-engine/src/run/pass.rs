//! One pass of a run: the task that feeds the machine and does what it says.

use crate::engine::Engine;
use crate::run::asks::Asking;
use crate::run::judge::{CallPlan, Continues};
use crate::run::registry::{Live, Report};
use hub_core::catalog::Catalog;
use hub_core::envelope::Status;
use hub_core::error::{ToolError, ToolErrorCode};
use hub_core::journal::{self, Event, Outcome};
use hub_core::limits;
use hub_core::machine::{Action, Answered, Machine, Moment, Unsaved};
use hub_core::pending::{Choice, Pending};
use hub_core::ports::{
    Driver, Finish, Guest, GuestFault, LogLine, LookupKind, Prepared, RunCommit, RunState,
    SendGuard, StoreError, Turn,
};
use hub_core::run::RunRecord;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::mpsc;

/// How a pass ended.
pub(crate) enum Rest {
    /// Everything left waits for a person.
    Parked,
    /// The next step is an effect and nobody waits.
    Interrupted,
    /// The program is over.
    Ended(End),
    /// The pass broke off before it could go beyond the journal: the run is as it was.
    Abandoned(Abandoned),
}

/// How a program ended.
pub(crate) enum End {
    /// Main settled; what the guest had left to say.
    Finished(Box<Finish>),
    /// The guest was ended by a limit or a fault.
    Fault(GuestFault),
    /// The run was active for too long.
    TimedOut,
    /// Main waits for something that can never happen.
    Stalled,
    /// The program was answered more often than a run may be.
    Flooded,
    /// The program did something else than its journal says.
    Diverged(String),
    /// A pending expired or a person ended it.
    Cancelled,
}

/// Why a pass broke off.
pub(crate) enum Abandoned {
    /// A limit or fault during replay.
    Fault(GuestFault),
    /// The store did not take it.
    Store(StoreError),
}

impl From<StoreError> for Abandoned {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// A pass and everything that belongs to it. Owned by one task.
pub(crate) struct Pass {
    pub(crate) engine: Engine,
    pub(crate) record: RunRecord,
    pub(crate) live: Arc<Live>,
    pub(crate) machine: Machine,
    pub(crate) prepared: Prepared,
    pub(crate) logs: Vec<LogLine>,
    pub(crate) logs_cut: bool,
    pub(crate) waited_ms: i64,
    /// The catalogue as it was when the pass began: what lookups see.
    catalog: Arc<Catalog>,
    reports: mpsc::Receiver<Report>,
    plans: HashMap<u32, CallPlan>,
    /// Questions of sources inside live calls.
    pub(crate) asking: Vec<Asking>,
    /// Pendings of questions that were declined with the run.
    pub(crate) left_open: Vec<hub_core::id::PendingId>,
    /// Journal entries in the store.
    written: u64,
    /// Bytes of the journal so far.
    journal_bytes: u64,
    /// Active milliseconds at the frontier.
    active_base: u64,
    /// Monotonic time at the frontier.
    frontier_ms: Option<u64>,
    status: Status,
}

/// What a pass begins with.
pub(crate) struct Begin {
    pub(crate) record: RunRecord,
    /// The sandbox of the build that the run began in.
    pub(crate) driver: Arc<dyn Driver>,
    pub(crate) live: Arc<Live>,
    pub(crate) reports: mpsc::Receiver<Report>,
    pub(crate) prepared: Prepared,
    pub(crate) machine: Machine,
    pub(crate) written: u64,
    pub(crate) journal_bytes: u64,
    pub(crate) active_base: u64,
    pub(crate) waited_ms: i64,
}

impl Pass {
    pub(crate) fn new(engine: Engine, begin: Begin) -> Self {
        let catalog = engine.known().catalog.clone();
        Self {
            status: begin.record.status,
            record: begin.record,
            live: begin.live,
            machine: begin.machine,
            prepared: begin.prepared,
            logs: Vec::new(),
            logs_cut: false,
            waited_ms: begin.waited_ms,
            catalog,
            reports: begin.reports,
            plans: HashMap::new(),
            asking: Vec::new(),
            left_open: Vec::new(),
            written: begin.written,
            journal_bytes: begin.journal_bytes,
            active_base: begin.active_base,
            frontier_ms: None,
            engine,
        }
    }

    /// Active milliseconds of the run, over all passes.
    pub(crate) fn active(&self) -> u64 {
        let now = self.engine.inner.deps.clock.monotonic_ms();
        let free = self.live.free.until(now);
        let live = self.frontier_ms.map_or(0, |since| now.saturating_sub(since));
        self.active_base + live.saturating_sub(free)
    }

    fn moment(&self) -> Moment {
        let clock = &self.engine.inner.deps.clock;
        let attended = self.live.attendance.holds(clock.monotonic_ms());
        Moment { now: clock.now(), active: self.active(), attended }
    }

    /// Runs the guest until the run rests.
    pub(crate) async fn run(&mut self, mut guest: Box<dyn Guest>, first: Turn) -> Rest {
        match self.drive(&mut *guest, first).await {
            Ok(rest) => rest,
            Err(abandoned) => Rest::Abandoned(abandoned),
        }
    }

    async fn drive(&mut self, guest: &mut dyn Guest, first: Turn) -> Result<Rest, Abandoned> {
        self.turned(first);
        loop {
            if !self.machine.is_replaying() && self.frontier_ms.is_none() {
                self.frontier_ms = Some(self.engine.inner.deps.clock.monotonic_ms());
            }
            self.collect().await?;
            if self.active() > self.engine.inner.config.active_ms {
                return Ok(Rest::Ended(End::TimedOut));
            }
            if self.machine.entries() > limits::JOURNAL_ENTRIES {
                return Ok(Rest::Ended(End::Flooded));
            }
            let moment = self.moment();
            match self.machine.next(moment) {
                Action::Deliver(delivery) => match guest.deliver(delivery).await {
                    Ok(turn) => self.turned(turn),
                    Err(fault) => {
                        if let Some(rest) = self.faulted(fault)? {
                            return Ok(rest);
                        }
                    }
                },
                Action::Judge(n) => self.judge(n).await?,
                Action::Lookup(n) => self.look_up(n).await,
                Action::Send(calls) => self.send(calls).await?,
                Action::Wait { until_active } => self.wait(until_active).await?,
                Action::Park => {
                    self.machine.halt(moment);
                    return Ok(Rest::Parked);
                }
                Action::Interrupt => {
                    self.machine.halt(moment);
                    return Ok(Rest::Interrupted);
                }
                Action::Stall => return Ok(Rest::Ended(End::Stalled)),
                Action::Cancel => return Ok(Rest::Ended(End::Cancelled)),
                Action::Diverged(why) => return Ok(Rest::Ended(End::Diverged(why))),
                Action::Finish => match guest.finish().await {
                    Ok(finish) => return Ok(Rest::Ended(End::Finished(Box::new(finish)))),
                    Err(fault) => {
                        if let Some(rest) = self.faulted(fault)? {
                            return Ok(rest);
                        }
                    }
                },
            }
        }
    }

    /// A fault before the frontier is the machine's bad day, not the program's; a guest that was
    /// lost is at no time: the pass then ends once nothing is on its way.
    fn faulted(&mut self, fault: GuestFault) -> Result<Option<Rest>, Abandoned> {
        if self.machine.is_replaying() {
            return Err(Abandoned::Fault(fault));
        }
        if fault == GuestFault::Lost {
            self.machine.lose_guest();
            return Ok(None);
        }
        Ok(Some(Rest::Ended(End::Fault(fault))))
    }

    fn turned(&mut self, turn: Turn) {
        let moment = self.moment();
        self.machine.turn(&turn, moment);
        self.logs.extend(turn.logs);
        self.logs_cut |= turn.logs_cut;
        let (made, done) = self.machine.counts();
        let elapsed = self.engine.now().since(self.record.created_at);
        self.live.progress.send_modify(|p| {
            p.calls_made = made;
            p.calls_done = done;
            p.elapsed_ms = u64::try_from(elapsed).unwrap_or(0);
        });
    }

    /// Takes in every report that is there, so that several share one commit.
    async fn collect(&mut self) -> Result<(), Abandoned> {
        while let Ok(report) = self.reports.try_recv() {
            self.report(report).await?;
        }
        Ok(())
    }

    async fn report(&mut self, report: Report) -> Result<(), Abandoned> {
        let moment = self.moment();
        match report {
            Report::Answered { n, mut answer } => {
                self.fit_journal(&mut answer);
                self.machine.answered(n, answer, moment);
            }
            Report::Late { n } => self.machine.late(n, moment),
            Report::Decided { pending, choice } => {
                if !self.answer_inside(&pending, &choice) {
                    self.machine.decided(&pending, choice);
                }
            }
            Report::Asks { n, params, reply } => self.ask_inside(n, &params, reply).await?,
            Report::Cancel => {
                self.decline_all();
                self.machine.cancel();
            }
            Report::Look => {}
        }
        Ok(())
    }

    /// An answer that would make the journal too large is not given to the program either.
    fn fit_journal(&mut self, answer: &mut Answered) {
        let bytes = match answer {
            Answered::Outcome(Outcome::Value(json)) => json.len(),
            Answered::Asks { state, draft } => {
                state.len() + draft.question.as_ref().map_or(0, String::len)
            }
            _ => return,
        } as u64;
        let most = self.engine.inner.config.journal_bytes;
        if self.journal_bytes + bytes <= most {
            self.journal_bytes += bytes;
            return;
        }
        let message = format!("the run's answers together are over {most} bytes");
        *answer = Answered::Outcome(Outcome::Error(
            ToolError::new(ToolErrorCode::ResultTooLarge, message)
                .hint("Return what you have and go on in another run."),
        ));
    }

    async fn judge(&mut self, n: u32) -> Result<(), Abandoned> {
        let Some(request) = self.machine.request(n).cloned() else { return Ok(()) };
        let continues = self
            .machine
            .continuation(n)
            .map(|(state, answer, leg, pending)| Continues { state, answer, leg, pending });
        let key = self.record.owner.key.clone();
        let judgment = self.engine.judge(&key, &request, continues).await?;
        if let Some(plan) = judgment.plan {
            self.plans.insert(n, plan);
        }
        let moment = self.moment();
        self.machine.judged(n, judgment.judged, moment);
        Ok(())
    }

    async fn look_up(&mut self, n: u32) {
        let Some(request) = self.machine.request(n).cloned() else { return };
        let arguments = request.arguments.map(|a| a.value).unwrap_or(Value::Null);
        let found = match request.lookup {
            Some(LookupKind::Search) => {
                let key = &self.record.owner.key;
                self.engine.guest_search(&self.catalog, key, &arguments)
            }
            _ => self.engine.guest_describe(&self.catalog, &arguments).await,
        };
        let outcome = match found {
            Ok(value) => Outcome::Value(value.to_string()),
            Err(why) => Outcome::Error(ToolError::new(ToolErrorCode::InvalidArguments, why)),
        };
        let moment = self.moment();
        self.machine.looked_up(n, outcome, moment);
    }

    /// Commits the intents, then lets the calls go. Where what allowed them has changed in
    /// between, they are judged again.
    async fn send(&mut self, calls: Vec<u32>) -> Result<(), Abandoned> {
        let unsaved = self.machine.take_unsaved();
        let intents = unsaved.events.iter().filter(|e| matches!(e, Event::Intent { .. })).count();
        if intents > 0 {
            let guards = calls.iter().filter_map(|n| self.guard(*n)).collect();
            let effects = u32::try_from(intents).unwrap_or(u32::MAX);
            let durable = self.engine.inner.config.survive_power_cut;
            match self.commit(&unsaved, None, guards, effects, durable).await {
                Ok(()) => {}
                Err(StoreError::GuardFailed) => {
                    self.engine.reload_rules().await.map_err(|_| StoreError::GuardFailed)?;
                    self.machine.send_refused(&calls, unsaved);
                    return Ok(());
                }
                Err(error) => return Err(error.into()),
            }
        } else if self.is_outdated(&calls) {
            self.machine.send_refused(&calls, unsaved);
            return Ok(());
        } else {
            self.machine.put_back(unsaved);
        }
        for n in calls {
            if let (Some(plan), Some(ticket)) = (self.plans.get(&n), self.machine.ticket(n)) {
                self.engine.send(&self.live, n, plan.clone(), ticket);
            }
        }
        Ok(())
    }

    /// Whether rules, sources or connections changed since these calls were judged.
    fn is_outdated(&self, calls: &[u32]) -> bool {
        let known = self.engine.known();
        calls.iter().filter_map(|n| self.plans.get(n)).any(|plan| {
            plan.rules_version != known.rules_version
                || plan.sources_version != known.sources_version
        })
    }

    fn guard(&self, n: u32) -> Option<SendGuard> {
        let (plan, ticket) = (self.plans.get(&n)?, self.machine.ticket(n)?);
        let decision = ticket
            .decision
            .clone()
            .map(|(pending, digest)| (pending, if ticket.granted { ticket.scope } else { digest }));
        Some(SendGuard {
            rules_version: plan.rules_version,
            sources_version: plan.sources_version,
            decision,
        })
    }

    /// Waits for a report or a timer. What a person may be shown is durable before.
    async fn wait(&mut self, until_active: Option<u64>) -> Result<(), Abandoned> {
        if self.machine.has_unsaved_waits() {
            let unsaved = self.machine.take_unsaved();
            self.commit(&unsaved, None, Vec::new(), 0, true).await?;
        }
        let active = self.active();
        let left = self.engine.inner.config.active_ms.saturating_sub(active) + 1;
        let sleep = until_active.map_or(left, |until| until.saturating_sub(active).min(left));
        let sleep = self.next_decline().map_or(sleep, |decline| sleep.min(decline));
        let sleep = self.engine.inner.deps.clock.sleep(sleep);
        tokio::select! {
            // In a fixed order, so that the simulation can play a life again.
            biased;
            () = sleep => {}
            report = self.reports.recv() => {
                if let Some(report) = report {
                    self.report(report).await?;
                }
            }
        }
        let late = self.decline_late();
        if !late.is_empty() {
            let unsaved = Unsaved { withdrawn: late, ..Unsaved::default() };
            self.commit(&unsaved, None, Vec::new(), 0, false).await?;
        }
        Ok(())
    }

    /// Writes what is unsaved, all or nothing.
    pub(crate) async fn commit(
        &mut self,
        unsaved: &Unsaved,
        state: Option<RunState>,
        guards: Vec<SendGuard>,
        effects: u32,
        durable: bool,
    ) -> Result<(), StoreError> {
        let now = self.engine.now();
        let events: Vec<Vec<u8>> = unsaved.events.iter().map(journal::write).collect();
        let waits = unsaved.waits.iter().filter_map(|(n, draft)| self.pending(*n, draft));
        let withdrawn = self.engine.by_hub(Choice::Withdrawn);
        let state = state.or_else(|| {
            let running = RunState { status: Status::Running, envelope: None, at: now };
            (self.status != Status::Running).then_some(running)
        });
        let status = state.as_ref().map(|s| s.status);
        let commit = RunCommit {
            run: self.record.id.clone(),
            after: self.written,
            waits: waits.collect(),
            withdraw: unsaved.withdrawn.iter().map(|p| (p.clone(), withdrawn.clone())).collect(),
            guards,
            effects,
            state,
            durable,
            events,
        };
        let written = commit.events.len() as u64;
        self.engine.inner.deps.store.commit(commit).await?;
        self.written += written;
        self.record.effects += effects;
        if let Some(status) = status {
            self.status = status;
        }
        Ok(())
    }

    /// Whether an intent or anything that a person saw is in the journal already.
    pub(crate) fn has_written(&self) -> bool {
        self.written > 0 || self.record.effects > 0
    }

    /// What call `n` is sent with.
    pub(crate) fn plan(&self, n: u32) -> Option<CallPlan> {
        self.plans.get(&n).cloned()
    }

    fn pending(&self, n: u32, draft: &hub_core::machine::WaitDraft) -> Option<Pending> {
        let plan = self.plans.get(&n)?;
        let now = self.engine.now();
        let source = &plan.namespace.source;
        Some(Pending {
            id: draft.id.clone(),
            run: self.record.id.clone(),
            call: n,
            kind: draft.kind,
            address: plan.address.clone(),
            origin: format!("{} ({})", source.name, source.transport.origin()),
            connection: plan.connection.as_ref().map(|c| c.name.clone()),
            arguments: plan.arguments.clone(),
            reason: plan.reason.clone(),
            confirm: plan.confirm,
            digest: draft.digest,
            scope: draft.scope,
            question: draft.question.clone(),
            created_at: now,
            expires_at: now.plus(limits::PENDING_LIFE_MS),
            decision: None,
        })
    }
}
