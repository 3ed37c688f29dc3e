//! Small catalogues for tests.

use crate::catalog::{Annotations, Catalog, Effect, Entry, Namespace, Source, Tool, Transport};
use crate::digest::Digest;
use crate::id::SourceId;
use crate::names;
use crate::policy::Verdict;
use crate::ports::{Parameter, TokenCount};
use crate::search::{Found, Query, Segment, ToolDoc, first_sentence, search};
use crate::time::UnixMillis;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A tool to be: source, the source's own name, description, parameters' names.
pub type Row<'a> = (&'a str, &'a str, &'a str, &'a [&'a str]);

/// A catalogue of tools without parameters.
pub fn catalog(tools: &[(&str, &str, &str)]) -> Catalog {
    let rows: Vec<Row<'_>> = tools.iter().map(|(s, n, d)| (*s, *n, *d, &[][..])).collect();
    catalog_of(&rows)
}

/// A catalogue, each source with its connections `main` and `spare`.
pub fn catalog_of(rows: &[Row<'_>]) -> Catalog {
    Catalog::new(1, entries_of(rows), &Catalog::default())
}

/// Its namespaces, each with its part of the index.
pub fn entries_of(rows: &[Row<'_>]) -> Vec<Entry> {
    let mut by_source: BTreeMap<&str, Vec<&Row<'_>>> = BTreeMap::new();
    for row in rows {
        by_source.entry(row.0).or_default().push(row);
    }
    let mut taken: Vec<String> = Vec::new();
    let mut entries = Vec::new();
    for (source, rows) in by_source {
        let name = names::namespace(source, &|n| taken.iter().any(|other| other == n));
        taken.push(name.clone());
        entries.push(namespace(source, name, &rows));
    }
    entries
}

fn namespace(name: &str, namespace: String, rows: &[&Row<'_>]) -> Entry {
    let raws: Vec<String> = rows.iter().map(|r| r.1.to_owned()).collect();
    let given: HashMap<String, String> = names::tool_names(name, &raws, &[]).into_iter().collect();
    let mut order: Vec<(&str, &&Row<'_>)> = rows.iter().map(|r| (given[r.1].as_str(), r)).collect();
    order.sort_by_key(|(name, _)| *name);
    order.dedup_by_key(|(name, _)| *name);
    let parameters: Vec<Vec<Parameter>> =
        order.iter().map(|(_, r)| r.3.iter().map(parameter).collect()).collect();
    let docs: Vec<ToolDoc<'_>> =
        order.iter().zip(&parameters).map(|((name, row), p)| doc(name, row, p)).collect();
    let tools: Vec<Tool> = docs.iter().map(tool).collect();
    let segment = Segment::build(&namespace, &docs);
    let namespace = Namespace {
        source: source(name, namespace),
        connections: vec!["main".to_owned(), "spare".to_owned()],
        by_name: tools.iter().enumerate().map(|(i, t)| (t.name.clone(), i as u32)).collect(),
        tools,
        type_names: Default::default(),
        stale: false,
    };
    Entry::Fresh(Arc::new(namespace), segment)
}

fn doc<'a>(name: &'a str, row: &Row<'a>, parameters: &'a [Parameter]) -> ToolDoc<'a> {
    let annotations = Annotations::default();
    ToolDoc { name, raw: row.1, title: None, description: row.2, parameters, annotations }
}

/// `name`, or `name=value|value`.
fn parameter(text: &&str) -> Parameter {
    let (name, values) = text.split_once('=').unwrap_or((text, ""));
    let values = values.split('|').filter(|value| !value.is_empty()).map(str::to_owned);
    Parameter {
        name: name.to_owned(),
        description: String::new(),
        values: values.collect(),
        format: None,
        required: false,
    }
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

/// The first page for `text`, everything allowed.
pub fn found(catalog: &Catalog, text: &str) -> Found {
    page(catalog, text, None, 0, 10)
}

/// A page for `text`, everything allowed.
pub fn page(
    catalog: &Catalog,
    text: &str,
    namespace: Option<&str>,
    offset: usize,
    limit: usize,
) -> Found {
    search(catalog, &Query { text, namespace, limit, offset }, &|_, _| Verdict::Allow)
}

/// Addresses with raw names (`source/raw`), best first.
pub fn raws(catalog: &Catalog, found: &Found) -> Vec<String> {
    let raw = |hit: &crate::search::Hit| {
        let namespace = &catalog.namespaces[hit.namespace];
        format!("{}/{}", namespace.source.name, namespace.tools[hit.tool].raw)
    };
    found.hits.iter().map(raw).collect()
}

/// Four characters a token.
pub struct Quarter;

impl TokenCount for Quarter {
    fn count(&self, text: &str) -> usize {
        text.chars().count().div_ceil(4)
    }
}
