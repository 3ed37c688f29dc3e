//! Connections: named sets of credentials of a source.

use crate::api::{EngineError, NewConnection};
use crate::engine::Engine;
use hub_core::connection::Connection;
use hub_core::pending::{Channel, Choice, PendingKind};

impl Engine {
    /// Connections of a source, the default first.
    pub async fn connections(&self, source: &str) -> Result<Vec<Connection>, EngineError> {
        let source = self.find_source(source).await?;
        Ok(self.inner.deps.store.connections(source.id).await?)
    }

    /// Adds a connection, or replaces it under a new revision: what was allowed for the old
    /// credentials does not hold for new ones. Calls that wait for it may go on.
    pub async fn put_connection(&self, new: NewConnection) -> Result<Connection, EngineError> {
        self.put_connection_through(new, Channel::Terminal, "connection added").await
    }

    /// The same, through another channel than the terminal; `by` is who, for people to read.
    pub async fn put_connection_through(
        &self,
        new: NewConnection,
        channel: Channel,
        by: &str,
    ) -> Result<Connection, EngineError> {
        let source = self.find_source(&new.source).await?;
        if new.name.trim().is_empty() || new.name.chars().any(char::is_control) {
            return Err(EngineError::Invalid("a connection needs a name".into()));
        }
        let store = &self.inner.deps.store;
        let there = store.connections(source.id.clone()).await?;
        let old = there.iter().find(|c| c.name == new.name);
        let connection = Connection {
            source: source.id.clone(),
            name: new.name,
            credentials: new.credentials,
            plain_env: new.plain_env,
            is_default: new.make_default || there.is_empty() || old.is_some_and(|c| c.is_default),
            created_at: old.map_or(self.now(), |c| c.created_at),
            revision: old.map_or(1, |c| c.revision + 1),
        };
        store.put_connection(connection.clone()).await?;
        // It failed, perhaps for want of this. One that was only kept is not started.
        let had_failed = self.known().problems.contains_key(source.id.as_str());
        self.inner.deps.upstream.forget(&source).await;
        self.rebuild(&source.id, None).await?;
        self.connected(&source.namespace, &connection.name, channel, by).await?;
        if had_failed {
            self.refresh_source(&source).await?;
        }
        Ok(connection)
    }

    /// Calls that waited for this connection may go on.
    async fn connected(
        &self,
        namespace: &str,
        connection: &str,
        channel: Channel,
        by: &str,
    ) -> Result<(), EngineError> {
        for pending in self.inner.deps.store.open_pendings().await? {
            let waits = pending.kind == PendingKind::Connection
                && pending.address.split('.').next() == Some(namespace)
                && pending.connection.as_deref().is_none_or(|c| c == connection);
            if waits {
                self.decide_one(&pending, Choice::Connected, channel, by).await?;
            }
        }
        Ok(())
    }

    /// Makes a connection the default.
    pub async fn set_default_connection(
        &self,
        source: &str,
        name: &str,
    ) -> Result<(), EngineError> {
        let source = self.find_source(source).await?;
        let mut connection = self.find_connection(&source.id, name).await?;
        connection.is_default = true;
        self.inner.deps.store.put_connection(connection).await?;
        self.rebuild(&source.id, None).await
    }

    /// Removes a connection; no other takes its place.
    pub async fn remove_connection(&self, source: &str, name: &str) -> Result<(), EngineError> {
        let source = self.find_source(source).await?;
        self.find_connection(&source.id, name).await?;
        self.inner.deps.store.remove_connection(source.id.clone(), name.to_owned()).await?;
        self.inner.deps.upstream.forget(&source).await;
        self.rebuild(&source.id, None).await
    }

    async fn find_connection(
        &self,
        source: &hub_core::id::SourceId,
        name: &str,
    ) -> Result<Connection, EngineError> {
        let there = self.inner.deps.store.connections(source.clone()).await?;
        let names: Vec<&str> = there.iter().map(|c| c.name.as_str()).collect();
        let missing = format!("there is no connection {name}; there are: {}", names.join(", "));
        let found = there.iter().find(|c| c.name == name).cloned();
        found.ok_or(EngineError::NotFound(missing))
    }
}
