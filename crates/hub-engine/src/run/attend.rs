//! Attendance: a run sends a new effect only while somebody waits on it (SPEC 2.3).

use hub_core::limits;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Who waits on a run. Counted by guards that handlers hold; read by the run's task.
#[derive(Default)]
pub(crate) struct Attendance {
    waiting: AtomicUsize,
    /// Monotonic milliseconds until which a `running` answer counts as attendance.
    grace_until: AtomicU64,
    closed: AtomicBool,
}

impl Attendance {
    /// Whether an effect may be sent at `now` (monotonic milliseconds).
    pub(crate) fn holds(&self, now: u64) -> bool {
        !self.closed.load(Ordering::SeqCst)
            && (self.is_waited_on() || now < self.grace_until.load(Ordering::SeqCst))
    }

    /// Whether a request waits right now.
    pub(crate) fn is_waited_on(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }

    /// The client was told `running` at `now` and will come back.
    pub(crate) fn told_running(&self, now: u64) {
        let until = now + limits::ATTENDED_AFTER_RUNNING_MS;
        self.grace_until.fetch_max(until, Ordering::SeqCst);
    }

    /// Nothing counts as attendance any more: the hub stops.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }
}

/// Held by a handler while it waits; dropping it, at any point, takes attendance away.
pub(crate) struct Attending(Arc<super::registry::Live>);

impl Attending {
    pub(crate) fn new(live: Arc<super::registry::Live>) -> Self {
        live.attendance.waiting.fetch_add(1, Ordering::SeqCst);
        Self(live)
    }

    pub(crate) fn live(&self) -> &super::registry::Live {
        &self.0
    }
}

impl Drop for Attending {
    fn drop(&mut self) {
        self.0.attendance.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}
