//! Going on with a run: by its identifier, or by its code sent again.

use crate::api::{Caller, EngineError, Shown};
use crate::engine::Engine;
use crate::run::envelope::{add_notices, plain, show};
use crate::run::open::busy;
use crate::run::pass::{Abandoned, Begin};
use crate::run::registry::{Claim, Live, Place, Report, Rested};
use crate::run::rest::{abandoned, expired, with_error};
use crate::run::wait::Target;
use hub_core::digest::Digest;
use hub_core::envelope::{ExecuteEnvelope, Status};
use hub_core::error::RunErrorCode;
use hub_core::id::{PendingId, RunId};
use hub_core::journal::{self, Event};
use hub_core::machine::{Machine, PendingState, active_ms};
use hub_core::pending::{Channel, Choice, Decision, Pending};
use hub_core::ports::{GuestNamespace, Prepared, RunFilter, Store, StoreError};
use hub_core::run::RunRecord;
use hub_core::time::UnixMillis;
use std::sync::Arc;
use tokio::sync::mpsc;

impl Engine {
    /// Joins an earlier run of the same code.
    pub(crate) async fn join(
        &self,
        caller: &Caller,
        earlier: RunId,
    ) -> Result<Target, EngineError> {
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
        let pendings = store.pendings(record.id.clone()).await?;
        // A run that was interrupted goes on up to where it has to wait.
        let parked = !matches!(record.status, Status::Interrupted | Status::Running);
        let over = is_over(&pendings, self.now());
        if parked && !over && pendings.iter().any(|p| p.decision.is_none()) {
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
                let pendings = store.pendings(record.id.clone()).await?;
                if is_over(&pendings, self.now()) {
                    let rested = self.end_expired(&record.id).await?;
                    place.give_back(Some(rested.clone()));
                    return Ok(Target::Rests(rested));
                }
                match self.begin(&record.id, place.live(), reports, pendings).await {
                    Ok((begin, names)) => {
                        self.start(place, begin, names.into());
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
                "{}: there is no run {run} for this client; one that had sent nothing is gone if \
                 its hub was killed: send the code again",
                RunErrorCode::RunNotFound.as_str()
            ))
        })
    }

    /// Nobody decided in time: the run is over. It needs no pass for that, which might not come
    /// to its end; pendings and run are closed in one step.
    async fn end_expired(&self, run: &RunId) -> Result<Rested, EngineError> {
        let record = self.record(run.as_str()).await?;
        if !record.status.is_ended() {
            expired(self, &record).await?;
        }
        Ok(stored(&self.record(run.as_str()).await?, false))
    }

    /// Questions that sources asked inside live calls died with those calls: nobody needs to
    /// answer them. The journal knows every other pending.
    async fn forget_dead(
        &self,
        pendings: Vec<Pending>,
        journal: &[Event],
    ) -> Result<Vec<Pending>, StoreError> {
        let dead = dead_questions(&pendings, journal);
        for id in &dead {
            let decision = self.by_hub(Choice::Withdrawn);
            self.inner.deps.store.decide(id.clone(), decision).await?;
        }
        Ok(pendings.into_iter().filter(|p| !dead.contains(&p.id)).collect())
    }

    /// A decision of the hub itself, now.
    pub(crate) fn by_hub(&self, choice: Choice) -> Decision {
        Decision { choice, channel: Channel::Hub, by: "hub".into(), at: self.now() }
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
        let driver = match self.sandbox(&pins.engine).await {
            Ok(driver) => driver,
            Err(fault) => return Err(abandoned(&record, Abandoned::Fault(fault))),
        };
        let prepared: Prepared = blob(store, pins.program).await.map_err(|why| failed(&why))?;
        let names: Vec<GuestNamespace> =
            blob(store, pins.names).await.map_err(|why| failed(&why))?;
        let lines = store.journal(run.clone()).await.map_err(|e| failed(&e.to_string()))?;
        let events =
            journal::read(lines.iter().map(Vec::as_slice)).map_err(|e| failed(&e.to_string()))?;
        let pendings = self.forget_dead(pendings, &events).await;
        let pendings = pendings.map_err(|e| failed(&e.to_string()))?;
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
            driver,
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

/// Whether the time of a pending is over.
fn is_over(pendings: &[Pending], now: UnixMillis) -> bool {
    pendings.iter().any(|p| match &p.decision {
        None => p.expires_at <= now,
        Some(decision) => decision.choice == Choice::Expired,
    })
}

/// Open pendings that the journal does not know: questions inside calls that are over.
pub(crate) fn dead_questions(pendings: &[Pending], journal: &[Event]) -> Vec<PendingId> {
    let known = |id: &PendingId| {
        journal.iter().any(|e| matches!(e, Event::Waits { pending, .. } if pending == id))
    };
    let open = pendings.iter().filter(|p| p.decision.is_none() && !known(&p.id));
    open.map(|p| p.id.clone()).collect()
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

pub(crate) fn join_notice(rested: Rested) -> Rested {
    let Ok(mut envelope) = serde_json::from_str::<ExecuteEnvelope>(&rested.shown.json) else {
        return rested;
    };
    let notice = "this is an earlier run of the same code, joined so that nothing is sent twice; \
                  to run it again, change the code"
        .to_owned();
    add_notices(&mut envelope, vec![notice]);
    Rested { shown: show(&envelope, 0), asks: rested.asks }
}
