//! Everything durable, in SQLite: one file, one writer, a lock for life.
//!
//! The port and its contract stand in `hub_core::ports`; the suite that a store must pass in
//! `hub-testkit`. Only this crate knows SQL.
//!
//! To change the schema: add `migrations/<n>.sql`, append it to `MIGRATIONS`, and keep a
//! database of the version before as `tests/fixtures/v<n-1>.sql`. A migration that was released
//! is never edited.

mod sqlite;

pub use sqlite::{Durability, OpenError, Options, Restored, SqliteStore, inspect, is_held};
