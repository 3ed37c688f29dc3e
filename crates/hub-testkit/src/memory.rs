//! A store in memory that can crash, fill up and fail on demand.
//!
//! What a commit did not ask to be durable is gone after [`MemoryStore::crash`], as after a
//! power cut; later durable writes carry earlier ones with them, as a write-ahead log does.

mod keys;
mod policy;
mod runs;
mod sources;

use hub_core::ports::{StoreError, Stored};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A store in memory. Handles made by [`MemoryStore::crash`] and [`MemoryStore::take_over`] see
/// the same data; writes through older handles are refused as lost.
pub struct MemoryStore {
    inner: Arc<Mutex<Inner>>,
    epoch: u64,
}

/// How a commit fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing is written.
    Before,
    /// It is written, and the answer is lost: the outcome is unknown to the caller.
    After,
    /// The disk is full; nothing is written.
    Full,
}

#[derive(Default)]
struct Inner {
    epoch: u64,
    live: State,
    durable: State,
    full: bool,
    commits: u64,
    writes: u64,
    /// By number of the commit.
    faults: BTreeMap<u64, Fault>,
}

/// Cheap to copy: a copy shares what was not written since.
#[derive(Clone, Default)]
struct State {
    sources: Arc<sources::Sources>,
    policy: Arc<policy::Policy>,
    keys: Arc<keys::Keys>,
    runs: Arc<runs::Runs>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Arc<Self> {
        Arc::new(Self { inner: Arc::default(), epoch: 0 })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loses what was not durable, as a power cut does; returns the handle of the next owner.
    pub fn crash(&self) -> Arc<Self> {
        let mut inner = self.inner();
        inner.live = inner.durable.clone();
        drop(inner);
        self.take_over()
    }

    /// Another owner opens the store, after the process of this one is gone with the runs of
    /// which nothing was written; this handle's writes are refused from now on.
    pub fn take_over(&self) -> Arc<Self> {
        let mut inner = self.inner();
        inner.epoch += 1;
        Arc::make_mut(&mut inner.live.runs).lose_held();
        Arc::new(Self { inner: self.inner.clone(), epoch: inner.epoch })
    }

    /// Lets the `n`-th run commit from now on fail (1 is the next one).
    pub fn fail_commit(&self, n: u64, fault: Fault) {
        let mut inner = self.inner();
        let at = inner.commits + n;
        inner.faults.insert(at, fault);
    }

    /// Whether the disk is full: then nothing at all is written.
    pub fn set_full(&self, full: bool) {
        self.inner().full = full;
    }

    /// Steps of runs written so far (failed ones too).
    pub fn commits(&self) -> u64 {
        self.inner().commits
    }

    /// Writes of any kind so far.
    pub fn writes(&self) -> u64 {
        self.inner().writes
    }

    fn read<T: Send + 'static>(
        &self,
        look: impl FnOnce(&State) -> Result<T, StoreError>,
    ) -> Stored<'_, T> {
        let found = look(&self.inner().live);
        Box::pin(std::future::ready(found))
    }

    /// A durable write, all or nothing.
    fn write<T: Send + 'static>(
        &self,
        change: impl FnOnce(&mut State) -> Result<T, StoreError>,
    ) -> Stored<'_, T> {
        let done = self.inner().apply(self.epoch, true, change);
        Box::pin(std::future::ready(done))
    }

    /// A write that a power cut may undo.
    fn write_soft<T: Send + 'static>(
        &self,
        change: impl FnOnce(&mut State) -> Result<T, StoreError>,
    ) -> Stored<'_, T> {
        let done = self.inner().apply(self.epoch, false, change);
        Box::pin(std::future::ready(done))
    }
}

impl Inner {
    fn apply<T>(
        &mut self,
        epoch: u64,
        durable: bool,
        change: impl FnOnce(&mut State) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if epoch != self.epoch {
            return Err(StoreError::Lost);
        }
        if self.full {
            return Err(StoreError::Full);
        }
        let mut next = self.live.clone();
        let out = change(&mut next)?;
        self.live = next;
        self.writes += 1;
        if durable {
            self.durable = self.live.clone();
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests;
