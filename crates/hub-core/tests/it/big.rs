//! A catalogue as large as wanted: forty sources that manage things of the trade.

use hub_core::catalog::{Annotations, Catalog, Effect, Entry, Namespace, Source, Tool, Transport};
use hub_core::digest::Digest;
use hub_core::id::SourceId;
use hub_core::ports::Parameter;
use hub_core::search::{Segment, ToolDoc, first_sentence};
use hub_core::time::UnixMillis;
use std::collections::BTreeMap;
use std::sync::Arc;

const SOURCES: usize = 40;
const VERBS: [&str; 10] =
    ["create", "list", "get", "update", "delete", "archive", "search", "export", "assign", "merge"];
const THINGS: [&str; 16] = [
    "issue",
    "message",
    "invoice",
    "pullRequest",
    "calendarEvent",
    "contact",
    "order",
    "branch",
    "deployment",
    "ticket",
    "document",
    "comment",
    "workflow",
    "customer",
    "payment",
    "label",
];
const AREAS: [&str; 9] = [
    "repository",
    "team",
    "account",
    "project",
    "channel",
    "warehouse",
    "region",
    "board",
    "folder",
];

/// One tool before it has a place.
struct Row {
    name: String,
    description: String,
    parameters: Vec<Parameter>,
}

/// A catalogue of `tools` tools.
pub fn catalog(tools: usize) -> Catalog {
    let entries = (0..SOURCES).map(|source| {
        let rows = (source..tools).step_by(SOURCES).map(row);
        entry(&format!("source{source:02}"), rows.collect())
    });
    Catalog::new(1, entries.collect(), &Catalog::default())
}

fn row(at: usize) -> Row {
    let verb = VERBS[at % VERBS.len()];
    let thing = THINGS[at / 7 % THINGS.len()];
    let area = AREAS[at / 3 % AREAS.len()];
    let parameter = |name: String, required| {
        let description = format!("The {name} of the {thing}.");
        Parameter { name, description, values: Vec::new(), format: None, required }
    };
    Row {
        name: format!("{verb}_{thing}_{at}"),
        description: format!(
            "{verb} one {thing} of a {area}. Product {} answers with what changed and when.",
            at % 97
        ),
        parameters: vec![
            parameter(format!("{area}Id"), true),
            parameter("title".into(), true),
            parameter(format!("{thing}State"), false),
            parameter("perPage".into(), false),
        ],
    }
}

fn entry(name: &str, mut rows: Vec<Row>) -> Entry {
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    let docs: Vec<ToolDoc<'_>> = rows
        .iter()
        .map(|row| ToolDoc {
            name: &row.name,
            raw: &row.name,
            title: None,
            description: &row.description,
            parameters: &row.parameters,
            annotations: Annotations::default(),
        })
        .collect();
    let segment = Segment::build(name, &docs);
    let tools: Vec<Tool> = rows.iter().map(tool).collect();
    let by_name = tools.iter().zip(0..).map(|(tool, at)| (tool.name.clone(), at)).collect();
    let namespace = Namespace {
        source: source(name),
        connections: Vec::new(),
        tools,
        by_name,
        type_names: Default::default(),
        stale: false,
    };
    Entry::Fresh(Arc::new(namespace), segment)
}

fn tool(row: &Row) -> Tool {
    Tool {
        name: row.name.as_str().into(),
        raw: row.name.as_str().into(),
        signature: "(input: { title: string; … }): Promise<unknown>".into(),
        summary: first_sentence(&row.description).into(),
        annotations: Annotations::default(),
        effect: Effect::Effect,
        free_destination: false,
        digest: Digest::of(row.name.as_bytes()),
    }
}

fn source(name: &str) -> Source {
    Source {
        id: SourceId::new(name),
        name: name.to_owned(),
        namespace: name.to_owned(),
        transport: Transport::Http { url: String::new() },
        trusted: true,
        effects: BTreeMap::new(),
        timeout_ms: None,
        concurrency: None,
        from_file: false,
        created_at: UnixMillis(0),
    }
}
