//! Sources: add, show, refresh, remove.

use crate::api::{EngineError, NewSource, Refreshed, SourceDetail, SourceView, Status, ToolView};
use crate::engine::Engine;
use hub_core::catalog::{Namespace, Source};
use hub_core::id::{KeyId, SourceId};
use hub_core::limits;
use hub_core::names;
use hub_core::owner::Owner;
use hub_core::policy;
use std::collections::HashMap;
use std::sync::Arc;

impl Engine {
    /// Sources by name.
    pub async fn sources(&self) -> Result<Vec<SourceView>, EngineError> {
        let mut views = Vec::new();
        for source in self.inner.deps.store.sources().await? {
            views.push(self.view(&source).await?);
        }
        Ok(views)
    }

    /// One source with its tools, by name.
    pub async fn source(&self, name: &str) -> Result<SourceDetail, EngineError> {
        let source = self.find_source(name).await?;
        let view = self.view(&source).await?;
        let mut tools = self.namespace_of(&source).map(|n| self.tool_views(&n)).unwrap_or_default();
        let mut notes = self.unread(&source).await?;
        for tool in &mut tools {
            tool.notes = notes.remove(&tool.raw).unwrap_or_default();
        }
        let stderr = self.inner.deps.upstream.stderr(&source);
        Ok(SourceDetail { view, tools, stderr })
    }

    /// What could not be read of the tools' schemas, by raw name.
    async fn unread(&self, source: &Source) -> Result<HashMap<String, Vec<String>>, EngineError> {
        let listing = self.inner.deps.store.listing(source.id.clone()).await?;
        let Some((listing, _)) = listing else { return Ok(HashMap::new()) };
        let types = self.inner.deps.types.clone();
        let read = tokio::task::spawn_blocking(move || {
            let notes = listing.tools.iter().map(|tool| {
                let told = types.diagnostics(tool).into_iter().take(limits::TOOL_NOTES);
                (tool.name.clone(), told.collect::<Vec<_>>())
            });
            notes.filter(|(_, notes)| !notes.is_empty()).collect()
        });
        read.await.map_err(|e| EngineError::Source(e.to_string()))
    }

    fn tool_views(&self, namespace: &Namespace) -> Vec<ToolView> {
        let known = self.known();
        let key = KeyId::new(Owner::TERMINAL_KEY);
        let views = namespace.tools.iter().map(|tool| {
            let address = namespace.address(tool);
            let judgement = policy::judge(
                &known.rules,
                &policy::Call {
                    address: &address,
                    connection: namespace.connections.first().map(String::as_str),
                    client: &key,
                    arguments: None,
                    annotations: tool.annotations,
                    effect: tool.effect,
                    free_destination: tool.free_destination,
                    scope: None,
                },
            );
            ToolView {
                address,
                raw: tool.raw.to_string(),
                signature: tool.signature.to_string(),
                summary: tool.summary.to_string(),
                verdict: judgement.verdict,
                reason: judgement.reason,
                effect: tool.effect,
                notes: Vec::new(),
            }
        });
        views.collect()
    }

    /// Adds a source and reads its tools. It is kept also where it does not answer; the view
    /// then says why.
    pub async fn add_source(&self, new: NewSource) -> Result<Refreshed, EngineError> {
        let source = self.put_new(new).await?;
        self.refresh_source(&source).await
    }

    /// Adds a source and starts nothing; its tools are read at the next refresh.
    pub async fn keep_source(&self, new: NewSource) -> Result<SourceView, EngineError> {
        let source = self.put_new(new).await?;
        self.view(&source).await
    }

    async fn put_new(&self, new: NewSource) -> Result<Source, EngineError> {
        check_name(&new.name)?;
        check_limits(&new)?;
        let sources = self.inner.deps.store.sources().await?;
        if sources.iter().any(|s| s.name == new.name) {
            let name = &new.name;
            return Err(EngineError::Conflict(format!(
                "there is a source {name} already; remove it first or take another name"
            )));
        }
        let taken = |namespace: &str| sources.iter().any(|s| s.namespace == namespace);
        let namespace = names::namespace(&new.name, &taken);
        let id = SourceId::fresh(self.bits());
        let source = self.to_source(id, namespace, new);
        self.inner.deps.store.put_source(source.clone()).await?;
        Ok(source)
    }

    /// Replaces a source's settings; id, namespace and the names of its tools stay.
    pub async fn update_source(&self, new: NewSource) -> Result<Refreshed, EngineError> {
        check_limits(&new)?;
        let old = self.find_source(&new.name).await?;
        let mut source = self.to_source(old.id.clone(), old.namespace.clone(), new);
        source.created_at = old.created_at;
        if source == old {
            let view = self.view(&old).await?;
            let none = Vec::new;
            return Ok(Refreshed { view, added: none(), removed: none(), changed: none() });
        }
        self.inner.deps.upstream.forget(&old).await;
        self.inner.deps.store.put_source(source.clone()).await?;
        self.refresh_source(&source).await
    }

    fn to_source(&self, id: SourceId, namespace: String, new: NewSource) -> Source {
        Source {
            id,
            name: new.name,
            namespace,
            transport: new.transport,
            trusted: new.trusted,
            effects: new.effects,
            timeout_ms: new.timeout_ms,
            concurrency: new.concurrency,
            from_file: new.from_file,
            created_at: self.now(),
        }
    }

    /// Reads a source's tools again; the last good ones stay where it does not answer.
    pub async fn refresh(&self, name: &str) -> Result<Refreshed, EngineError> {
        let source = self.find_source(name).await?;
        self.refresh_source(&source).await
    }

    /// Removes a source with its connections.
    pub async fn remove_source(&self, name: &str) -> Result<(), EngineError> {
        let source = self.find_source(name).await?;
        self.inner.deps.store.remove_source(source.id.clone()).await?;
        self.inner.deps.upstream.forget(&source).await;
        self.rebuild(&source.id, None).await
    }

    /// The hub at a glance.
    pub async fn status(&self) -> Result<Status, EngineError> {
        let known = self.known();
        Ok(Status {
            sources: known.catalog.namespaces.len(),
            tools: known.catalog.tool_count(),
            live_runs: self.inner.runs.count(),
            waiting: self.inner.deps.store.open_pendings().await?.len(),
            engine: self.inner.deps.driver.engine_id(),
        })
    }

    /// The source of that name (or namespace).
    pub(crate) async fn find_source(&self, name: &str) -> Result<Source, EngineError> {
        let sources = self.inner.deps.store.sources().await?;
        let found = sources.iter().find(|s| s.name == name);
        let found = found.or_else(|| sources.iter().find(|s| s.namespace == name));
        found.cloned().ok_or_else(|| {
            let close = names::closest(name, sources.iter().map(|s| s.name.as_str()), 3);
            let hint = match close.as_slice() {
                [] => String::new(),
                close => format!("; closest: {}", close.join(", ")),
            };
            EngineError::NotFound(format!("there is no source {name}{hint}"))
        })
    }

    fn namespace_of(&self, source: &Source) -> Option<Arc<Namespace>> {
        let known = self.known();
        known.catalog.namespaces.iter().find(|n| n.source.id == source.id).cloned()
    }

    pub(crate) async fn view(&self, source: &Source) -> Result<SourceView, EngineError> {
        let store = &self.inner.deps.store;
        let connections = store.connections(source.id.clone()).await?;
        let listing = store.listing(source.id.clone()).await?;
        let (listing, read_at) = match listing {
            Some((listing, at)) => (listing, Some(at)),
            None => Default::default(),
        };
        Ok(SourceView {
            source: source.clone(),
            connections,
            stale: self.namespace_of(source).is_some_and(|n| n.stale),
            problem: self.known().problems.get(source.id.as_str()).cloned(),
            tools: listing.tools.len(),
            broken: listing.broken,
            protocol_version: listing.protocol_version,
            server: listing.server,
            read_at,
            standing: self.inner.deps.upstream.standing(source),
        })
    }
}

fn check_limits(new: &NewSource) -> Result<(), EngineError> {
    let (most, seconds) = (limits::SOURCE_CONCURRENCY, limits::ACTIVE_MS / 1_000);
    if new.concurrency.is_some_and(|n| !(1..=most).contains(&n)) {
        return Err(EngineError::Invalid(format!(
            "calls to a source at once (concurrency) are 1 to {most}"
        )));
    }
    if new.timeout_ms.is_some_and(|ms| !(1_000..=limits::ACTIVE_MS).contains(&ms)) {
        return Err(EngineError::Invalid(format!(
            "a call's timeout is 1 to {seconds} seconds, which is what a run may take"
        )));
    }
    Ok(())
}

fn check_name(name: &str) -> Result<(), EngineError> {
    /// Characters of a source's name.
    const MOST: usize = 64;
    let fits = !name.trim().is_empty()
        && name.chars().count() <= MOST
        && !name.chars().any(char::is_control)
        && name.trim() == name;
    if fits {
        return Ok(());
    }
    Err(EngineError::Invalid(format!(
        "a source's name has 1 to {MOST} characters, no control characters and no spaces around"
    )))
}
