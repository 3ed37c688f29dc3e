//! What the engine needs from the world. Few, object-safe, without types of any runtime.

mod driver;
mod program;
mod store;
mod types;
mod upstream;

pub use driver::*;
pub use program::*;
pub use store::*;
pub use types::*;
pub use upstream::*;

use crate::connection::{Secret, SecretRef};
use crate::time::UnixMillis;
use std::future::Future;
use std::pin::Pin;

/// A boxed future, so that ports stay object-safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The clock. Tests pass a fake one.
pub trait Clock: Send + Sync {
    /// Wall-clock time, for records and for the guest's `Date`.
    fn now(&self) -> UnixMillis;
    /// Milliseconds that only ever grow, for durations.
    fn monotonic_ms(&self) -> u64;
    /// Returns once `ms` milliseconds of [`Clock::monotonic_ms`] have passed.
    fn sleep(&self, ms: u64) -> BoxFuture<'static, ()>;
}

/// Random bytes. Tests pass a seeded source.
pub trait Random: Send + Sync {
    /// Fills `out`.
    fn fill(&self, out: &mut [u8]);
}

/// Finds the values behind references. Values are never stored or logged.
pub trait SecretSource: Send + Sync {
    /// The value, or why there is none (the error never holds a value).
    fn resolve<'a>(&'a self, at: &'a SecretRef) -> BoxFuture<'a, Result<Secret, SecretError>>;
}

/// Keeps values for `file:` references: where the connection page and `connection add` put what
/// a person gave them.
pub trait SecretKeeper: Send + Sync {
    /// Keeps a value under a name, in place of the one before; returns the reference to it.
    fn put<'a>(
        &'a self,
        name: &'a str,
        value: Secret,
    ) -> BoxFuture<'a, Result<SecretRef, SecretError>>;
    /// Forgets a value; whether there was one.
    fn remove<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<bool, SecretError>>;
    /// The names of all values kept, sorted.
    fn names(&self) -> BoxFuture<'_, Result<Vec<String>, SecretError>>;
}

/// Why a secret could not be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reference}: {reason}")]
pub struct SecretError {
    /// The reference (never the value).
    pub reference: String,
    /// What is wrong and what to do.
    pub reason: String,
}

/// Counts tokens (o200k_base).
pub trait TokenCount: Send + Sync {
    /// How many tokens `text` has. Input beyond 256 KiB may be estimated.
    fn count(&self, text: &str) -> usize;
}
