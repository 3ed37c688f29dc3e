//! From listings to the immutable catalogue that searches and runs look at.

use crate::api::EngineError;
use crate::engine::{Engine, Known};
use hub_core::catalog::{Annotations, Catalog, Effect, Listing, Namespace, Source, Tool, ToolDef};
use hub_core::id::SourceId;
use hub_core::ports::{Parameter, Types};
use hub_core::search::{Segment, ToolDoc, first_sentence};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Parameter names that let a read reach a destination of the caller's choice (SPEC 2.7).
const DESTINATIONS: [&str; 5] = ["url", "uri", "endpoint", "host", "webhook"];

impl Engine {
    /// Reads everything from the store.
    pub(crate) async fn rebuild_all(&self) -> Result<(), EngineError> {
        self.renew(None, self.known().problems.clone()).await
    }

    /// Reads one source again; the others stay as they are.
    pub(crate) async fn rebuild(
        &self,
        id: &SourceId,
        problem: Option<String>,
    ) -> Result<(), EngineError> {
        let mut problems = self.known().problems.clone();
        match problem {
            Some(problem) => problems.insert(id.to_string(), problem),
            None => problems.remove(id.as_str()),
        };
        self.renew(Some(id), problems).await
    }

    /// Reads the rules again; sources that are as they were stay.
    pub(crate) async fn reload_rules(&self) -> Result<(), EngineError> {
        self.renew(None, self.known().problems.clone()).await
    }

    /// Makes what calls are judged by anew. The version of the sources is read before anything
    /// else: newer data under an older version fails safe at the send's guard, the other way
    /// round a call could go to a source that is no longer configured.
    async fn renew(
        &self,
        reread: Option<&SourceId>,
        mut problems: HashMap<String, String>,
    ) -> Result<(), EngineError> {
        let _turn = self.inner.rebuilding.lock().await;
        let store = &self.inner.deps.store;
        let sources_version = store.sources_version().await?;
        let known = self.known();
        let mut namespaces = Vec::new();
        for source in store.sources().await? {
            let kept = known.catalog.namespaces.iter().find(|n| n.source == source);
            let kept = kept.filter(|n| Some(&n.source.id) != reread);
            namespaces.push(match kept {
                Some(namespace) => namespace.clone(),
                None => {
                    let mut namespace = self.read_namespace(source).await?;
                    let stale = problems.contains_key(namespace.source.id.as_str());
                    if let Some(namespace) = Arc::get_mut(&mut namespace) {
                        namespace.stale = stale;
                    }
                    namespace
                }
            });
        }
        problems.retain(|id, _| namespaces.iter().any(|n| n.source.id.as_str() == id));
        self.publish(namespaces, problems, sources_version).await
    }

    async fn publish(
        &self,
        mut namespaces: Vec<Arc<Namespace>>,
        problems: HashMap<String, String>,
        sources_version: u64,
    ) -> Result<(), EngineError> {
        let store = &self.inner.deps.store;
        namespaces.sort_by(|a, b| a.source.namespace.cmp(&b.source.namespace));
        let version = self.known().catalog.version + 1;
        let (rules_version, rules) = store.rules().await?;
        let mut connections = HashMap::new();
        for namespace in &namespaces {
            let id = namespace.source.id.clone();
            let read = store.connections(id.clone()).await?;
            connections.insert(id, read.into_iter().map(Arc::new).collect());
        }
        let catalog = Arc::new(Catalog { version, namespaces });
        let rules = Arc::new(rules);
        self.set_known(Known {
            catalog,
            connections,
            rules,
            rules_version,
            sources_version,
            problems,
        });
        Ok(())
    }

    async fn read_namespace(&self, source: Source) -> Result<Arc<Namespace>, EngineError> {
        let store = &self.inner.deps.store;
        let connections = store.connections(source.id.clone()).await?;
        let names = store.tool_names(source.id.clone()).await?;
        let listing = store.listing(source.id.clone()).await?.map(|(listing, _)| listing);
        let connections = connections.into_iter().map(|c| c.name).collect();
        let types = self.inner.deps.types.clone();
        let built = tokio::task::spawn_blocking(move || {
            namespace(source, connections, &names, &listing.unwrap_or_default(), &*types)
        });
        let built = built.await.map_err(|e| EngineError::Source(e.to_string()))?;
        Ok(Arc::new(built))
    }
}

fn namespace(
    source: Source,
    connections: Vec<String>,
    names: &[(String, String)],
    listing: &Listing,
    types: &dyn Types,
) -> Namespace {
    let names: HashMap<&str, &str> =
        names.iter().map(|(raw, name)| (raw.as_str(), name.as_str())).collect();
    let mut rows: Vec<(&str, &ToolDef, Vec<Parameter>)> = listing
        .tools
        .iter()
        .filter_map(|tool| {
            let name = *names.get(tool.name.as_str())?;
            Some((name, tool, types.parameters(tool)))
        })
        .collect();
    rows.sort_by_key(|row| row.0);
    let tools: Vec<Tool> = rows
        .iter()
        .map(|(name, tool, parameters)| in_memory(&source, name, tool, parameters, types))
        .collect();
    let docs: Vec<ToolDoc<'_>> = rows
        .iter()
        .zip(&tools)
        .map(|((name, tool, parameters), kept)| ToolDoc {
            name,
            raw: &tool.name,
            title: tool.title.as_deref(),
            description: tool.description.as_deref().unwrap_or_default(),
            parameters,
            annotations: kept.annotations,
        })
        .collect();
    let segment = Arc::new(Segment::build(&source.namespace, &docs));
    let mut by_name = HashMap::with_capacity(tools.len() * 2);
    for (i, tool) in tools.iter().enumerate() {
        let i = u32::try_from(i).unwrap_or(u32::MAX);
        by_name.entry(tool.raw.clone()).or_insert(i);
    }
    for (i, tool) in tools.iter().enumerate() {
        by_name.insert(tool.name.clone(), u32::try_from(i).unwrap_or(u32::MAX));
    }
    Namespace { source, connections, tools, by_name, segment, stale: false }
}

fn in_memory(
    source: &Source,
    name: &str,
    tool: &ToolDef,
    parameters: &[Parameter],
    types: &dyn Types,
) -> Tool {
    let annotations = if source.trusted { tool.annotations } else { Annotations::default() };
    let chosen = source.effects.get(&tool.name).copied();
    let declared = match annotations.read_only_hint {
        Some(true) => Effect::Read,
        _ => Effect::Effect,
    };
    let effect = chosen.unwrap_or(declared);
    let annotations = match chosen {
        Some(effect) => Annotations { read_only_hint: Some(effect == Effect::Read), ..annotations },
        None => annotations,
    };
    Tool {
        name: name.into(),
        raw: tool.name.as_str().into(),
        signature: types.signature(tool).into(),
        summary: first_sentence(tool.description.as_deref().unwrap_or_default()).into(),
        annotations,
        effect,
        free_destination: parameters.iter().any(is_destination),
        digest: tool.digest(),
    }
}

fn is_destination(parameter: &Parameter) -> bool {
    let name = parameter.name.to_lowercase();
    parameter.format.as_deref().is_some_and(|f| f.starts_with("uri"))
        || DESTINATIONS.iter().any(|d| *d == name || name.ends_with(&format!("_{d}")))
}

/// Address and definition digest of every tool of one source.
pub(crate) fn addresses(catalog: &Catalog, id: &SourceId) -> BTreeMap<String, String> {
    let namespace = catalog.namespaces.iter().find(|n| n.source.id == *id);
    namespace
        .into_iter()
        .flat_map(|n| n.tools.iter().map(|t| (n.address(t), t.digest.to_string())))
        .collect()
}
