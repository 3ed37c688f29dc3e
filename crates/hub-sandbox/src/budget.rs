//! Memory of all guests together: taken before it is used, given back when the guest is gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Assumed where the system does not say what it has.
const UNKNOWN_MACHINE: usize = 4 << 30;
/// The guests' share of the machine: one part in this many.
const SHARE: usize = 4;

/// What all guests share.
#[derive(Debug)]
pub struct Budget {
    total: usize,
    used: AtomicUsize,
}

impl Budget {
    /// A budget of `total` bytes.
    pub fn new(total: usize) -> Arc<Self> {
        Arc::new(Self { total, used: AtomicUsize::new(0) })
    }

    /// A quarter of the machine or of the container, whichever is smaller.
    pub fn of_machine() -> Arc<Self> {
        Self::new(machine_bytes() / SHARE)
    }

    /// A lease that holds nothing yet.
    pub fn lease(self: &Arc<Self>) -> Lease {
        Lease { budget: Arc::clone(self), held: 0 }
    }

    /// Bytes that are taken now.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }
}

/// One guest's part of a [`Budget`]; dropping it gives it back.
#[derive(Debug)]
pub struct Lease {
    budget: Arc<Budget>,
    held: usize,
}

impl Lease {
    /// Raises the part to `bytes`; false when the budget does not hold that much more.
    pub fn raise(&mut self, bytes: usize) -> bool {
        let more = bytes.saturating_sub(self.held);
        let total = self.budget.total;
        let taken = self.budget.used.fetch_update(Ordering::AcqRel, Ordering::Acquire, |used| {
            used.checked_add(more).filter(|sum| *sum <= total)
        });
        if taken.is_ok() {
            self.held += more;
        }
        taken.is_ok()
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.held, Ordering::AcqRel);
    }
}

fn machine_bytes() -> usize {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        kilobytes.checked_mul(1024)
    });
    let container = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        .iter()
        .find_map(|path| std::fs::read_to_string(path).ok()?.trim().parse::<usize>().ok());
    let machine = machine.unwrap_or(UNKNOWN_MACHINE);
    container.map_or(machine, |container| container.min(machine))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_never_overdrawn_and_comes_back() {
        let budget = Budget::new(100);
        let mut first = budget.lease();
        let mut second = budget.lease();
        assert!(first.raise(60));
        assert!(first.raise(60), "what is held already costs nothing");
        assert!(!second.raise(41));
        assert!(second.raise(40));
        assert!(!first.raise(61));
        assert!(!second.raise(usize::MAX));
        assert_eq!(budget.used(), 100);
        drop(first);
        assert_eq!(budget.used(), 40);
        assert!(second.raise(100));
        drop(second);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn the_machine_has_memory() {
        assert!(machine_bytes() > 0);
    }
}
