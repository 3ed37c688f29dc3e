//! CPU of the thread that runs a guest: a guest that waits for a core is charged nothing.

use std::time::{Duration, Instant};

/// CPU used since a point.
pub struct Stopwatch {
    from: Duration,
    wall: Instant,
}

impl Stopwatch {
    /// Starts on this thread; it must be read on this thread.
    pub fn start() -> Self {
        Self { from: thread_cpu().unwrap_or_default(), wall: Instant::now() }
    }

    /// CPU of this thread since the start; wall time where the system does not tell.
    pub fn read(&self) -> Duration {
        match thread_cpu() {
            Some(now) => now.saturating_sub(self.from),
            None => self.wall.elapsed(),
        }
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
