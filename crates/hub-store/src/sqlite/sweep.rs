//! Retention: ended runs go, with what was theirs alone.

use super::fault::Fault;
use super::meta;
use hub_core::time::UnixMillis;
use rusqlite::Connection as Db;

/// Runs that go in one transaction; a longer sweep lets others write between.
pub(super) const BATCH: u64 = 200;
/// Pages given back to the disk after a sweep, at most.
const PAGES: u32 = 10_000;

/// Removes up to [`BATCH`] ended runs; texts, journal, pendings and pins go with them.
pub(super) fn runs(db: &Db, ended_before: UnixMillis) -> Result<u64, Fault> {
    let sql = "DELETE FROM runs WHERE seq IN (SELECT seq FROM runs
        WHERE status IN ('completed', 'failed', 'cancelled') AND changed_at < ?1 LIMIT ?2)
        RETURNING journal_bytes";
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query((ended_before.0, BATCH.cast_signed()))?;
    let (mut gone, mut bytes) = (0, 0);
    while let Some(row) = rows.next()? {
        gone += 1;
        bytes += row.get::<_, i64>(0)?;
    }
    if bytes > 0 {
        meta::add(db, "journal_bytes", -bytes)?;
    }
    Ok(gone)
}

/// Removes blobs that no run needs, and gives free pages back.
pub(super) fn blobs(db: &Db) -> Result<(), Fault> {
    let sql = "DELETE FROM blobs WHERE digest NOT IN (SELECT digest FROM run_blobs)";
    db.prepare_cached(sql)?.execute([])?;
    let mut shrink = db.prepare(&format!("PRAGMA incremental_vacuum({PAGES})"))?;
    let mut rows = shrink.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}
