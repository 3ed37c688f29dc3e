//! Asking a source for its tools. The last good answer stays where it does not answer.

use crate::api::{EngineError, Refreshed};
use crate::catalog::addresses;
use crate::engine::Engine;
use hub_core::catalog::Source;
use hub_core::id::SourceId;
use hub_core::names;
use hub_core::ports::{Answer, Sent, UpstreamError, UpstreamErrorKind as Kind};
use std::collections::{BTreeMap, HashSet};
use std::sync::{MutexGuard, PoisonError};

impl Engine {
    /// Reads a source's tools again and says what changed.
    pub(crate) async fn refresh_source(&self, source: &Source) -> Result<Refreshed, EngineError> {
        let deps = &self.inner.deps;
        let before = addresses(&self.known().catalog, &source.id);
        let connections = deps.store.connections(source.id.clone()).await?;
        let connection = connections.iter().find(|c| c.is_default).or(connections.first());
        let problem = match deps.upstream.list(source, connection).await {
            Ok(listing) => {
                let kept = deps.store.tool_names(source.id.clone()).await?;
                let raws: Vec<String> = listing.tools.iter().map(|t| t.name.clone()).collect();
                let given = names::tool_names(&source.name, &raws, &kept);
                let at = self.now();
                deps.store.put_listing(source.id.clone(), listing, given, at).await?;
                None
            }
            Err(error) => {
                tracing::warn!(source = %source.name, %error, "source could not be read");
                Some(error.to_string())
            }
        };
        self.rebuild(&source.id, problem).await?;
        let after = addresses(&self.known().catalog, &source.id);
        let view = self.view(source).await?;
        Ok(Refreshed {
            view,
            added: only_in(&after, &before),
            removed: only_in(&before, &after),
            changed: after
                .iter()
                .filter(|(address, digest)| before.get(*address).is_some_and(|d| d != *digest))
                .map(|(address, _)| address.clone())
                .collect(),
        })
    }

    /// Sources that could not be read the last time.
    pub fn troubled(&self) -> Vec<SourceId> {
        self.known().problems.keys().map(SourceId::new).collect()
    }

    /// What a call showed of its source: one that is away serves the last good tools, marked
    /// stale; one that is back is read again.
    pub(crate) fn heard_of(&self, source: &Source, answer: &Result<Answer, UpstreamError>) {
        let troubled = self.known().problems.contains_key(source.id.as_str());
        let away = match answer {
            Ok(_) if troubled => None,
            Err(error) if !troubled && is_away(error) => Some(error.to_string()),
            _ => return,
        };
        if !self.noting().insert(source.id.clone()) {
            return;
        }
        let (engine, source) = (self.clone(), source.clone());
        crate::tasks::spawn(async move {
            let done = match away {
                Some(problem) => engine.rebuild(&source.id, Some(problem)).await,
                None => engine.refresh_source(&source).await.map(drop),
            };
            if let Err(error) = done {
                tracing::warn!(source = %source.name, %error, "its state was not noted");
            }
            engine.noting().remove(&source.id);
        });
    }

    fn noting(&self) -> MutexGuard<'_, HashSet<SourceId>> {
        self.inner.noting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A source said that its tools changed.
    pub async fn list_changed(&self, id: &SourceId) {
        let found = self.known();
        let Some(namespace) = found.catalog.namespaces.iter().find(|n| n.source.id == *id) else {
            return;
        };
        if let Err(error) = self.refresh_source(&namespace.source).await {
            tracing::warn!(source = %namespace.source.name, %error, "refresh failed");
        }
    }
}

fn is_away(error: &UpstreamError) -> bool {
    error.kind == Kind::Unavailable && error.sent == Sent::No
}

fn only_in(a: &BTreeMap<String, String>, b: &BTreeMap<String, String>) -> Vec<String> {
    a.keys().filter(|address| !b.contains_key(*address)).cloned().collect()
}
