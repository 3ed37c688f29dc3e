//! Sources, listings, names and connections.

use super::fault::{Fault, conflict};
use super::{SqliteStore, meta};
use hub_core::catalog::{Listing, Source, ToolDef};
use hub_core::connection::Connection;
use hub_core::id::SourceId;
use hub_core::ports::{SourceStore, StoreError, Stored};
use hub_core::time::UnixMillis;
use rusqlite::{Connection as Db, OptionalExtension, params};
use serde::de::DeserializeOwned;
use std::sync::Arc;

fn put_source(db: &Db, source: &Source) -> Result<(), Fault> {
    let body = serde_json::to_string(source)?;
    let (id, name, namespace) = (source.id.as_str(), &source.name, &source.namespace);
    let taken = "SELECT name = ?2 FROM sources WHERE id <> ?1 AND (name = ?2 OR namespace = ?3)";
    let taken: Option<bool> =
        db.prepare_cached(taken)?.query_row((id, name, namespace), |row| row.get(0)).optional()?;
    match taken {
        Some(true) => return Err(StoreError::Conflict(format!("source {name} exists")).into()),
        Some(false) => {
            let words = format!("namespace {namespace} is taken by another source");
            return Err(StoreError::Conflict(words).into());
        }
        None => {}
    }
    let sql = "INSERT INTO sources (id, name, namespace, body) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (id) DO UPDATE SET name = ?2, namespace = ?3, body = ?4 WHERE body <> ?4";
    if db.prepare_cached(sql)?.execute((id, name, namespace, body))? > 0 {
        meta::raise(db, "sources_version")?;
    }
    Ok(())
}

fn remove_source(db: &Db, id: &SourceId) -> Result<(), Fault> {
    if db.prepare_cached("DELETE FROM sources WHERE id = ?1")?.execute([id.as_str()])? == 0 {
        return Err(StoreError::NotFound.into());
    }
    meta::raise(db, "sources_version")?;
    Ok(())
}

fn known(db: &Db, id: &SourceId) -> Result<(), Fault> {
    let mut found = db.prepare_cached("SELECT 1 FROM sources WHERE id = ?1")?;
    if found.exists([id.as_str()])? { Ok(()) } else { Err(StoreError::NotFound.into()) }
}

/// A listing as it is written: the part without tools, and each tool, as JSON.
struct Bodies {
    rest: String,
    tools: Vec<(String, Vec<u8>)>,
}

fn bodies(mut listing: Listing) -> Result<Bodies, Fault> {
    let tools = std::mem::take(&mut listing.tools);
    let tools = tools
        .into_iter()
        .map(|tool| Ok((serde_json::to_vec(&tool)?, tool.name)))
        .map(|made: Result<_, Fault>| made.map(|(body, name)| (name, body)));
    let tools = tools.collect::<Result<_, _>>()?;
    Ok(Bodies { rest: serde_json::to_string(&listing)?, tools })
}

fn put_listing(db: &Db, source: &SourceId, bodies: &Bodies, at: UnixMillis) -> Result<(), Fault> {
    known(db, source)?;
    let id = source.as_str();
    let sql = "INSERT INTO listings (source, at, body) VALUES (?1, ?2, ?3)
        ON CONFLICT (source) DO UPDATE SET at = ?2, body = ?3";
    db.prepare_cached(sql)?.execute((id, at.0, &bodies.rest))?;
    let sql = "DELETE FROM tools WHERE source = ?1 AND position >= ?2";
    db.prepare_cached(sql)?.execute((id, bodies.tools.len() as i64))?;
    // A refresh mostly brings what is there already: that is read, not written.
    let sql = "INSERT INTO tools (source, position, raw, body) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (source, position) DO UPDATE SET raw = ?3, body = ?4 WHERE body <> ?4";
    let mut put = db.prepare_cached(sql)?;
    for (position, (raw, body)) in (0i64..).zip(&bodies.tools) {
        put.execute(params![id, position, raw, body])?;
    }
    Ok(())
}

fn add_names(db: &Db, source: &SourceId, names: &[(String, String)]) -> Result<(), Fault> {
    let id = source.as_str();
    let mut find = db.prepare_cached("SELECT 1 FROM tool_names WHERE source = ?1 AND raw = ?2")?;
    let sql = "INSERT INTO tool_names (source, position, raw, name) VALUES (?1,
        (SELECT coalesce(max(position) + 1, 0) FROM tool_names WHERE source = ?1), ?2, ?3)";
    let mut insert = db.prepare_cached(sql)?;
    for (raw, name) in names {
        if !find.exists((id, raw))? {
            let taken = |e| conflict(e, || format!("the name {name} is taken"));
            insert.execute((id, raw, name)).map_err(taken)?;
        }
    }
    Ok(())
}

fn listing(db: &Db, source: &SourceId) -> Result<Option<(Listing, UnixMillis)>, Fault> {
    let id = source.as_str();
    let mut find = db.prepare_cached("SELECT body, at FROM listings WHERE source = ?1")?;
    let found: Option<(String, i64)> =
        find.query_row([id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let Some((rest, at)) = found else { return Ok(None) };
    let mut listing: Listing = serde_json::from_str(&rest)?;
    let sql = "SELECT body FROM tools WHERE source = ?1 ORDER BY position";
    let mut tools = db.prepare_cached(sql)?;
    let mut rows = tools.query([id])?;
    while let Some(row) = rows.next()? {
        listing.tools.push(serde_json::from_slice(row.get_ref(0)?.as_bytes().unwrap_or(b""))?);
    }
    Ok(Some((listing, UnixMillis(at))))
}

/// Every row's first column, read as JSON.
pub(super) fn all<T: DeserializeOwned>(
    db: &Db,
    sql: &str,
    params: impl rusqlite::Params,
) -> Result<Vec<T>, Fault> {
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(serde_json::from_slice(row.get_ref(0)?.as_bytes().unwrap_or(b""))?);
    }
    Ok(found)
}

fn tool(db: &Db, source: &SourceId, raw: &str) -> Result<Option<Arc<ToolDef>>, Fault> {
    let sql = "SELECT body FROM tools WHERE source = ?1 AND raw = ?2 ORDER BY position LIMIT 1";
    let found = all(db, sql, (source.as_str(), raw))?;
    Ok(found.into_iter().next().map(Arc::new))
}

fn connections(db: &Db, source: &SourceId) -> Result<Vec<Connection>, Fault> {
    let sql = "SELECT json_set(body, '$.is_default', json(iif(is_default, 'true', 'false')))
        FROM connections WHERE source = ?1 ORDER BY is_default DESC, name";
    all(db, sql, [source.as_str()])
}

fn put_connection(db: &Db, mut connection: Connection) -> Result<(), Fault> {
    known(db, &connection.source)?;
    let others = connections(db, &connection.source)?;
    let old = others.iter().find(|c| c.name == connection.name);
    connection.is_default |= old.is_some_and(|c| c.is_default) || others.is_empty();
    if old == Some(&connection) {
        return Ok(());
    }
    let (source, name) = (connection.source.as_str(), &connection.name);
    if connection.is_default {
        let sql = "UPDATE connections SET is_default = 0 WHERE source = ?1";
        db.prepare_cached(sql)?.execute([source])?;
    }
    let sql = "INSERT INTO connections (source, name, is_default, body) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (source, name) DO UPDATE SET is_default = ?3, body = ?4";
    let body = serde_json::to_string(&connection)?;
    db.prepare_cached(sql)?.execute((source, name, connection.is_default, body))?;
    meta::raise(db, "sources_version")?;
    Ok(())
}

fn remove_connection(db: &Db, source: &SourceId, name: &str) -> Result<(), Fault> {
    let sql = "DELETE FROM connections WHERE source = ?1 AND name = ?2";
    if db.prepare_cached(sql)?.execute((source.as_str(), name))? == 0 {
        return Err(StoreError::NotFound.into());
    }
    meta::raise(db, "sources_version")?;
    Ok(())
}

impl SourceStore for SqliteStore {
    fn sources(&self) -> Stored<'_, Vec<Source>> {
        self.read(|db| all(db, "SELECT body FROM sources ORDER BY name", []))
    }

    fn put_source(&self, source: Source) -> Stored<'_, ()> {
        self.write(true, move |db| put_source(db, &source))
    }

    fn remove_source(&self, id: SourceId) -> Stored<'_, ()> {
        self.write(true, move |db| remove_source(db, &id))
    }

    fn put_listing(
        &self,
        source: SourceId,
        listing: Listing,
        names: Vec<(String, String)>,
        at: UnixMillis,
    ) -> Stored<'_, ()> {
        // Written out here, so that the writer has the less to do.
        let bodies = bodies(listing);
        self.write(true, move |db| {
            put_listing(db, &source, &bodies?, at)?;
            add_names(db, &source, &names)
        })
    }

    fn listing(&self, source: SourceId) -> Stored<'_, Option<(Listing, UnixMillis)>> {
        self.read(move |db| listing(db, &source))
    }

    fn tool_names(&self, source: SourceId) -> Stored<'_, Vec<(String, String)>> {
        self.read(move |db| {
            let sql = "SELECT raw, name FROM tool_names WHERE source = ?1 ORDER BY position";
            let mut names = db.prepare_cached(sql)?;
            let rows = names.query_map([source.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    fn tool(&self, source: SourceId, raw: String) -> Stored<'_, Option<Arc<ToolDef>>> {
        self.read(move |db| tool(db, &source, &raw))
    }

    fn connections(&self, source: SourceId) -> Stored<'_, Vec<Connection>> {
        self.read(move |db| connections(db, &source))
    }

    fn put_connection(&self, connection: Connection) -> Stored<'_, ()> {
        self.write(true, move |db| put_connection(db, connection))
    }

    fn remove_connection(&self, source: SourceId, name: String) -> Stored<'_, ()> {
        self.write(true, move |db| remove_connection(db, &source, &name))
    }

    fn sources_version(&self) -> Stored<'_, u64> {
        self.read(|db| Ok(meta::get(db, "sources_version")?.unsigned_abs()))
    }
}
