//! The tokenizer's life: who loads it, how long it stays, who drops it.

use crate::{COUNTED_BYTES, UNBROKEN_BYTES};
use hub_core::ports::TokenCount;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tiktoken_rs::CoreBPE;

/// How long the tokenizer stays after its last use.
const IDLE: Duration = Duration::from_secs(30);

/// Counts tokens. Cheap to clone; clones share one tokenizer.
#[derive(Clone)]
pub struct Tokens {
    shared: Arc<Shared>,
}

/// Counts write `last_use`; the one keeper thread that exists while `bpe` is there waits on
/// `changed`, takes the tokenizer away once it was idle long enough, and ends.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    idle: Duration,
}

#[derive(Default)]
struct State {
    bpe: Option<Arc<CoreBPE>>,
    last_use: Option<Instant>,
}

impl Default for Tokens {
    fn default() -> Self {
        Self::new()
    }
}

impl Tokens {
    /// Loads nothing yet.
    pub fn new() -> Self {
        Self::with_idle(IDLE)
    }

    /// Keeps the tokenizer for `idle` after its last use.
    pub fn with_idle(idle: Duration) -> Self {
        let shared = Shared { state: Mutex::default(), changed: Condvar::new(), idle };
        Self { shared: Arc::new(shared) }
    }

    /// Whether the tokenizer is in memory.
    pub fn is_loaded(&self) -> bool {
        self.shared.lock().bpe.is_some()
    }

    /// Returns once the tokenizer is out of memory.
    pub fn wait_until_dropped(&self) {
        let mut state = self.shared.lock();
        while state.bpe.is_some() {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The tokenizer, loaded if need be. `None` where its tables cannot be read.
    fn bpe(&self) -> Option<Arc<CoreBPE>> {
        let mut state = self.shared.lock();
        state.last_use = Some(Instant::now());
        if let Some(bpe) = &state.bpe {
            return Some(bpe.clone());
        }
        let bpe = Arc::new(tiktoken_rs::o200k_base().ok()?);
        let keeper = self.shared.clone();
        let spawned =
            std::thread::Builder::new().name("tokens".into()).spawn(move || keeper.keep());
        // Without a keeper nobody would drop it: then it lives for this count only.
        if spawned.is_ok() {
            state.bpe = Some(bpe.clone());
        }
        Some(bpe)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sleeps until the tokenizer was idle long enough, then drops it.
    fn keep(&self) {
        let mut state = self.lock();
        loop {
            let idle = state.last_use.map_or(self.idle, |at| at.elapsed());
            let Some(left) = self.idle.checked_sub(idle).filter(|left| !left.is_zero()) else {
                break;
            };
            state = match self.changed.wait_timeout(state, left) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        state.bpe = None;
        drop(state);
        self.changed.notify_all();
    }
}

impl TokenCount for Tokens {
    fn count(&self, text: &str) -> usize {
        let counted = &text[..text.floor_char_boundary(COUNTED_BYTES)];
        let Some(bpe) = self.bpe() else {
            // Four bytes a token is what prose and code come to.
            return text.len().div_ceil(4);
        };
        let tokens = pieces(counted).map(|piece| bpe.count_ordinary(piece)).sum::<usize>();
        if counted.len() == text.len() || counted.is_empty() {
            return tokens;
        }
        let scaled = (tokens as u128 * text.len() as u128).div_ceil(counted.len() as u128);
        usize::try_from(scaled).unwrap_or(usize::MAX)
    }
}

/// `text` in parts without an unbroken run longer than [`UNBROKEN_BYTES`]. Ordinary text is one
/// part, so its count is exact.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, after) = rest.split_at(piece_end(rest));
        rest = after;
        Some(piece)
    })
}

/// Where the first part of `text` ends: inside the first run that is too long, else at its end.
fn piece_end(text: &str) -> usize {
    let (mut run, mut kind) = (0, None);
    for (at, c) in text.char_indices() {
        let this = (c.is_alphanumeric(), c.is_whitespace());
        if kind != Some(this) {
            (run, kind) = (at, Some(this));
        }
        let end = at + c.len_utf8();
        if end - run > UNBROKEN_BYTES && end < text.len() {
            return end;
        }
    }
    text.len()
}
