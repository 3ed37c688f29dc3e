//! One line per tool: what it takes and what it returns.

use crate::graph::{Graph, Kind, NodeId, Object};
use crate::hash::hashes;
use crate::read::{read, read_part};
use crate::settle::given;
use crate::simplify::{seen_through, simplify};
use crate::text::{push_literal, push_name};
use crate::tool::{is_optional, is_scalar, result_type};
use hub_core::catalog::ToolDef;
use hub_core::limits::SIGNATURE_CHARS;
use hub_core::ports::{Parameter, TypeNames};
use serde_json::Value;

/// Characters that the values of one enumeration may take.
const VALUES_CHARS: usize = 48;

pub fn signature(tool: &ToolDef, names: &TypeNames) -> String {
    let mut graph = Graph::default();
    let input = read(&mut graph, &tool.input_schema);
    let output = tool.output_schema.as_ref().map(|schema| read(&mut graph, schema));
    simplify(&mut graph);
    let result = match output {
        None => "unknown".into(),
        Some(output) => match result_type(tool, &graph, output) {
            Some(name) if names.is_contested(&name) => {
                let meaning = seen_through(&graph, output).0 as usize;
                given(names, &name, hashes(&graph)[meaning])
            }
            Some(name) => name,
            None => brief(&graph, output, 0),
        },
    };
    let tail = format!("): Promise<{result}>");
    let room = SIGNATURE_CHARS.saturating_sub(tail.chars().count());
    format!("({}{tail}", arguments(&graph, input, room))
}

fn arguments(graph: &Graph<'_>, input: NodeId, room: usize) -> String {
    let optional = if is_optional(graph, input) { "?" } else { "" };
    let id = seen_through(graph, input);
    match graph.kind(id) {
        Kind::Object(object) if object.props.is_empty() && object.index.is_empty() => String::new(),
        Kind::Object(object) => format!("input{optional}: {}", parameters_in(graph, object, room)),
        Kind::Unknown => "input?: Record<string, unknown>".into(),
        _ => {
            let mut text = brief(graph, id, 0);
            if text.chars().count() > room {
                text = "{ … }".into();
            }
            format!("input{optional}: {text}")
        }
    }
}

/// `{ a: string; b?: number; … }` in at most `room` characters.
fn parameters_in(graph: &Graph<'_>, object: &Object<'_>, room: usize) -> String {
    let mut out = String::from("{ ");
    let mut chars = out.len() + "input?: ".len() + "; … }".len();
    for (at, prop) in object.props.iter().enumerate() {
        let mut piece = String::new();
        push_name(&mut piece, prop.name);
        piece.push_str(if prop.required { ": " } else { "?: " });
        piece.push_str(&brief(graph, prop.node, 0));
        chars += piece.chars().count() + 2;
        if chars > room {
            out.push_str(if at > 0 { "; …" } else { "…" });
            break;
        }
        out.push_str(if at > 0 { "; " } else { "" });
        out.push_str(&piece);
    }
    if object.props.is_empty() {
        out.push_str("[key: string]: unknown");
    }
    out.push_str(" }");
    out
}

/// The type of `part`, which lies in `schema`, in few words.
pub fn brief_type(schema: &Value, part: &Value) -> String {
    let mut graph = Graph::default();
    let id = read_part(&mut graph, schema, part);
    simplify(&mut graph);
    brief(&graph, id, 0)
}

/// A type in few words: objects as `{…}`, long enumerations by their type.
fn brief(graph: &Graph<'_>, id: NodeId, nest: usize) -> String {
    let id = seen_through(graph, id);
    if nest > 4 {
        return "unknown".into();
    }
    match graph.kind(id) {
        Kind::Unknown => "unknown".into(),
        Kind::Never => "never".into(),
        Kind::Null => "null".into(),
        Kind::Boolean => "boolean".into(),
        Kind::Number => "number".into(),
        Kind::String => "string".into(),
        Kind::Literal(value) => {
            let mut text = String::new();
            push_literal(&mut text, value, 0);
            if text.len() > VALUES_CHARS { plain(value).into() } else { text }
        }
        Kind::Array(item) => {
            let item = brief(graph, *item, nest + 1);
            if item.contains(['|', '&']) { format!("({item})[]") } else { format!("{item}[]") }
        }
        Kind::Tuple(tuple) => {
            let items: Vec<_> =
                tuple.items.iter().take(6).map(|id| brief(graph, *id, nest + 1)).collect();
            let more =
                if items.len() < tuple.items.len() || tuple.rest.is_some() { ", …" } else { "" };
            format!("[{}{more}]", items.join(", "))
        }
        Kind::Object(object) if object.props.is_empty() && object.index.len() == 1 => {
            format!("Record<string, {}>", brief(graph, object.index[0], nest + 1))
        }
        Kind::Object(object) if object.props.is_empty() => "Record<string, unknown>".into(),
        Kind::Object(_) => "{…}".into(),
        Kind::Union(parts) => alternatives(graph, parts, nest),
        Kind::Intersection(parts) => {
            let parts: Vec<_> = parts.iter().map(|id| brief(graph, *id, nest + 1)).collect();
            if parts.iter().all(|part| part.starts_with('{')) {
                "{…}".into()
            } else {
                parts.join(" & ")
            }
        }
    }
}

fn alternatives(graph: &Graph<'_>, parts: &[NodeId], nest: usize) -> String {
    let mut words: Vec<String> = Vec::new();
    for part in parts {
        let word = brief(graph, *part, nest + 1);
        if !words.contains(&word) {
            words.push(word);
        }
    }
    let text = words.join(" | ");
    if text.chars().count() <= VALUES_CHARS {
        return text;
    }
    words.clear();
    for part in parts {
        let word = match graph.kind(*part) {
            Kind::Literal(value) => plain(value).to_owned(),
            _ => brief(graph, *part, nest + 1),
        };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(" | ")
}

fn plain(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "string",
        Value::Number(_) => "number",
        Value::Bool(_) => "boolean",
        _ => "{…}",
    }
}

/// The parameters of a tool, for search and for closest names.
pub fn parameters(tool: &ToolDef) -> Vec<Parameter> {
    let mut graph = Graph::default();
    let input = read(&mut graph, &tool.input_schema);
    simplify(&mut graph);
    let mut found: Vec<Parameter> = Vec::new();
    collect(&graph, input, true, &mut found, 0);
    found
}

/// Gathers from alternatives too; what not every alternative requires is not required.
fn collect(graph: &Graph<'_>, id: NodeId, required: bool, found: &mut Vec<Parameter>, nest: usize) {
    let id = seen_through(graph, id);
    match graph.kind(id) {
        Kind::Object(object) => {
            for prop in &object.props {
                if found.iter().any(|known| known.name == prop.name) {
                    continue;
                }
                let node = graph.get(prop.node);
                let target = graph.get(seen_through(graph, prop.node));
                let description = node.description.or(target.description).unwrap_or_default();
                found.push(Parameter {
                    name: prop.name.to_owned(),
                    description: description.to_owned(),
                    values: values(graph, prop.node),
                    format: node.facts.or(target.facts).format.map(str::to_owned),
                    required: required && prop.required,
                });
            }
        }
        Kind::Intersection(parts) if nest < 8 => {
            parts.iter().for_each(|part| collect(graph, *part, required, found, nest + 1));
        }
        Kind::Union(parts) if nest < 8 => {
            parts.iter().for_each(|part| collect(graph, *part, false, found, nest + 1));
        }
        _ => {}
    }
}

/// The strings that a parameter, or each of its items, is one of: search finds a tool by them.
fn values(graph: &Graph<'_>, id: NodeId) -> Vec<String> {
    let own = |id: NodeId| seen_through(graph, id);
    let id = match graph.kind(own(id)) {
        Kind::Array(item) => own(*item),
        _ => own(id),
    };
    let one = [id];
    let parts = match graph.kind(id) {
        Kind::Union(parts) => parts.as_slice(),
        _ => &one,
    };
    let text = |part: &NodeId| match graph.kind(own(*part)) {
        Kind::Literal(Value::String(text)) if text.len() <= VALUE_BYTES => Some(text.clone()),
        _ => None,
    };
    parts.iter().take(VALUES).filter_map(text).collect()
}

/// Alternatives of a parameter that are looked at for search.
const VALUES: usize = 64;
/// Bytes of a value that is found by search; a longer one is no word.
const VALUE_BYTES: usize = 64;

/// Why nothing can be passed to the tool, and which parts of its schemas could not be read.
pub fn unread(tool: &ToolDef) -> Vec<String> {
    let mut graph = Graph::default();
    let input = read(&mut graph, &tool.input_schema);
    if let Some(schema) = &tool.output_schema {
        read(&mut graph, schema);
    }
    simplify(&mut graph);
    let mut found = Vec::new();
    if is_scalar(&graph, input) {
        found.push(UNUSABLE.to_owned());
    }
    for reason in graph.nodes.iter().filter_map(|node| node.reason.as_ref()) {
        if found.len() < TOLD && !found.contains(reason) {
            found.push(reason.clone());
        }
    }
    found
}

/// Reasons told of one tool.
const TOLD: usize = 20;
/// What is said of a tool whose input schema takes no object.
pub const UNUSABLE: &str = "Unusable: its input schema is not an object.";
