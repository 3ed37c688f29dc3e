//! The threads that read, each with a connection of its own.

use super::fault::Fault;
use super::gone;
use hub_core::ports::StoreError;
use rusqlite::Connection;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::{mpsc, oneshot};

/// Reads that wait; more wait before they are asked.
const WAITING: usize = 256;

type Job = Box<dyn FnOnce(&Connection) + Send>;

/// The readers. End when dropped.
pub(super) struct Readers {
    queue: Option<mpsc::Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Readers {
    pub(super) fn start(connections: Vec<Connection>) -> std::io::Result<Self> {
        let (queue, jobs) = mpsc::channel::<Job>(WAITING);
        let jobs = Arc::new(Mutex::new(jobs));
        let mut threads = Vec::new();
        for db in connections {
            let jobs = jobs.clone();
            let work = move || {
                // Held only while waiting for the next job, never while reading.
                let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv();
                while let Some(job) = next() {
                    job(&db);
                }
            };
            threads.push(std::thread::Builder::new().name("store-read".to_owned()).spawn(work)?);
        }
        Ok(Self { queue: Some(queue), threads })
    }

    /// Looks at one consistent state of the store.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |db| {
            let found = db.unchecked_transaction().map_err(Fault::from).and_then(|_tx| look(db));
            // Nobody listens any more: nothing to do.
            let _ = reply.send(found.map_err(StoreError::from));
        });
        let queue = self.queue.as_ref().ok_or_else(gone)?;
        queue.send(job).await.map_err(|_| gone())?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.queue.take();
        for thread in self.threads.drain(..) {
            // A reader that panicked has told nobody anything wrong.
            let _ = thread.join();
        }
    }
}
