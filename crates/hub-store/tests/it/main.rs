//! The store on SQLite, from outside.
#![expect(clippy::unwrap_used, reason = "a test whose ground is missing stops")]

mod conforms;
mod crash;
mod damage;
mod full;
mod grouping;
mod migrations;
mod model;
mod opening;
mod restored;

use hub_core::id::RunId;
use hub_core::ports::{RunCommit, RunStore};
use hub_store::{Options, SqliteStore};
use hub_testkit::fixtures::{new_run, run, step};
use std::path::Path;
use std::sync::Arc;

fn open(dir: &Path) -> Arc<SqliteStore> {
    SqliteStore::open(dir, Options::default()).expect("the store opens")
}

/// Another program at the database, such as a shell.
fn shell(dir: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(dir.join("hub.db")).expect("the database opens")
}

async fn begin(store: &SqliteStore, id: &str) -> RunId {
    let record = run(id, "c", id);
    store.open_run(new_run(record.clone())).await.expect("the run is added");
    record.id
}

/// A durable step of one entry.
fn append(run: &RunId, after: u64) -> RunCommit {
    RunCommit { events: vec![format!("entry {after}").into_bytes()], ..step(run, after) }
}
