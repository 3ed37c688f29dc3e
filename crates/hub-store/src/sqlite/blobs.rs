//! Content-addressed blobs. A run pins those it needs; the rest goes with the next sweep.

use super::SqliteStore;
use super::fault::Fault;
use hub_core::digest::Digest;
use hub_core::ports::{BlobStore, Stored};
use hub_core::run::Blob;
use rusqlite::{Connection as Db, OptionalExtension};

/// Whether there is one of that digest.
fn is_there(db: &Db, digest: Digest) -> Result<bool, Fault> {
    Ok(db.prepare_cached("SELECT 1 FROM blobs WHERE digest = ?1")?.exists([digest.0])?)
}

pub(super) fn put(db: &Db, blob: &Blob) -> Result<(), Fault> {
    // Most runs bring the same name table: it is not copied for nothing.
    if is_there(db, blob.digest)? {
        return Ok(());
    }
    db.prepare_cached("INSERT OR IGNORE INTO blobs (digest, body) VALUES (?1, ?2)")?
        .execute((blob.digest.0, &*blob.bytes))?;
    Ok(())
}

/// Keeps the blob for as long as the run of this number.
pub(super) fn pin(db: &Db, run: i64, digest: Digest) -> Result<(), Fault> {
    db.prepare_cached("INSERT OR IGNORE INTO run_blobs (run, digest) VALUES (?1, ?2)")?
        .execute((run, digest.0))?;
    Ok(())
}

impl BlobStore for SqliteStore {
    fn put_blob(&self, bytes: Vec<u8>) -> Stored<'_, Digest> {
        self.write(false, move |db| {
            let blob = Blob::from(bytes);
            put(db, &blob)?;
            Ok(blob.digest)
        })
    }

    fn has_blob(&self, digest: Digest) -> Stored<'_, bool> {
        Box::pin(async move {
            if self.held.blob(digest).is_some() {
                return Ok(true);
            }
            self.readers.read(move |db| is_there(db, digest)).await
        })
    }

    fn blob(&self, digest: Digest) -> Stored<'_, Option<Vec<u8>>> {
        Box::pin(async move {
            if let Some(bytes) = self.held.blob(digest) {
                return Ok(Some(bytes.to_vec()));
            }
            let look = move |db: &Db| {
                let mut find = db.prepare_cached("SELECT body FROM blobs WHERE digest = ?1")?;
                Ok(find.query_row([digest.0], |row| row.get(0)).optional()?)
            };
            self.readers.read(look).await
        })
    }
}
