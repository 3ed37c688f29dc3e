//! Client keys and the hub's own keys.

use super::SqliteStore;
use super::fault::{Fault, conflict};
use super::sources::all;
use hub_core::digest::Digest;
use hub_core::id::KeyId;
use hub_core::owner::ClientKey;
use hub_core::ports::{KeyStore, StoreError, Stored};
use hub_core::time::UnixMillis;
use rusqlite::Connection as Db;

fn put(db: &Db, key: &ClientKey, token: Digest) -> Result<(), Fault> {
    let sql = "INSERT INTO keys (id, token, body) VALUES (?1, ?2, ?3)
        ON CONFLICT (id) DO UPDATE SET token = ?2, body = ?3";
    let body = serde_json::to_string(key)?;
    db.prepare_cached(sql)?
        .execute((key.id.as_str(), token.0, body))
        .map_err(|e| conflict(e, || "another key has this token".to_owned()))?;
    Ok(())
}

fn revoke(db: &Db, id: &KeyId, at: UnixMillis) -> Result<(), Fault> {
    let found = all::<ClientKey>(db, "SELECT body FROM keys WHERE id = ?1", [id.as_str()])?;
    let mut key = found.into_iter().next().ok_or(StoreError::NotFound)?;
    key.revoked_at.get_or_insert(at);
    db.prepare_cached("UPDATE keys SET body = ?2 WHERE id = ?1")?
        .execute((id.as_str(), serde_json::to_string(&key)?))?;
    Ok(())
}

impl KeyStore for SqliteStore {
    fn put_key(&self, key: ClientKey, token: Digest) -> Stored<'_, ()> {
        self.write(true, move |db| put(db, &key, token))
    }

    fn key_by_token(&self, token: Digest) -> Stored<'_, Option<ClientKey>> {
        self.read(move |db| {
            let found = all::<ClientKey>(db, "SELECT body FROM keys WHERE token = ?1", [token.0])?;
            Ok(found.into_iter().find(|key| key.revoked_at.is_none()))
        })
    }

    fn keys(&self) -> Stored<'_, Vec<ClientKey>> {
        self.read(|db| all(db, "SELECT body FROM keys ORDER BY seq DESC", []))
    }

    fn revoke_key(&self, id: KeyId, at: UnixMillis) -> Stored<'_, ()> {
        self.write(true, move |db| revoke(db, &id, at))
    }

    fn hub_key(&self, name: String, fresh: [u8; 32]) -> Stored<'_, [u8; 32]> {
        self.write(true, move |db| {
            db.prepare_cached("INSERT OR IGNORE INTO hub_keys (name, value) VALUES (?1, ?2)")?
                .execute((&name, fresh))?;
            let mut find = db.prepare_cached("SELECT value FROM hub_keys WHERE name = ?1")?;
            Ok(find.query_row([&name], |row| row.get(0))?)
        })
    }
}
