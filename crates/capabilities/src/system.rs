//! The wall clock and the system's randomness. Only here are they read; everything else gets
//! them as [`Clock`] and [`Random`].

use hub_core::ports::{BoxFuture, Clock, Random};
use hub_core::time::UnixMillis;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The system's clocks.
pub struct SystemClock {
    started: Instant,
}

impl SystemClock {
    /// Its monotonic time begins now.
    pub fn new() -> Self {
        Self { started: Instant::now() }
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that may ask")]
    fn now(&self) -> UnixMillis {
        // A clock set before 1970 reads as 1970.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        UnixMillis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn monotonic_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn sleep(&self, ms: u64) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(Duration::from_millis(ms)))
    }
}

/// The system's random bytes.
pub struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&self, out: &mut [u8]) {
        // Keys and ids are made of these: without randomness nothing may go on.
        getrandom::fill(out).expect("the system has randomness");
    }
}
