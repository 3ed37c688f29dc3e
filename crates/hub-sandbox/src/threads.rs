//! The threads that guests move to when a turn lasts: never the server's, at a lower priority.
//! There may be as many as there are guests computing at this moment; the system shares the cores
//! among them, so one that loops takes a share and never a turn from the others. Idle ones end.

use crate::cpu;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Threads at most; more jobs wait.
const THREADS: usize = 64;
/// Bytes of a thread's stack; a guest brings its own.
const THREAD_STACK: usize = 1 << 20;
/// How long a thread without work stays.
const IDLE: Duration = Duration::from_secs(10);

type Job = Box<dyn FnOnce() + Send>;

/// A set of threads.
#[derive(Default)]
pub struct Threads {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    work: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
    closed: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Threads {
    /// Runs `job` on one of them.
    pub fn run(&self, job: Job) -> std::io::Result<()> {
        let mut queue = self.shared.lock();
        queue.jobs.push_back(job);
        if queue.idle >= queue.jobs.len() || queue.threads >= THREADS {
            drop(queue);
            self.shared.work.notify_one();
            return Ok(());
        }
        queue.threads += 1;
        drop(queue);
        let shared = Arc::clone(&self.shared);
        let spawned = std::thread::Builder::new()
            .name("guest".into())
            .stack_size(THREAD_STACK)
            .spawn(move || work(&shared));
        if let Err(error) = spawned {
            let mut queue = self.shared.lock();
            queue.threads -= 1;
            if queue.threads == 0 {
                queue.jobs.pop_back();
                return Err(error);
            }
        }
        Ok(())
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.work.notify_all();
    }
}

fn work(shared: &Shared) {
    cpu::lower_priority();
    let mut queue = shared.lock();
    loop {
        if let Some(job) = queue.jobs.pop_front() {
            drop(queue);
            // A job reports its own panic; this one only keeps the count of threads right.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
            queue = shared.lock();
            continue;
        }
        if queue.closed {
            break;
        }
        queue.idle += 1;
        let (woken, timeout) =
            shared.work.wait_timeout(queue, IDLE).unwrap_or_else(PoisonError::into_inner);
        queue = woken;
        queue.idle -= 1;
        if timeout.timed_out() && queue.jobs.is_empty() {
            break;
        }
    }
    queue.threads -= 1;
}
