//! The counters of the store.

use super::fault::Fault;
use rusqlite::Connection;

pub(super) fn get(db: &Connection, name: &str) -> Result<i64, Fault> {
    let mut found = db.prepare_cached("SELECT value FROM meta WHERE name = ?1")?;
    Ok(found.query_row([name], |row| row.get(0))?)
}

pub(super) fn set(db: &Connection, name: &str, value: i64) -> Result<(), Fault> {
    db.prepare_cached("UPDATE meta SET value = ?2 WHERE name = ?1")?.execute((name, value))?;
    Ok(())
}

/// Adds one; returns the new value.
pub(super) fn raise(db: &Connection, name: &str) -> Result<i64, Fault> {
    add(db, name, 1)
}

/// Adds `n`; returns the new value.
pub(super) fn add(db: &Connection, name: &str, n: i64) -> Result<i64, Fault> {
    let sql = "UPDATE meta SET value = value + ?2 WHERE name = ?1 RETURNING value";
    Ok(db.prepare_cached(sql)?.query_row((name, n), |row| row.get(0))?)
}
