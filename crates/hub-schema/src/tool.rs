//! The types of one tool: both schemas read, simplified and named.

use crate::graph::{Graph, Kind, NodeId};
use crate::names::{assign, legal, result_name};
use crate::print::Named;
use crate::read::read;
use crate::simplify::{seen_through, simplify};
use crate::text::pascal;
use hub_core::catalog::ToolDef;
use std::collections::HashSet;

pub struct ToolTypes<'a> {
    pub named: Named<'a>,
    pub input: NodeId,
    pub output: Option<NodeId>,
}

impl<'a> ToolTypes<'a> {
    pub fn read(tool: &'a ToolDef) -> Self {
        let mut graph = Graph::default();
        let input = read(&mut graph, &tool.input_schema);
        let output = tool.output_schema.as_ref().map(|schema| read(&mut graph, schema));
        simplify(&mut graph);
        let mut forced = recursive(&graph);
        let mut roots = Vec::new();
        if let Some(output) = output {
            let target = seen_through(&graph, output);
            if matches!(graph.kind(target), Kind::Object(object) if !object.props.is_empty()) {
                forced.insert(target);
            }
            roots.push((output, result_name(&tool.name, result_hint(tool))));
        }
        roots.push((input, legal(format!("{}Input", pascal(&tool.name)))));
        let names = assign(&graph, &roots);
        Self { named: Named { graph, names, forced }, input, output }
    }
}

/// Whether a schema of arguments takes no object.
pub fn is_scalar(graph: &Graph<'_>, input: NodeId) -> bool {
    !matches!(
        graph.kind(seen_through(graph, input)),
        Kind::Unknown | Kind::Object(_) | Kind::Union(_) | Kind::Intersection(_)
    )
}

/// Whether a call may leave out the arguments altogether.
pub fn is_optional(graph: &Graph<'_>, input: NodeId) -> bool {
    match graph.kind(seen_through(graph, input)) {
        Kind::Object(object) => object.props.iter().all(|prop| !prop.required),
        Kind::Unknown => true,
        _ => false,
    }
}

/// The name of what `tool` returns, if that has one: an object with properties.
pub fn result_type(tool: &ToolDef, graph: &Graph<'_>, output: NodeId) -> Option<String> {
    match graph.kind(seen_through(graph, output)) {
        Kind::Object(object) if !object.props.is_empty() => {
            Some(result_name(&tool.name, result_hint(tool)))
        }
        _ => None,
    }
}

/// The name an output schema gives itself.
fn result_hint(tool: &ToolDef) -> Option<&str> {
    let schema = tool.output_schema.as_ref()?;
    let title = schema.get("title").and_then(|title| title.as_str());
    let reference = schema.get("$ref").and_then(|reference| reference.as_str());
    title.or_else(|| reference?.rsplit_once('/').map(|(_, name)| name))
}

/// Types that contain themselves, one on every circle: printed by name, they end it.
fn recursive(graph: &Graph<'_>) -> HashSet<NodeId> {
    let mut forced = HashSet::new();
    let mut open = vec![false; graph.nodes.len()];
    let mut seen = vec![false; graph.nodes.len()];
    let mut path: Vec<(NodeId, Vec<NodeId>)> = Vec::new();
    for start in 0..graph.nodes.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let id = NodeId(start as u32);
        open[start] = true;
        path.push((id, parts(graph.kind(id))));
        while let Some((id, rest)) = path.last_mut() {
            let Some(child) = rest.pop() else {
                open[id.0 as usize] = false;
                path.pop();
                continue;
            };
            let at = child.0 as usize;
            if open[at] {
                let from = path.iter().rposition(|(id, _)| *id == child).unwrap_or(0);
                let circle = path[from..].iter().map(|(id, _)| *id);
                forced.extend(best_name(graph, circle));
            } else if !std::mem::replace(&mut seen[at], true) {
                open[at] = true;
                path.push((child, parts(graph.kind(child))));
            }
        }
    }
    forced
}

/// Which type of a circle stands by name: an object with properties where there is one.
fn best_name(graph: &Graph<'_>, circle: impl Iterator<Item = NodeId>) -> Option<NodeId> {
    let rank = |id: &NodeId| match graph.kind(*id) {
        Kind::Object(object) if graph.get(*id).hint.is_some() && !object.props.is_empty() => 0,
        Kind::Object(object) if !object.props.is_empty() => 1,
        Kind::Object(_) | Kind::Array(_) => 2,
        Kind::Tuple(_) => 3,
        _ => 4,
    };
    circle.min_by_key(rank).filter(|id| rank(id) < 4)
}

fn parts(kind: &Kind<'_>) -> Vec<NodeId> {
    match kind {
        Kind::Array(item) => vec![*item],
        Kind::Tuple(tuple) => tuple.items.iter().copied().chain(tuple.rest).collect(),
        Kind::Object(object) => {
            object.props.iter().map(|prop| prop.node).chain(object.index.iter().copied()).collect()
        }
        Kind::Union(ids) | Kind::Intersection(ids) => ids.clone(),
        _ => Vec::new(),
    }
}
