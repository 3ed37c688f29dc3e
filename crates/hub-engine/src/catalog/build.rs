//! From listings to the immutable catalogue that searches and runs look at.

use crate::api::EngineError;
use crate::engine::{Engine, Known};
use hub_core::catalog::{
    Annotations, Catalog, Effect, Entry, Listing, Namespace, Source, Tool, ToolDef,
};
use hub_core::id::SourceId;
use hub_core::ports::{Parameter, TypeNames, Types};
use hub_core::search::{Segment, ToolDoc, first_sentence};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

/// Parameter names that let a read reach a destination of the caller's choice (SPEC 2.7).
const DESTINATIONS: [&str; 5] = ["url", "uri", "endpoint", "host", "webhook"];

/// Tools of a source from which on its index is made beside the rest.
const APART: usize = 64;

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
        problems: HashMap<String, String>,
    ) -> Result<(), EngineError> {
        let _turn = self.inner.rebuilding.lock().await;
        let store = &self.inner.deps.store;
        let sources_version = store.sources_version().await?;
        let known = self.known();
        let mut entries = Vec::new();
        for source in store.sources().await? {
            let kept = known.catalog.namespaces.iter().find(|n| n.source == source);
            let kept = kept.filter(|n| Some(&n.source.id) != reread);
            entries.push(match kept {
                Some(namespace) => Entry::Kept(namespace.clone()),
                None => {
                    let stale = problems.contains_key(source.id.as_str());
                    self.read_namespace(source, stale).await?
                }
            });
        }
        self.publish(&known, entries, problems, sources_version).await
    }

    async fn publish(
        &self,
        known: &Known,
        entries: Vec<Entry>,
        mut problems: HashMap<String, String>,
        sources_version: u64,
    ) -> Result<(), EngineError> {
        let store = &self.inner.deps.store;
        let (rules_version, rules) = store.rules().await?;
        let before = known.catalog.clone();
        let made = self.apart(move || Catalog::new(before.version + 1, entries, &before));
        let catalog = Arc::new(made.await?);
        let mut connections = HashMap::new();
        for namespace in &catalog.namespaces {
            let id = namespace.source.id.clone();
            let read = store.connections(id.clone()).await?;
            connections.insert(id, read.into_iter().map(Arc::new).collect());
        }
        problems.retain(|id, _| catalog.namespaces.iter().any(|n| n.source.id.as_str() == id));
        let rules = Arc::new(rules);
        self.set_known(Known {
            catalog,
            connections,
            rules,
            rules_version,
            sources_version,
            problems,
            names: OnceLock::new(),
        });
        Ok(())
    }

    async fn read_namespace(&self, source: Source, stale: bool) -> Result<Entry, EngineError> {
        let store = &self.inner.deps.store;
        let connections = store.connections(source.id.clone()).await?;
        let names = store.tool_names(source.id.clone()).await?;
        let listing = store.listing(source.id.clone()).await?.map(|(listing, _)| listing);
        let connections = connections.into_iter().map(|c| c.name).collect();
        let types = self.inner.deps.types.clone();
        let built = self.apart(move || {
            let (mut namespace, segment) =
                namespace(source, connections, &names, &listing.unwrap_or_default(), &*types);
            namespace.stale = stale;
            Entry::Fresh(Arc::new(namespace), segment)
        });
        built.await
    }

    /// Work that may take long has a thread of its own, so that nothing waits behind it.
    async fn apart<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        if self.inner.deps.types.is_quick() {
            return Ok(work());
        }
        let done = tokio::task::spawn_blocking(work).await;
        done.map_err(|e| EngineError::Source(e.to_string()))
    }
}

fn namespace(
    source: Source,
    connections: Vec<String>,
    names: &[(String, String)],
    listing: &Listing,
    types: &dyn Types,
) -> (Namespace, Segment) {
    let names: HashMap<&str, &str> =
        names.iter().map(|(raw, name)| (raw.as_str(), name.as_str())).collect();
    let mut rows: Vec<Row<'_>> = listing
        .tools
        .iter()
        .filter_map(|tool| {
            let name = *names.get(tool.name.as_str())?;
            Some((name, tool, types.parameters(tool)))
        })
        .collect();
    rows.sort_by_key(|row| row.0);
    let index = || segment(&source, &rows);
    let (type_names, tools, segment) = if rows.len() < APART || types.is_quick() {
        let (type_names, tools) = outlines(&source, &rows, types);
        (type_names, tools, index())
    } else {
        std::thread::scope(|scope| {
            // Names and signatures take as long as the index does, and need nothing of it.
            let index = scope.spawn(index);
            let (type_names, tools) = outlines(&source, &rows, types);
            let panicked = |why| std::panic::resume_unwind(why);
            (type_names, tools, index.join().unwrap_or_else(panicked))
        })
    };
    let mut by_name = HashMap::with_capacity(tools.len() * 2);
    for (i, tool) in tools.iter().enumerate() {
        let i = u32::try_from(i).unwrap_or(u32::MAX);
        by_name.entry(tool.raw.clone()).or_insert(i);
    }
    for (i, tool) in tools.iter().enumerate() {
        by_name.insert(tool.name.clone(), u32::try_from(i).unwrap_or(u32::MAX));
    }
    (Namespace { source, connections, tools, by_name, type_names, stale: false }, segment)
}

/// A tool on its way into the catalogue: name in code, definition, parameters.
type Row<'a> = (&'a str, &'a ToolDef, Vec<Parameter>);

/// What the catalogue keeps of the tools, and what their types are called.
fn outlines(source: &Source, rows: &[Row<'_>], types: &dyn Types) -> (TypeNames, Vec<Tool>) {
    let definitions: Vec<&ToolDef> = rows.iter().map(|row| row.1).collect();
    let type_names = types.type_names(&definitions);
    let tools = rows.iter().map(|(name, tool, parameters)| {
        let signature = types.signature(tool, &type_names);
        in_memory(source, name, tool, parameters, signature)
    });
    let tools = tools.collect();
    (type_names, tools)
}

fn segment(source: &Source, rows: &[Row<'_>]) -> Segment {
    let docs: Vec<ToolDoc<'_>> = rows
        .iter()
        .map(|(name, tool, parameters)| ToolDoc {
            name,
            raw: &tool.name,
            title: tool.title.as_deref(),
            description: tool.description.as_deref().unwrap_or_default(),
            parameters,
            annotations: annotations(source, tool).0,
        })
        .collect();
    Segment::build(&source.namespace, &docs)
}

/// What the tool says of itself as far as its source is trusted, and its effect, both as the
/// person overrides them.
fn annotations(source: &Source, tool: &ToolDef) -> (Annotations, Effect) {
    let annotations = if source.trusted { tool.annotations } else { Annotations::default() };
    let chosen = source.effects.get(&tool.name).copied();
    let declared = match annotations.read_only_hint {
        Some(true) => Effect::Read,
        _ => Effect::Effect,
    };
    let annotations = match chosen {
        Some(effect) => Annotations { read_only_hint: Some(effect == Effect::Read), ..annotations },
        None => annotations,
    };
    (annotations, chosen.unwrap_or(declared))
}

fn in_memory(
    source: &Source,
    name: &str,
    tool: &ToolDef,
    parameters: &[Parameter],
    signature: String,
) -> Tool {
    let (annotations, effect) = annotations(source, tool);
    Tool {
        name: name.into(),
        raw: tool.name.as_str().into(),
        signature: signature.into(),
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
