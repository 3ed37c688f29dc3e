//! The one place where the engine starts tasks of its own. A task here is a run, or one call of
//! a run: both are counted elsewhere (live runs, calls in flight) and end by themselves.

use std::future::Future;

/// Starts a task.
pub(crate) fn spawn(task: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(task);
}
