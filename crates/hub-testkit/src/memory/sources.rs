//! Sources, listings, names and connections.

use super::MemoryStore;
use hub_core::catalog::{Listing, Source, ToolDef};
use hub_core::connection::Connection;
use hub_core::id::SourceId;
use hub_core::ports::{SourceStore, StoreError, Stored};
use hub_core::time::UnixMillis;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Default)]
pub(super) struct Sources {
    pub(super) version: u64,
    sources: BTreeMap<SourceId, Source>,
    listings: BTreeMap<SourceId, Arc<(Listing, UnixMillis)>>,
    names: BTreeMap<SourceId, Vec<(String, String)>>,
    connections: BTreeMap<(SourceId, String), Connection>,
}

impl Sources {
    fn known(&self, id: &SourceId) -> Result<(), StoreError> {
        self.sources.get(id).map(|_| ()).ok_or(StoreError::NotFound)
    }

    fn put(&mut self, source: Source) -> Result<(), StoreError> {
        for other in self.sources.values().filter(|s| s.id != source.id) {
            if other.name == source.name {
                return Err(StoreError::Conflict(format!("source {} exists", source.name)));
            }
            if other.namespace == source.namespace {
                let taken = format!("namespace {} is taken by {}", source.namespace, other.name);
                return Err(StoreError::Conflict(taken));
            }
        }
        if self.sources.get(&source.id) != Some(&source) {
            self.version += 1;
            self.sources.insert(source.id.clone(), source);
        }
        Ok(())
    }

    fn remove(&mut self, id: &SourceId) -> Result<(), StoreError> {
        self.sources.remove(id).ok_or(StoreError::NotFound)?;
        self.version += 1;
        self.listings.remove(id);
        self.names.remove(id);
        self.connections.retain(|(source, _), _| source != id);
        Ok(())
    }

    fn add_names(&mut self, id: &SourceId, given: Vec<(String, String)>) -> Result<(), StoreError> {
        let known = self.names.entry(id.clone()).or_default();
        for (raw, name) in given {
            if known.iter().any(|(r, _)| *r == raw) {
                continue;
            }
            if known.iter().any(|(_, n)| *n == name) {
                return Err(StoreError::Conflict(format!("the name {name} is taken")));
            }
            known.push((raw, name));
        }
        Ok(())
    }

    fn of(&self, source: &SourceId) -> Vec<Connection> {
        let mut found: Vec<_> =
            self.connections.values().filter(|c| c.source == *source).cloned().collect();
        found.sort_by(|a, b| (!a.is_default, &a.name).cmp(&(!b.is_default, &b.name)));
        found
    }

    fn connect(&mut self, mut connection: Connection) -> Result<(), StoreError> {
        self.known(&connection.source)?;
        let key = (connection.source.clone(), connection.name.clone());
        let old = self.connections.get(&key);
        connection.is_default |= old.is_some_and(|c| c.is_default)
            || !self.connections.keys().any(|(source, _)| *source == connection.source);
        if old == Some(&connection) {
            return Ok(());
        }
        if connection.is_default {
            let others = self.connections.values_mut().filter(|c| c.source == connection.source);
            others.for_each(|c| c.is_default = false);
        }
        self.version += 1;
        self.connections.insert(key, connection);
        Ok(())
    }
}

impl SourceStore for MemoryStore {
    fn sources(&self) -> Stored<'_, Vec<Source>> {
        self.read(|s| {
            let mut all: Vec<_> = s.sources.sources.values().cloned().collect();
            all.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(all)
        })
    }

    fn put_source(&self, source: Source) -> Stored<'_, ()> {
        self.write(|s| Arc::make_mut(&mut s.sources).put(source))
    }

    fn remove_source(&self, id: SourceId) -> Stored<'_, ()> {
        self.write(|s| Arc::make_mut(&mut s.sources).remove(&id))
    }

    fn put_listing(
        &self,
        source: SourceId,
        listing: Listing,
        names: Vec<(String, String)>,
        at: UnixMillis,
    ) -> Stored<'_, ()> {
        self.write(|s| {
            let sources = Arc::make_mut(&mut s.sources);
            sources.known(&source)?;
            sources.add_names(&source, names)?;
            sources.listings.insert(source, Arc::new((listing, at)));
            Ok(())
        })
    }

    fn listing(&self, source: SourceId) -> Stored<'_, Option<(Listing, UnixMillis)>> {
        self.read(|s| Ok(s.sources.listings.get(&source).map(|l| (**l).clone())))
    }

    fn tool_names(&self, source: SourceId) -> Stored<'_, Vec<(String, String)>> {
        self.read(|s| Ok(s.sources.names.get(&source).cloned().unwrap_or_default()))
    }

    fn tool(&self, source: SourceId, raw: String) -> Stored<'_, Option<Arc<ToolDef>>> {
        self.read(|s| {
            let listing = s.sources.listings.get(&source);
            let tool = listing.and_then(|l| l.0.tools.iter().find(|t| t.name == raw));
            Ok(tool.cloned().map(Arc::new))
        })
    }

    fn connections(&self, source: SourceId) -> Stored<'_, Vec<Connection>> {
        self.read(|s| Ok(s.sources.of(&source)))
    }

    fn put_connection(&self, connection: Connection) -> Stored<'_, ()> {
        self.write(|s| Arc::make_mut(&mut s.sources).connect(connection))
    }

    fn remove_connection(&self, source: SourceId, name: String) -> Stored<'_, ()> {
        self.write(|s| {
            let sources = Arc::make_mut(&mut s.sources);
            sources.connections.remove(&(source, name)).ok_or(StoreError::NotFound)?;
            sources.version += 1;
            Ok(())
        })
    }

    fn sources_version(&self) -> Stored<'_, u64> {
        self.read(|s| Ok(s.sources.version))
    }
}
