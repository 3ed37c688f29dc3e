//! What waits for a person. A pending is decided once: only where `decision` is still empty.

use super::fault::Fault;
use hub_core::id::{PendingId, RunId};
use hub_core::pending::{Decision, Pending};
use hub_core::ports::{Decided, StoreError};
use hub_core::time::UnixMillis;
use rusqlite::{Connection as Db, Row};

const COLUMNS: &str = "pendings.body, pendings.decision";

fn read(row: &Row<'_>) -> Result<Pending, Fault> {
    let body = row.get_ref(0)?.as_bytes().unwrap_or(b"");
    let mut pending: Pending = serde_json::from_slice(body)?;
    let decision: Option<String> = row.get(1)?;
    pending.decision = decision.map(|d| serde_json::from_str(&d)).transpose()?;
    Ok(pending)
}

fn all(db: &Db, sql: &str, params: impl rusqlite::Params) -> Result<Vec<Pending>, Fault> {
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}

pub(super) fn of_run(db: &Db, run: &RunId) -> Result<Vec<Pending>, Fault> {
    let sql = format!(
        "SELECT {COLUMNS} FROM pendings JOIN runs ON runs.seq = pendings.run WHERE runs.id = ?1
            ORDER BY pendings.seq"
    );
    all(db, &sql, [run.as_str()])
}

pub(super) fn one(db: &Db, id: &PendingId) -> Result<Option<Pending>, Fault> {
    let sql = format!("SELECT {COLUMNS} FROM pendings WHERE id = ?1");
    Ok(all(db, &sql, [id.as_str()])?.into_iter().next())
}

pub(super) fn open(db: &Db) -> Result<Vec<Pending>, Fault> {
    all(db, &format!("SELECT {COLUMNS} FROM pendings WHERE decision IS NULL ORDER BY seq"), [])
}

pub(super) fn overdue(db: &Db, at: UnixMillis) -> Result<Vec<Pending>, Fault> {
    let sql = format!(
        "SELECT {COLUMNS} FROM pendings
            WHERE decision IS NULL AND json_extract(body, '$.expires_at') <= ?1 ORDER BY seq"
    );
    all(db, &sql, [at.0])
}

/// Adds a pending to the run of this number; the inner error is SQLite's.
pub(super) fn add(
    db: &Db,
    run: i64,
    pending: &Pending,
) -> Result<Result<(), rusqlite::Error>, Fault> {
    let decision = pending.decision.as_ref().map(serde_json::to_string).transpose()?;
    let body = serde_json::to_string(&Pending { decision: None, ..pending.clone() })?;
    let sql = "INSERT INTO pendings (id, run, body, decision) VALUES (?1, ?2, ?3, ?4)";
    let mut insert = db.prepare_cached(sql)?;
    Ok(insert.execute((pending.id.as_str(), run, body, decision)).map(|_| ()))
}

/// Decides it where it is still open; whether it was.
pub(super) fn close(db: &Db, id: &PendingId, decision: &Decision) -> Result<bool, Fault> {
    let sql = "UPDATE pendings SET decision = ?2 WHERE id = ?1 AND decision IS NULL";
    let text = serde_json::to_string(decision)?;
    let closed = db.prepare_cached(sql)?.execute((id.as_str(), text))? > 0;
    if !closed && one(db, id)?.is_none() {
        return Err(StoreError::NotFound.into());
    }
    Ok(closed)
}

pub(super) fn decide(db: &Db, id: &PendingId, decision: Decision) -> Result<Decided, Fault> {
    let pending = one(db, id)?.ok_or(StoreError::NotFound)?;
    if let Some(first) = pending.decision {
        return Ok(Decided::Already(first));
    }
    if !decision.choice.closes() && decision.at >= pending.expires_at {
        return Ok(Decided::Expired);
    }
    close(db, id, &decision)?;
    Ok(Decided::Now)
}
