//! The time that passes: here real servers and clients are waited for. It runs faster for the
//! hub than for the suite, which waits a second and a half for a change of the list of tools that
//! the hub lets settle, the longer the more often it comes.

use hub_core::ports::{BoxFuture, Clock};
use hub_core::time::UnixMillis;
use std::time::{Duration, Instant};

/// How much faster.
const FASTER: u64 = 4;

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
        UnixMillis(self.monotonic_ms() as i64)
    }

    fn monotonic_ms(&self) -> u64 {
        self.0.elapsed().as_millis() as u64 * FASTER
    }

    fn sleep(&self, ms: u64) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(Duration::from_millis(ms) / FASTER as u32))
    }
}
