//! The heartbeat that lets a running guest be stopped: it beats while a guest runs and rests
//! otherwise, so that an idle hub never wakes. A program that calls tools runs for some
//! microseconds between two answers: the heart goes on for a while, else each would wake it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use wasmtime::EngineWeak;

/// One beat.
const TICK: Duration = Duration::from_millis(1);

/// Beats without a guest before it rests.
const LINGER: u32 = 20;

/// Counts the guests that run.
pub struct Ticker {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    running: usize,
    /// Waits to be woken.
    rests: bool,
    closed: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ticker {
    /// Starts the thread, which rests until a guest runs.
    pub fn start(engine: EngineWeak) -> std::io::Result<Self> {
        let shared =
            Arc::new(Shared { state: Mutex::new(State::default()), changed: Condvar::new() });
        let beating = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("guest-ticker".into())
            .spawn(move || beat(&beating, &engine))?;
        Ok(Self { shared })
    }

    /// Beats until the returned value is dropped.
    pub fn running(&self) -> Running<'_> {
        let mut state = self.shared.lock();
        state.running += 1;
        if state.rests {
            state.rests = false;
            self.shared.changed.notify_one();
        }
        Running { ticker: self }
    }

    /// Guests that run now.
    pub fn count(&self) -> usize {
        self.shared.lock().running
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_one();
    }
}

/// A guest that runs.
pub struct Running<'a> {
    ticker: &'a Ticker,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.ticker.shared.lock().running -= 1;
    }
}

fn beat(shared: &Shared, engine: &EngineWeak) {
    let mut state = shared.lock();
    let mut idle = 0;
    while !state.closed {
        if state.running > 0 {
            idle = 0;
        } else if idle < LINGER {
            idle += 1;
        } else {
            state.rests = true;
            let still = |state: &mut State| state.rests && !state.closed;
            state = shared.changed.wait_while(state, still).unwrap_or_else(PoisonError::into_inner);
            idle = 0;
        }
        let (next, _) =
            shared.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner);
        state = next;
        if state.running == 0 {
            continue;
        }
        let Some(engine) = engine.upgrade() else { return };
        engine.increment_epoch();
    }
}
