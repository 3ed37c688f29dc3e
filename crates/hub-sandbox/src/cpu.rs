//! CPU that a guest uses, on whichever thread it runs: waiting for a core is charged nothing.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// CPU of one turn of a guest, which may go on on another thread.
#[derive(Default)]
pub struct Stopwatch {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Used before it ran where it runs now.
    before: Duration,
    since: Option<Since>,
}

/// The clocks of the thread it runs on, when it began there.
struct Since {
    cpu: Option<Duration>,
    wall: Instant,
}

impl State {
    fn used(&self) -> Duration {
        let here = match &self.since {
            None => Duration::ZERO,
            // Wall time where the system does not tell.
            Some(Since { cpu, wall }) => match (thread_cpu(), cpu) {
                (Some(now), Some(then)) => now.saturating_sub(*then),
                _ => wall.elapsed(),
            },
        };
        self.before + here
    }
}

impl Stopwatch {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Back to nothing, for the next turn.
    pub fn reset(&self) {
        *self.lock() = State::default();
    }

    /// The turn goes on on this thread, until [`Self::pause`].
    pub fn go_on(&self) {
        self.lock().since = Some(Since { cpu: thread_cpu(), wall: Instant::now() });
    }

    /// The turn rests, or leaves this thread.
    pub fn pause(&self) {
        let mut state = self.lock();
        *state = State { before: state.used(), since: None };
    }

    /// CPU so far; read it on the thread on which the turn runs, or while it rests.
    pub fn read(&self) -> Duration {
        self.lock().used()
    }
}

#[cfg(unix)]
fn thread_cpu() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).ok()?;
    Some(Duration::new(seconds, u32::try_from(time.tv_nsec).ok()?))
}

#[cfg(not(unix))]
fn thread_cpu() -> Option<Duration> {
    None
}

/// Lets everything else in the process go first.
pub fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(5) {
        tracing::debug!(%error, "guests run at the priority of the hub");
    }
}
