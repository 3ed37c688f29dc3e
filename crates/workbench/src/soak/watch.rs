//! Looks at the hub's process from outside.

use std::time::{Duration, Instant};

/// Descriptors more at the end than at the beginning that show nothing yet: connections that are
/// just being closed.
pub const SPARE_DESCRIPTORS: usize = 8;
/// Kilobytes beside a quarter that memory may grow once it is warm: caches fill slowly.
pub const SPARE_KILOBYTES: usize = 24 << 10;
/// How often it is looked at.
const EVERY: Duration = Duration::from_millis(500);
/// How long what is idle may take to be closed.
const SETTLES: Duration = Duration::from_secs(15);

/// A process that is watched.
pub struct Watch {
    pid: u32,
    /// Descriptors while nothing was asked yet.
    before: usize,
}

impl Watch {
    /// Begins, with every source connected and no agent at work.
    pub fn new(pid: u32) -> Self {
        Self { pid, before: descriptors(pid) }
    }

    /// Watches for `time`; kilobytes once it was warm, and at the end (medians of a fifth each).
    pub fn through(&self, time: Duration) -> (usize, usize) {
        let (began, mut seen) = (Instant::now(), Vec::new());
        while began.elapsed() < time {
            std::thread::sleep(EVERY);
            seen.push(kilobytes(self.pid));
        }
        let fifth = (seen.len() / 5).max(1);
        let warm = median(&seen[fifth.min(seen.len() - 1)..(2 * fifth).min(seen.len())]);
        (warm, median(&seen[seen.len() - fifth..]))
    }

    /// Descriptors before and after, once it has come to rest.
    pub fn settled(&self) -> (usize, usize) {
        let began = Instant::now();
        let mut after = descriptors(self.pid);
        while after > self.before + SPARE_DESCRIPTORS && began.elapsed() < SETTLES {
            std::thread::sleep(EVERY);
            after = descriptors(self.pid);
        }
        (self.before, after)
    }
}

fn median(values: &[usize]) -> usize {
    let mut values = values.to_vec();
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

fn descriptors(pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count)
}

/// Resident memory.
fn kilobytes(pid: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let words = line.and_then(|line| line.split_whitespace().next());
    words.and_then(|kilobytes| kilobytes.parse().ok()).unwrap_or(0)
}
