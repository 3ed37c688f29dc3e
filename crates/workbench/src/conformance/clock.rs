//! The time that passes: here real servers and clients are waited for.

use hub_core::ports::{BoxFuture, Clock};
use hub_core::time::UnixMillis;
use std::time::{Duration, Instant};

/// Counts from when it was made.
pub struct RealClock(Instant);

impl RealClock {
    /// Now is zero.
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

impl Clock for RealClock {
    fn now(&self) -> UnixMillis {
        UnixMillis(self.0.elapsed().as_millis() as i64)
    }

    fn monotonic_ms(&self) -> u64 {
        self.0.elapsed().as_millis() as u64
    }

    fn sleep(&self, ms: u64) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(Duration::from_millis(ms)))
    }
}
