//! Content-addressed blobs. A run pins those it needs; the rest goes with the next sweep.

use super::SqliteStore;
use super::fault::Fault;
use hub_core::digest::Digest;
use hub_core::ports::{BlobStore, Stored};
use rusqlite::{Connection as Db, OptionalExtension};

pub(super) fn put(db: &Db, bytes: &[u8]) -> Result<Digest, Fault> {
    let digest = Digest::of(bytes);
    db.prepare_cached("INSERT OR IGNORE INTO blobs (digest, body) VALUES (?1, ?2)")?
        .execute((digest.0, bytes))?;
    Ok(digest)
}

/// Keeps the blob for as long as the run of this number.
pub(super) fn pin(db: &Db, run: i64, digest: Digest) -> Result<(), Fault> {
    db.prepare_cached("INSERT OR IGNORE INTO run_blobs (run, digest) VALUES (?1, ?2)")?
        .execute((run, digest.0))?;
    Ok(())
}

impl BlobStore for SqliteStore {
    fn put_blob(&self, bytes: Vec<u8>) -> Stored<'_, Digest> {
        self.write(false, move |db| put(db, &bytes))
    }

    fn blob(&self, digest: Digest) -> Stored<'_, Option<Vec<u8>>> {
        self.read(move |db| {
            let mut find = db.prepare_cached("SELECT body FROM blobs WHERE digest = ?1")?;
            Ok(find.query_row([digest.0], |row| row.get(0)).optional()?)
        })
    }
}
