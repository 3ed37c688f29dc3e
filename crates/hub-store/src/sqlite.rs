//! The store on SQLite.
//!
//! One thread writes: steps that wait together share a transaction, each in a savepoint of its
//! own. A few threads read. All of them end when the store is dropped, and the lock with them.

mod blobs;
mod commit;
mod fault;
mod held;
mod keys;
mod lock;
mod marker;
mod meta;
mod migrate;
mod open;
mod pendings;
mod policy;
mod reader;
mod runs;
mod sources;
mod sweep;
mod writer;

pub use lock::is_held;
pub use marker::Restored;
pub use open::{Durability, OpenError, Options, inspect};

use fault::Fault;
use hub_core::ports::{StoreError, Stored};
use reader::Readers;
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use writer::Writer;

/// Transactions written, for tests and for `doctor`.
#[derive(Default)]
struct Counters {
    commits: AtomicU64,
    synced: AtomicU64,
}

/// The store on SQLite. Dropping it waits for writes under way, then gives up the lock.
pub struct SqliteStore {
    // Fields drop in this order: readers and writer end before the lock is given up.
    readers: Readers,
    writer: Writer,
    held: Arc<held::Held>,
    counters: Arc<Counters>,
    restored: Option<Restored>,
    /// Bytes that all journals may have together.
    journals_bytes: i64,
    _lock: lock::Lock,
}

impl SqliteStore {
    /// Opens the store in `dir`, making both where there are none. Blocks; call it at the start.
    pub fn open(dir: &Path, options: Options) -> Result<Arc<Self>, OpenError> {
        open::open(dir, options).map(Arc::new)
    }

    /// Transactions written since it was opened.
    pub fn commits(&self) -> u64 {
        self.counters.commits.load(Ordering::Relaxed)
    }

    /// Transactions among them that were synced to the disk.
    pub fn synced(&self) -> u64 {
        self.counters.synced.load(Ordering::Relaxed)
    }

    /// Set where the database is older than what its owner last knew, or a copy: calls may have
    /// been sent that its journals do not know. Reported at every opening until
    /// [`SqliteStore::settle_restored`].
    pub fn restored(&self) -> Option<Restored> {
        self.restored
    }

    /// The open runs of the older time were dealt with.
    pub fn settle_restored(&self) -> Stored<'_, ()> {
        self.write(true, |db| meta::set(db, "restored", 0))
    }

    /// Bytes of all journals.
    pub fn journal_bytes(&self) -> Stored<'_, u64> {
        self.read(|db| Ok(meta::get(db, "journal_bytes")?.unsigned_abs()))
    }

    /// Reads the whole database for damage; for `doctor`. Empty where there is none.
    pub fn check(&self) -> Stored<'_, Vec<String>> {
        self.read(|db| {
            let mut statement = db.prepare("PRAGMA quick_check")?;
            let lines = statement.query_map([], |row| row.get(0))?;
            let found: Vec<String> = lines.collect::<Result<_, _>>()?;
            Ok(found.into_iter().filter(|line| line != "ok").collect())
        })
    }

    fn read<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Stored<'_, T> {
        Box::pin(self.readers.read(look))
    }

    fn write<T: Send + 'static>(
        &self,
        durable: bool,
        change: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Stored<'_, T> {
        Box::pin(self.writer.write_then(durable, change, |_| ()))
    }
}

fn gone() -> StoreError {
    StoreError::Failed("the store was closed".to_owned())
}
