//! Runs the parser where its recursion has room.

use crate::fault::Fault;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of stack for one reading. Only pages that are touched cost memory.
///
/// The parser has no limit of its own and a stack overflow ends the process. `depth` refuses what
/// is nested too deeply before; this is enough even for text that it misjudges (see
/// `tests/it/nesting.rs`).
pub const STACK_BYTES: usize = 256 << 20;

/// A thread that read a longer text ends with it: what it touched of its stack would stay.
const KEPT_BYTES: usize = 4 << 10;

/// Threads that wait for the next text. Making one, its stack and its memory costs more than
/// reading a usual program.
const WAITING: usize = 2;

type Job = Box<dyn FnOnce() + Send>;

/// Readers without work. A reader puts itself here, and whoever takes it out is the only one who
/// gives it work.
static IDLE: Mutex<Vec<SyncSender<Job>>> = Mutex::new(Vec::new());

/// Runs `work` on `text` on a thread with room, and waits for it.
pub fn with_room<T: Send + 'static>(
    text: &str,
    work: impl FnOnce(&str) -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let (tell, told) = sync_channel(1);
    apart(text.into(), work, move |done| {
        // Whoever asked waits for this and for nothing else.
        let _ = tell.send(done);
    });
    told.recv().unwrap_or_else(|_| Err(unread()))
}

/// Runs `work` on `text` on a thread with room; `told` hears there what came of it. Dropped
/// unheard where that thread is gone.
pub fn apart<T: Send + 'static>(
    text: Arc<str>,
    work: impl FnOnce(&str) -> Result<T, Fault> + Send + 'static,
    told: impl FnOnce(Result<T, Fault>) + Send + 'static,
) {
    let Some(reader) = take() else {
        return told(Err(Fault::internal("No room to read the code now; try again.")));
    };
    let back = reader.clone();
    let job: Job = Box::new(move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(&text)));
        if done.is_ok() && text.len() <= KEPT_BYTES {
            give_back(back);
        }
        told(done.unwrap_or_else(|_| Err(unread())));
    });
    let _ = reader.send(job);
}

fn unread() -> Fault {
    Fault::internal("The code could not be read.")
}

/// A reader that waits, or a new one.
fn take() -> Option<SyncSender<Job>> {
    let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    idle.or_else(|| {
        let (reader, jobs) = sync_channel(1);
        let builder = std::thread::Builder::new().name("reader".into()).stack_size(STACK_BYTES);
        builder.spawn(move || work_off(&jobs)).ok().map(|_| reader)
    })
}

fn give_back(reader: SyncSender<Job>) {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    if idle.len() < WAITING {
        idle.push(reader);
    }
}

/// Ends when nobody can give it work any more.
fn work_off(jobs: &Receiver<Job>) {
    while let Ok(job) = jobs.recv() {
        job();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_panicked_is_not_used_again_and_says_so() {
        let fault = with_room("x", |_| -> Result<(), Fault> { panic!("a bug of the parser") });
        assert!(fault.is_err());
        assert_eq!(with_room("xy", |text| Ok(text.len())).ok(), Some(2));
    }

    #[test]
    fn many_at_once_are_all_read() {
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..32)
                .map(|n| {
                    let text = "x".repeat(n * 400);
                    scope.spawn(move || with_room(&text, |text| Ok(text.len())).ok())
                })
                .collect();
            for (n, one) in all.into_iter().enumerate() {
                assert_eq!(one.join().ok().flatten(), Some(n * 400));
            }
        });
        assert!(IDLE.lock().unwrap().len() <= WAITING);
    }

    #[test]
    fn a_long_text_takes_its_thread_along() {
        let id = |text: &str| with_room(text, |_| Ok(std::thread::current().id())).ok();
        let long = "x".repeat(KEPT_BYTES + 1);
        let (one, other) = (id(&long), id(&long));
        assert!(one.is_some() && one != other);
    }
}
