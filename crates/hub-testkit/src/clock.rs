//! A clock that moves only when a test moves it.

use hub_core::ports::{BoxFuture, Clock};
use hub_core::time::UnixMillis;
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// A clock that moves only by [`FakeClock::advance`] and [`FakeClock::advance_to_next`].
/// Sleepers wake in the order of their deadlines, those of one deadline in the order they
/// went to sleep.
#[derive(Clone)]
pub struct FakeClock(Arc<Mutex<State>>);

struct State {
    start: UnixMillis,
    elapsed: u64,
    next: u64,
    /// By deadline, then by the order they went to sleep.
    sleepers: BTreeMap<(u64, u64), Option<Waker>>,
    /// Tests that wait until so many sleep.
    watchers: Vec<Waker>,
}

impl Default for FakeClock {
    fn default() -> Self {
        Self::at(UnixMillis(1_700_000_000_000))
    }
}

impl FakeClock {
    /// A clock that shows `start`.
    pub fn at(start: UnixMillis) -> Self {
        Self(Arc::new(Mutex::new(State {
            start,
            elapsed: 0,
            next: 0,
            sleepers: BTreeMap::new(),
            watchers: Vec::new(),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves the clock by `ms` and wakes whoever is due. The woken tasks run when the caller
    /// next awaits.
    pub fn advance(&self, ms: u64) {
        let due = {
            let mut state = self.state();
            state.elapsed += ms;
            state.due()
        };
        due.into_iter().for_each(Waker::wake);
    }

    /// Moves the clock to the next deadline, if anybody sleeps.
    pub fn advance_to_next(&self) -> bool {
        let due = {
            let mut state = self.state();
            let Some(&(deadline, _)) = state.sleepers.keys().next() else { return false };
            state.elapsed = state.elapsed.max(deadline);
            state.due()
        };
        due.into_iter().for_each(Waker::wake);
        true
    }

    /// How many sleep.
    pub fn sleepers(&self) -> usize {
        self.state().sleepers.len()
    }

    /// Milliseconds until the next deadline.
    pub fn next_in(&self) -> Option<u64> {
        let state = self.state();
        state.sleepers.keys().next().map(|(deadline, _)| deadline - state.elapsed)
    }

    /// Returns once at least `n` sleep.
    pub async fn until_sleeping(&self, n: usize) {
        poll_fn(|cx| {
            let mut state = self.state();
            if state.sleepers.len() >= n {
                return Poll::Ready(());
            }
            state.watchers.push(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

impl State {
    fn due(&mut self) -> Vec<Waker> {
        let rest = self.sleepers.split_off(&(self.elapsed + 1, 0));
        let due = std::mem::replace(&mut self.sleepers, rest);
        due.into_values().flatten().collect()
    }
}

impl Clock for FakeClock {
    fn now(&self) -> UnixMillis {
        let state = self.state();
        state.start.plus(i64::try_from(state.elapsed).unwrap_or(i64::MAX))
    }

    fn monotonic_ms(&self) -> u64 {
        self.state().elapsed
    }

    fn sleep(&self, ms: u64) -> BoxFuture<'static, ()> {
        let (key, watchers) = {
            let mut state = self.state();
            if ms == 0 {
                return Box::pin(std::future::ready(()));
            }
            let key = (state.elapsed.saturating_add(ms), state.next);
            state.next += 1;
            state.sleepers.insert(key, None);
            (key, std::mem::take(&mut state.watchers))
        };
        watchers.into_iter().for_each(Waker::wake);
        let asleep = Asleep { clock: self.clone(), key };
        Box::pin(async move {
            poll_fn(|cx| {
                let mut state = asleep.clock.state();
                match state.sleepers.get_mut(&asleep.key) {
                    Some(slot) => {
                        *slot = Some(cx.waker().clone());
                        Poll::Pending
                    }
                    None => Poll::Ready(()),
                }
            })
            .await;
        })
    }
}

/// Leaves the list of sleepers when the future is dropped.
struct Asleep {
    clock: FakeClock,
    key: (u64, u64),
}

impl Drop for Asleep {
    fn drop(&mut self) {
        self.clock.state().sleepers.remove(&self.key);
    }
}

#[cfg(test)]
mod tests;
