//! The one thread that writes.
//!
//! It takes whatever waits, up to a bound, and writes it in one transaction: several steps each in
//! a savepoint, so that one that is refused costs only itself. Nobody is answered before the
//! transaction is written; where that fails, nobody's step was.

use super::fault::Fault;
use super::held::Held;
use super::marker::Marker;
use super::{Counters, gone, meta, runs};
use hub_core::ports::StoreError;
use rusqlite::{Connection, ErrorCode};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use tokio::sync::{mpsc, oneshot};

/// Steps that wait; more wait before they are taken.
const WAITING: usize = 256;
/// Steps in one transaction.
const TOGETHER: usize = 64;

/// Who owns the store, and how far the marker is.
pub(super) struct Owner {
    pub(super) identity: String,
    pub(super) epoch: i64,
    pub(super) mark: i64,
}

/// The writer. Ends when dropped, after what waits.
pub(super) struct Writer {
    queue: Option<mpsc::Sender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
}

trait Job: Send {
    fn durable(&self) -> bool;
    fn run(&mut self, db: &Connection) -> Result<(), Fault>;
    /// Answers: with what `run` found, or with why it does not count.
    fn answer(self: Box<Self>, failure: Option<StoreError>);
}

struct Step<T, F, L> {
    durable: bool,
    change: Option<F>,
    found: Option<T>,
    /// Told once it is written, before anybody is answered.
    landed: L,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F, L> Job for Step<T, F, L>
where
    T: Send,
    F: FnOnce(&Connection) -> Result<T, Fault> + Send,
    L: FnOnce(&T) + Send,
{
    fn durable(&self) -> bool {
        self.durable
    }

    fn run(&mut self, db: &Connection) -> Result<(), Fault> {
        if let Some(change) = self.change.take() {
            self.found = Some(change(db)?);
        }
        Ok(())
    }

    fn answer(self: Box<Self>, failure: Option<StoreError>) {
        let found = match (failure, self.found) {
            (None, Some(found)) => {
                (self.landed)(&found);
                Ok(found)
            }
            (failure, _) => Err(failure.unwrap_or_else(gone)),
        };
        // Nobody listens any more: it is written all the same.
        let _ = self.reply.send(found);
    }
}

impl Writer {
    pub(super) fn start(
        db: Connection,
        owner: Owner,
        marker: Marker,
        power: bool,
        counters: Arc<Counters>,
        held: Arc<Held>,
    ) -> std::io::Result<Self> {
        let (queue, mut jobs) = mpsc::channel::<Box<dyn Job>>(WAITING);
        let mut desk = Desk { db, owner, marker, power, full_sync: true, broken: false, counters };
        let work = move || {
            while let Some(first) = jobs.blocking_recv() {
                let mut group = vec![first];
                while group.len() < TOGETHER {
                    let Ok(next) = jobs.try_recv() else { break };
                    group.push(next);
                }
                desk.write(group);
            }
            desk.close(&held);
        };
        let thread = std::thread::Builder::new().name("store-write".to_owned()).spawn(work)?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    /// Writes one step. Once it is queued it is written, whether or not anybody still waits;
    /// `landed` hears of it before any later step.
    pub(super) async fn write_then<T: Send + 'static>(
        &self,
        durable: bool,
        change: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
        landed: impl FnOnce(&T) + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let job = Box::new(Step { durable, change: Some(change), found: None, landed, reply });
        let queue = self.queue.as_ref().ok_or_else(gone)?;
        queue.send(job).await.map_err(|_| gone())?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue.take();
        if let Some(thread) = self.thread.take() {
            // A writer that panicked has answered nobody.
            let _ = thread.join();
        }
    }
}

/// What the writing thread has before it.
struct Desk {
    db: Connection,
    owner: Owner,
    marker: Marker,
    /// Whether durable means a power cut.
    power: bool,
    /// Whether the connection syncs at commit now.
    full_sync: bool,
    /// Set once the disk failed in a commit: what it holds is not known any more.
    broken: bool,
    counters: Arc<Counters>,
}

impl Desk {
    fn write(&mut self, mut group: Vec<Box<dyn Job>>) {
        let durable = group.iter().any(|job| job.durable());
        match self.transaction(&mut group, durable) {
            Ok(refused) => {
                if refused.iter().any(Option::is_none) {
                    self.counters.commits.fetch_add(1, Ordering::Relaxed);
                    let synced = durable && self.power;
                    self.counters.synced.fetch_add(synced.into(), Ordering::Relaxed);
                }
                if durable {
                    self.mark();
                }
                for (job, failure) in group.into_iter().zip(refused) {
                    job.answer(failure);
                }
            }
            Err(failure) => group.into_iter().for_each(|job| job.answer(Some(failure.clone()))),
        }
    }

    /// Writes the group; what became of each step, or why none was written.
    fn transaction(
        &mut self,
        group: &mut [Box<dyn Job>],
        durable: bool,
    ) -> Result<Vec<Option<StoreError>>, StoreError> {
        if self.broken {
            let words = "the disk failed; check it and start the hub again";
            return Err(StoreError::Failed(words.to_owned()));
        }
        let written = self.begin(durable).and_then(|()| {
            let refused = self.steps(group)?;
            if durable {
                self.owner.mark = meta::raise(&self.db, "mark")?;
            }
            Ok(refused)
        });
        let written = written.and_then(|refused| {
            let commit = self.db.prepare_cached("COMMIT").and_then(|mut end| end.execute([]));
            self.broken = commit
                .as_ref()
                .is_err_and(|e| e.sqlite_error_code() == Some(ErrorCode::SystemIoFailure));
            commit?;
            Ok(refused)
        });
        written.map_err(|fault| {
            if !self.db.is_autocommit() {
                // A rollback that fails leaves the transaction open; the next BEGIN says so.
                let _ = self.db.execute_batch("ROLLBACK");
            }
            fault.into()
        })
    }

    fn begin(&mut self, durable: bool) -> Result<(), Fault> {
        let full = durable && self.power;
        if full != self.full_sync {
            let level = if full { "FULL" } else { "NORMAL" };
            self.db.pragma_update(None, "synchronous", level)?;
            self.full_sync = full;
        }
        self.db.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        if meta::get(&self.db, "epoch")? != self.owner.epoch {
            return Err(StoreError::Lost.into());
        }
        Ok(())
    }

    fn steps(&self, group: &mut [Box<dyn Job>]) -> Result<Vec<Option<StoreError>>, Fault> {
        // Alone, a step that is refused takes the transaction along, and needs no savepoint.
        if let [job] = group {
            job.run(&self.db)?;
            return Ok(vec![None]);
        }
        let mut refused = Vec::with_capacity(group.len());
        for job in group {
            self.db.prepare_cached("SAVEPOINT step")?.execute([])?;
            match job.run(&self.db) {
                Ok(()) => refused.push(None),
                Err(fault) if fault.is_full() || self.db.is_autocommit() => return Err(fault),
                Err(fault) => {
                    self.db.prepare_cached("ROLLBACK TO step")?.execute([])?;
                    refused.push(Some(fault.into()));
                }
            }
            self.db.prepare_cached("RELEASE step")?.execute([])?;
        }
        Ok(refused)
    }

    /// Runs that are still held are written, so that the next hub finds them interrupted.
    fn close(&mut self, held: &Held) {
        let held = held.all();
        if held.is_empty() || self.broken {
            return;
        }
        let kept = self.begin(false).and_then(|()| {
            runs::keep(&self.db, &held)?;
            Ok(self.db.execute_batch("COMMIT")?)
        });
        if let Err(fault) = kept {
            tracing::warn!(%fault, runs = held.len(), "runs at work could not be kept");
        }
    }

    fn mark(&self) {
        let owner = &self.owner;
        if let Err(error) = self.marker.write(&owner.identity, owner.epoch, owner.mark) {
            tracing::warn!(%error, "the marker beside the database could not be written");
        }
    }
}
