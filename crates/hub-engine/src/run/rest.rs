//! How a pass is brought to rest: its end is stored before anybody is told.

use crate::engine::Engine;
use crate::run::envelope::{
    Place, add_notices, fault_error, plain, show, summaries, summary, waiting_status,
};
use crate::run::forms::fits_form;
use crate::run::pass::{Abandoned, End, Pass, Rest};
use crate::run::registry::{Live, Rested};
use crate::run::resume::{dead_questions, stored};
use hub_core::envelope::{ExecuteEnvelope, RunError, Status};
use hub_core::error::RunErrorCode;
use hub_core::id::{PendingId, RunId};
use hub_core::journal;
use hub_core::machine::calls_of;
use hub_core::pending::{Channel, Choice, Decision, Pending};
use hub_core::ports::{Positions, RunCommit, RunFilter, RunState, StoreError};
use hub_core::run::RunRecord;
use std::sync::atomic::Ordering;

impl Pass {
    /// Stores how the pass came to rest and returns what is shown.
    pub(crate) async fn settle(&mut self, rest: Rest) -> Rested {
        let settled = match rest {
            Rest::Parked => self.park().await,
            Rest::Interrupted => self.interrupt().await,
            Rest::Ended(end) => self.end(end).await,
            Rest::Abandoned(why) => Err(why),
        };
        match settled {
            Ok(rested) => rested,
            Err(why) => match self.engine.inner.deps.store.run(self.record.id.clone()).await {
                // Somebody ended it in between: that holds.
                Ok(Some(record)) if record.status.is_ended() => stored(&record, false),
                _ => abandoned(&self.record, why),
            },
        }
    }

    async fn park(&mut self) -> Result<Rested, Abandoned> {
        // Pendings first: the envelope names them, and the page shows them.
        let unsaved = self.machine.take_unsaved();
        self.commit(&unsaved, None, Vec::new(), 0, true).await?;
        let pendings = self.open_pendings().await?;
        // Everything was decided while the guest came to rest: `resume` goes on at once.
        let status = match pendings.is_empty() {
            true => Status::Interrupted,
            false => waiting_status(&pendings),
        };
        let forms = self.live.forms.load(Ordering::SeqCst) && pendings.iter().all(fits_form);
        let opened = !forms && self.engine.inner.deps.screen.open(&self.record.id);
        let place = match (forms, opened) {
            (true, _) => Place::Form,
            (false, true) => Place::Page,
            (false, false) => Place::Terminal,
        };
        let envelope = self.waiting(status, &pendings, place);
        self.store(envelope, true).await
    }

    async fn open_pendings(&self) -> Result<Vec<Pending>, StoreError> {
        let store = &self.engine.inner.deps.store;
        let all = store.pendings(self.record.id.clone()).await?;
        Ok(all.into_iter().filter(|p| p.decision.is_none()).collect())
    }

    async fn interrupt(&mut self) -> Result<Rested, Abandoned> {
        let envelope = self.waiting(Status::Interrupted, &[], Place::Terminal);
        self.store(envelope, false).await
    }

    async fn end(&mut self, end: End) -> Result<Rested, Abandoned> {
        let envelope = self.ended(end);
        self.store(envelope, false).await
    }

    async fn store(&mut self, envelope: ExecuteEnvelope, asks: bool) -> Result<Rested, Abandoned> {
        let shown = self.show(&envelope);
        let state = RunState {
            status: envelope.status,
            envelope: Some((shown.json.to_string(), shown.line.to_string())),
            at: self.engine.now(),
        };
        let mut unsaved = self.machine.take_unsaved();
        if envelope.status.is_ended() {
            self.decline_all();
            unsaved.withdrawn.append(&mut self.left_open);
            unsaved.withdrawn.extend(self.machine.open_pendings().into_iter().map(|p| p.1));
        }
        // A power cut may take a run that did nothing but read: nothing is lost with it.
        let durable = !envelope.status.is_ended() || self.has_written();
        self.commit(&unsaved, Some(state), Vec::new(), 0, durable).await?;
        let run = &self.record.id;
        let (status, calls) = (envelope.status.as_str(), envelope.calls.len());
        tracing::info!(%run, status, calls, "run");
        Ok(Rested { shown, asks })
    }
}

/// A pass that broke off: the run is as it was, and the caller learns why.
pub(crate) fn abandoned(record: &RunRecord, why: Abandoned) -> Rested {
    let error = match why {
        Abandoned::Fault(fault) => {
            let mut error = fault_error(&fault, &Positions::Same);
            if error.code != RunErrorCode::EngineMismatch.as_str() {
                error.code = RunErrorCode::ReplayUnavailable.as_str().to_owned();
                error.hint = Some("The run is kept; resume it again in a moment.".into());
            }
            error
        }
        Abandoned::Store(error) => store_error(&error),
    };
    Rested { shown: show(&with_error(record, error), 0), asks: false }
}

fn store_error(error: &StoreError) -> RunError {
    let code = match error {
        StoreError::Full => RunErrorCode::Busy,
        _ => RunErrorCode::Internal,
    };
    let mut shown = plain(code, error.to_string());
    shown.hint = Some("Nothing is sent twice; resume the run once this is mended.".into());
    shown
}

/// The run's envelope as last stored, with an error beside it.
pub(crate) fn with_error(record: &RunRecord, error: RunError) -> ExecuteEnvelope {
    let stored = record.envelope.as_ref().and_then(|e| serde_json::from_str(e).ok());
    let mut envelope: ExecuteEnvelope = stored.unwrap_or_else(|| blank(record));
    envelope.error = Some(error);
    envelope
}

/// What is told where a pass broke off without a word.
pub(crate) fn broke_off(run: &RunId) -> Rested {
    let mut envelope = empty(run, Status::Interrupted);
    envelope.error =
        Some(plain(RunErrorCode::Internal, "the pass broke off; resume the run".into()));
    Rested { shown: show(&envelope, 0), asks: false }
}

fn blank(record: &RunRecord) -> ExecuteEnvelope {
    let status = match record.status {
        Status::Running => Status::Interrupted,
        status => status,
    };
    empty(&record.id, status)
}

fn empty(run: &RunId, status: Status) -> ExecuteEnvelope {
    ExecuteEnvelope {
        run_id: run.clone(),
        status,
        result: None,
        error: None,
        logs: None,
        calls: Vec::new(),
        pending: None,
        truncated: None,
        notices: None,
    }
}

/// Where a run stands that is at work.
pub(crate) struct Stands {
    pub(crate) rested: Rested,
    /// Whether a source's question inside a live call waits for its answer.
    pub(crate) asks_inside: bool,
}

impl Engine {
    /// Where a run stands that is at work: `running`, or `awaiting_input` where a source asks
    /// the person something inside a live call.
    pub(crate) async fn running(&self, live: &Live) -> Stands {
        self.keep(live).await;
        let progress = live.progress.borrow().clone();
        let run = &progress.run;
        let asked = if *live.asking.borrow() > 0 {
            self.inner.deps.store.pendings(run.clone()).await.unwrap_or_default()
        } else {
            Vec::new()
        };
        let asked: Vec<_> = asked
            .iter()
            .filter(|p| p.decision.is_none())
            .map(|p| summary(p, Place::Terminal, run.as_str()))
            .collect();
        let envelope = ExecuteEnvelope {
            run_id: run.clone(),
            status: match asked.is_empty() {
                true => Status::Running,
                false => Status::AwaitingInput,
            },
            result: None,
            error: None,
            logs: None,
            calls: Vec::new(),
            pending: (!asked.is_empty()).then_some(asked),
            truncated: None,
            notices: Some(vec![format!(
                "still at work: {} of {} calls answered; wait on with {{\"resume\": \"{run}\"}}",
                progress.calls_done, progress.calls_made
            )]),
        };
        let asks_inside = envelope.pending.is_some();
        let rested = Rested { shown: show(&envelope, progress.elapsed_ms), asks: false };
        Stands { rested, asks_inside }
    }
}

impl Engine {
    /// Runs that were at work when an earlier hub went away are interrupted: their owner, or a
    /// person, resumes them. Nothing starts by itself.
    pub(crate) async fn interrupt_orphans(&self) -> Result<(), crate::api::EngineError> {
        let store = &self.inner.deps.store;
        let filter = RunFilter { status: vec![Status::Running], ..RunFilter::default() };
        for record in store.runs(filter).await? {
            let run = record.id.clone();
            match self.interrupt_orphan(record).await {
                Ok(()) => {}
                Err(crate::api::EngineError::Store(StoreError::Lost)) => {
                    return Err(StoreError::Lost.into());
                }
                // It stays as it is, which costs this run alone: whoever resumes it is told why.
                Err(error) => tracing::warn!(%run, %error, "an interrupted run cannot be read"),
            }
        }
        Ok(())
    }

    async fn interrupt_orphan(&self, mut record: RunRecord) -> Result<(), crate::api::EngineError> {
        let store = &self.inner.deps.store;
        record.status = Status::Interrupted;
        record.envelope = None;
        let mut envelope = blank(&record);
        envelope.notices = Some(vec!["the hub stopped while this run was at work".into()]);
        let lines = store.journal(record.id.clone()).await?;
        let mut dead = Vec::new();
        match journal::read(lines.iter().map(Vec::as_slice)) {
            Ok(events) => {
                envelope.calls = summaries(calls_of(&events));
                let pendings = store.pendings(record.id.clone()).await?;
                let withdrawn = self.by_hub(Choice::Withdrawn);
                let questions = dead_questions(&pendings, &events).into_iter();
                dead.extend(questions.map(|id| (id, withdrawn.clone())));
            }
            // Which questions are dead is not known either. Told of when the run is resumed.
            Err(error) => add_notices(&mut envelope, vec![format!("its journal: {error}")]),
        }
        stand(self, &record, &envelope, dead).await
    }
}

impl Engine {
    /// The store is older than it was (a backup was put back): what its open runs have sent
    /// since is unknown, so none of them goes on.
    pub async fn end_restored_runs(&self) -> Result<usize, crate::api::EngineError> {
        let filter = RunFilter { status: Status::OPEN.to_vec(), ..RunFilter::default() };
        let runs = self.inner.deps.store.runs(filter).await?;
        for record in &runs {
            let mut error = plain(
                RunErrorCode::StoreRestored,
                "the hub's store was put back from a backup; what this run sent since is unknown"
                    .into(),
            );
            error.hint = Some("Look at the current state before running anything again.".into());
            end_at_rest(self, record, Status::Failed, error, "hub").await?;
        }
        Ok(runs.len())
    }
}

/// A person ends a run that is not at work: its pendings are withdrawn.
pub(crate) async fn cancelled(
    engine: &Engine,
    record: &RunRecord,
    by: &str,
) -> Result<(), crate::api::EngineError> {
    let error = plain(RunErrorCode::Cancelled, "a person ended the run".into());
    end_at_rest(engine, record, Status::Cancelled, error, by).await
}

/// A parked run whose pending nobody decided in time is over.
pub(crate) async fn expired(
    engine: &Engine,
    record: &RunRecord,
) -> Result<(), crate::api::EngineError> {
    let error = plain(RunErrorCode::ApprovalExpired, "nobody decided in time".into());
    end_at_rest(engine, record, Status::Cancelled, error, "hub").await
}

/// A run in which nothing waits and for which nobody came back is over.
pub(crate) async fn forgotten(
    engine: &Engine,
    record: &RunRecord,
) -> Result<(), crate::api::EngineError> {
    let days = hub_core::limits::FORGOTTEN_RUN_MS / (24 * 3_600_000);
    let message = format!("nobody came back for it in {days} days");
    end_at_rest(engine, record, Status::Cancelled, plain(RunErrorCode::Cancelled, message), "hub")
        .await
}

/// Ends a run that is not at work; its pendings are withdrawn.
async fn end_at_rest(
    engine: &Engine,
    record: &RunRecord,
    status: Status,
    error: RunError,
    by: &str,
) -> Result<(), crate::api::EngineError> {
    let mut envelope = with_error(record, error);
    envelope.status = status;
    envelope.pending = None;
    let at = engine.now();
    let decision = |p: &Pending| Decision {
        choice: if p.expires_at <= at { Choice::Expired } else { Choice::Withdrawn },
        channel: Channel::Hub,
        by: by.to_owned(),
        at,
    };
    let open = engine.inner.deps.store.pendings(record.id.clone()).await?;
    let open = open.into_iter().filter(|p| p.decision.is_none());
    let withdraw = open.map(|p| (p.id.clone(), decision(&p))).collect();
    stand(engine, record, &envelope, withdraw).await
}

/// Stores where a run stands that is not at work.
async fn stand(
    engine: &Engine,
    record: &RunRecord,
    envelope: &ExecuteEnvelope,
    withdraw: Vec<(PendingId, Decision)>,
) -> Result<(), crate::api::EngineError> {
    let store = &engine.inner.deps.store;
    let shown = show(envelope, 0);
    let commit = RunCommit {
        run: record.id.clone(),
        after: store.journal(record.id.clone()).await?.len() as u64,
        events: Vec::new(),
        waits: Vec::new(),
        withdraw,
        guards: Vec::new(),
        effects: 0,
        state: Some(RunState {
            status: envelope.status,
            envelope: Some((shown.json.to_string(), shown.line.to_string())),
            at: engine.now(),
        }),
        durable: true,
    };
    Ok(store.commit(commit).await?)
}
