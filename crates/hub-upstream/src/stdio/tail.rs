//! The last words of a server: its standard error, and what it printed that is no MCP.

use crate::desk::lock;
use crate::scrub::Scrub;
use hub_core::limits::STDERR_KEPT_BYTES;
use std::collections::VecDeque;
use std::sync::Mutex;

/// Outlives the process: what a dead server said last is what a person wants to know.
#[derive(Default)]
pub(crate) struct Tail {
    kept: Mutex<VecDeque<u8>>,
    scrub: Mutex<Scrub>,
}

impl Tail {
    /// Takes these secrets out of what is shown.
    pub fn hide(&self, scrub: Scrub) {
        *lock(&self.scrub) = scrub;
    }

    /// Adds bytes; the oldest go.
    pub fn push(&self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(STDERR_KEPT_BYTES)..];
        let mut kept = lock(&self.kept);
        let over = (kept.len() + bytes.len()).saturating_sub(STDERR_KEPT_BYTES);
        kept.drain(..over);
        kept.extend(bytes);
    }

    /// Everything kept.
    pub fn text(&self) -> String {
        let bytes: Vec<u8> = lock(&self.kept).iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        lock(&self.scrub).words(&text).into_owned()
    }

    /// The last lines, at most `chars` characters of them.
    pub fn last(&self, chars: usize) -> String {
        let text = self.text();
        let text = text.trim_end();
        let skip = text.chars().count().saturating_sub(chars);
        text.chars().skip(skip).collect()
    }
}

#[cfg(test)]
#[path = "tail_tests.rs"]
mod tests;
