//! Our own search over a labelled set.

use super::measure::DEPTH;
use super::sets::Set;
use hub_core::catalog::{Annotations, Catalog, Effect, Entry, Namespace, Source, Tool, Transport};
use hub_core::digest::Digest;
use hub_core::id::SourceId;
use hub_core::names;
use hub_core::policy::Verdict;
use hub_core::ports::Parameter;
use hub_core::search::{Query, Segment, ToolDoc, Weights, first_sentence, search_with};
use hub_core::time::UnixMillis;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Instant;

/// A set as the hub would hold it.
pub struct Ours {
    pub catalog: Catalog,
    /// Ids by namespace and tool.
    ids: Vec<Vec<String>>,
    weights: Weights,
    /// Milliseconds that the index took, names and the rest of the catalogue not counted.
    pub build_ms: f64,
}

impl Ours {
    pub fn new(set: &Set, weights: &Weights) -> Self {
        let mut by_source: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (i, tool) in set.tools.iter().enumerate() {
            by_source.entry(&tool.namespace).or_default().push(i);
        }
        let mut taken = Vec::new();
        let mut built: Vec<(String, Entry, Vec<String>)> = Vec::new();
        let mut build_ms = 0.0;
        for (source, members) in by_source {
            let name = names::namespace(source, &|n| taken.iter().any(|t| t == n));
            taken.push(name.clone());
            let (entry, ids) =
                namespace(set, source, name.clone(), &members, weights, &mut build_ms);
            built.push((name, entry, ids));
        }
        built.sort_by(|a, b| a.0.cmp(&b.0));
        let (entries, ids) = built.into_iter().map(|(_, entry, ids)| (entry, ids)).unzip();
        let start = Instant::now();
        let catalog = Catalog::new(1, entries, &Catalog::default());
        build_ms += start.elapsed().as_secs_f64() * 1e3;
        Self { catalog, ids, weights: weights.clone(), build_ms }
    }

    /// Bytes that tools and their names take beside the index.
    pub fn catalog_bytes(&self) -> usize {
        let one = |t: &Tool| t.name.len() + t.raw.len() + t.signature.len() + t.summary.len();
        let entry = size_of::<Box<str>>() + size_of::<u32>() + 1;
        self.catalog
            .namespaces
            .iter()
            .map(|n| {
                let names: usize = n.by_name.keys().map(|k| k.len()).sum();
                let tools: usize = n.tools.iter().map(one).sum();
                tools + n.tools.len() * size_of::<Tool>() + names + n.by_name.capacity() * entry
            })
            .sum()
    }

    /// Ids of the best tools for `text`.
    pub fn rank(&self, text: &str) -> Vec<String> {
        let query = Query { text, namespace: None, limit: DEPTH, offset: 0 };
        let found = search_with(&self.catalog, &query, &|_, _| Verdict::Allow, &self.weights);
        found.hits.iter().map(|hit| self.ids[hit.namespace][hit.tool].clone()).collect()
    }
}

fn namespace(
    set: &Set,
    source: &str,
    namespace: String,
    members: &[usize],
    weights: &Weights,
    build_ms: &mut f64,
) -> (Entry, Vec<String>) {
    let raws: Vec<String> = members.iter().map(|&i| set.tools[i].name.clone()).collect();
    let names: HashMap<String, String> =
        names::tool_names(source, &raws, &[]).into_iter().collect();
    let mut order: Vec<(&str, usize)> =
        members.iter().map(|&i| (names[&set.tools[i].name].as_str(), i)).collect();
    order.sort_unstable();
    let parameters: Vec<Vec<Parameter>> = order.iter().map(|(_, i)| parameters(set, *i)).collect();
    let docs: Vec<ToolDoc<'_>> = order
        .iter()
        .zip(&parameters)
        .map(|(&(name, i), parameters)| ToolDoc {
            name,
            raw: &set.tools[i].name,
            title: None,
            description: &set.tools[i].description,
            parameters,
            annotations: Annotations::default(),
        })
        .collect();
    let start = Instant::now();
    let segment = Segment::build_with(&namespace, &docs, weights);
    *build_ms += start.elapsed().as_secs_f64() * 1e3;
    let tools: Vec<Tool> = docs.iter().map(tool).collect();
    let by_name = tools.iter().enumerate().map(|(at, t)| (t.name.clone(), at as u32)).collect();
    let ids = order.iter().map(|(_, i)| set.tools[*i].id.clone()).collect();
    let source = self::source(source, namespace);
    let namespace = Namespace {
        source,
        connections: vec![],
        tools,
        by_name,
        type_names: Default::default(),
        stale: false,
    };
    (Entry::Fresh(Arc::new(namespace), segment), ids)
}

fn parameters(set: &Set, tool: usize) -> Vec<Parameter> {
    set.tools[tool]
        .parameters
        .iter()
        .map(|known| Parameter {
            name: known.name.clone(),
            description: known.description.clone(),
            values: known.values.clone(),
            format: None,
            required: false,
        })
        .collect()
}

fn tool(doc: &ToolDoc<'_>) -> Tool {
    Tool {
        name: doc.name.into(),
        raw: doc.raw.into(),
        signature: "(input: {}): Promise<unknown>".into(),
        summary: first_sentence(doc.description).into(),
        annotations: doc.annotations,
        effect: Effect::Effect,
        free_destination: false,
        digest: Digest::of(doc.raw.as_bytes()),
    }
}

fn source(name: &str, namespace: String) -> Source {
    Source {
        id: SourceId::new(name),
        name: name.to_owned(),
        namespace,
        transport: Transport::Http { url: String::new() },
        trusted: true,
        effects: BTreeMap::new(),
        timeout_ms: None,
        concurrency: None,
        from_file: false,
        created_at: UnixMillis(0),
    }
}
