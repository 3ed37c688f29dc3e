//! Tasks of chores. Each ends with its chore, with a connection, or at once.

use std::future::Future;

/// Starts one.
pub fn spawn(task: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(task);
}
