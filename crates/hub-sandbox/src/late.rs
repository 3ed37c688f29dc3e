//! How far beyond its CPU limit a guest got before it was gone, by its own clock: what `hostile`
//! judges. Nothing of the product depends on it.

use std::time::Duration;
use tokio::sync::watch;

/// The last guest that was ended at its CPU limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overrun {
    /// Guests that were ended so, this one among them.
    pub count: u64,
    /// CPU beyond its limit.
    pub last: Duration,
}

/// Where a driver notes it.
#[derive(Clone, Debug)]
pub struct Late(watch::Sender<Overrun>);

impl Default for Late {
    fn default() -> Self {
        Self(watch::channel(Overrun::default()).0)
    }
}

impl Late {
    /// One more guest was ended, this far beyond its limit.
    pub fn note(&self, beyond: Duration) {
        self.0.send_modify(|overrun| {
            overrun.count += 1;
            overrun.last = beyond;
        });
    }

    /// To see the last, and to wait for the next.
    pub fn seen(&self) -> watch::Receiver<Overrun> {
        self.0.subscribe()
    }
}
