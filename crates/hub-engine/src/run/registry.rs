//! Which runs are live, and who waits on them.

use crate::api::{RunProgress, Shown};
use crate::run::attend::Attendance;
use hub_core::id::{PendingId, RunId};
use hub_core::machine::Answered;
use hub_core::pending::Choice;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, mpsc, oneshot, watch};

/// Reports that may queue up towards one run: every call in flight, and decisions.
const REPORTS: usize = 256;

/// What the task of a run is told.
#[derive(Debug)]
pub(crate) enum Report {
    /// A call came back.
    Answered { n: u32, answer: Answered },
    /// An answer came after its call was given up.
    Late { n: u32 },
    /// A person decided.
    Decided { pending: PendingId, choice: Choice },
    /// A source asks the person something inside a live call.
    Asks {
        /// Number of the call.
        n: u32,
        /// `elicitation/create` params as JSON text.
        params: String,
        /// Takes the `ElicitResult` as JSON text.
        reply: oneshot::Sender<String>,
    },
    /// A person ends the run.
    Cancel,
    /// Attendance changed: look whether the next effect may go.
    Look,
}

/// How a pass came to rest.
#[derive(Clone, Debug)]
pub(crate) struct Rested {
    pub(crate) shown: Shown,
    /// Whether forms may be shown for its pendings.
    pub(crate) asks: bool,
}

/// A run at work. Written by its task; handlers hold it to wait and to be counted.
pub(crate) struct Live {
    pub(crate) run: RunId,
    pub(crate) reports: mpsc::Sender<Report>,
    pub(crate) attendance: Attendance,
    /// Set once, when the pass comes to rest.
    pub(crate) rested: watch::Sender<Option<Rested>>,
    /// Counts only.
    pub(crate) progress: watch::Sender<RunProgress>,
    /// How many questions of sources wait inside live calls.
    pub(crate) asking: watch::Sender<u32>,
    /// How long this pass was free because of them.
    pub(crate) free: Free,
    /// Whether a caller that waits can show forms: no page is opened then.
    pub(crate) forms: AtomicBool,
}

/// Time in which a source waited for the person inside a call: it is nobody's active time. Kept
/// by the run's task, read by its calls.
#[derive(Default)]
pub(crate) struct Free(Mutex<(u64, Option<u64>)>);

impl Free {
    fn state(&self) -> MutexGuard<'_, (u64, Option<u64>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A question waits from `now` on (monotonic milliseconds).
    pub(crate) fn begin(&self, now: u64) {
        self.state().1.get_or_insert(now);
    }

    /// None waits any more.
    pub(crate) fn end(&self, now: u64) {
        let mut state = self.state();
        if let Some(since) = state.1.take() {
            state.0 += now.saturating_sub(since);
        }
    }

    /// Milliseconds so far.
    pub(crate) fn until(&self, now: u64) -> u64 {
        let (ended, since) = *self.state();
        ended + since.map_or(0, |since| now.saturating_sub(since))
    }
}

/// All live runs of this hub.
#[derive(Default)]
pub(crate) struct Runs {
    live: Mutex<HashMap<RunId, Arc<Live>>>,
    closed: AtomicBool,
    idle: Notify,
}

/// The one place of a live run, held by whoever is to start its pass and then by its task. If it
/// is dropped before it is given back (a request went away, a task panicked), whoever waits is
/// told, and the run can be resumed.
pub(crate) struct Place {
    engine: crate::engine::Engine,
    live: Arc<Live>,
    given_back: bool,
}

impl Place {
    pub(crate) fn new(engine: crate::engine::Engine, live: Arc<Live>) -> Self {
        Self { engine, live, given_back: false }
    }

    pub(crate) fn live(&self) -> &Arc<Live> {
        &self.live
    }

    /// The run came to rest.
    pub(crate) fn give_back(mut self, rested: Option<Rested>) {
        self.given_back = true;
        self.engine.inner.runs.release(&self.live, rested);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.given_back {
            let rested = super::rest::broke_off(&self.live.run);
            self.engine.inner.runs.release(&self.live, Some(rested));
        }
    }
}

/// What a caller got that wanted to be the one who starts a pass.
pub(crate) enum Claim {
    /// Nobody runs it: this caller starts the pass.
    Mine(Arc<Live>, mpsc::Receiver<Report>),
    /// It is at work already.
    Theirs(Arc<Live>),
    /// Too many live runs, or the hub is stopping.
    Full,
}

impl Runs {
    fn live(&self) -> MutexGuard<'_, HashMap<RunId, Arc<Live>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims the one place of `run` among at most `limit` live runs.
    pub(crate) fn claim(&self, run: &RunId, limit: usize) -> Claim {
        let mut live = self.live();
        if let Some(there) = live.get(run) {
            return Claim::Theirs(there.clone());
        }
        if live.len() >= limit || self.closed.load(Ordering::SeqCst) {
            return Claim::Full;
        }
        let (reports, receiver) = mpsc::channel(REPORTS);
        let progress = RunProgress {
            run: run.clone(),
            calls_done: 0,
            calls_made: 0,
            elapsed_ms: 0,
            call: None,
        };
        let entry = Arc::new(Live {
            run: run.clone(),
            reports,
            attendance: Attendance::default(),
            rested: watch::Sender::new(None),
            progress: watch::Sender::new(progress),
            asking: watch::Sender::new(0),
            free: Free::default(),
            forms: AtomicBool::new(false),
        });
        live.insert(run.clone(), entry.clone());
        Claim::Mine(entry, receiver)
    }

    /// The live run of that identifier.
    pub(crate) fn get(&self, run: &RunId) -> Option<Arc<Live>> {
        self.live().get(run).cloned()
    }

    /// The run came to rest; whoever waits is told.
    pub(crate) fn release(&self, live: &Live, rested: Option<Rested>) {
        self.live().remove(&live.run);
        if rested.is_some() {
            live.rested.send_replace(rested);
        }
        self.idle.notify_waiters();
    }

    /// Live runs on which a request waits.
    pub(crate) fn attended(&self) -> Vec<RunId> {
        let live = self.live();
        live.values().filter(|l| l.attendance.is_waited_on()).map(|l| l.run.clone()).collect()
    }

    /// How many are live.
    pub(crate) fn count(&self) -> usize {
        self.live().len()
    }

    /// No new pass begins from here on; live ones halt before their next effect.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        for live in self.live().values() {
            live.attendance.close();
            let _ = live.reports.try_send(Report::Look);
        }
    }

    /// Returns once no run is live.
    pub(crate) async fn wait_until_idle(&self) {
        loop {
            let idle = self.idle.notified();
            if self.count() == 0 {
                return;
            }
            idle.await;
        }
    }
}
