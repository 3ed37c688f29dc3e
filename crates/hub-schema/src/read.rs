//! From JSON Schema, of whatever draft, to a [`Graph`]. Never fails: what cannot be read is
//! `unknown` with a reason.
//!
//! Targets of `$ref` are read from a queue, so chains of references cost no stack.

mod array;
mod combine;
mod object;
mod scalar;

use crate::graph::{Facts, Graph, Kind, Node, NodeId};
use crate::resolve::{At, Resolver};
use hub_core::limits::{SCHEMA_DEPTH, SCHEMA_NODES};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Reads `schema` into `graph` and returns its root.
pub fn read<'a>(graph: &mut Graph<'a>, schema: &'a Value) -> NodeId {
    read_part(graph, schema, schema)
}

/// Reads `part`, which lies in `schema`.
pub fn read_part<'a>(graph: &mut Graph<'a>, schema: &'a Value, part: &'a Value) -> NodeId {
    let resolver = Resolver::new(schema);
    let root = At { value: part, resource: schema };
    let mut reader = Reader { graph, resolver, targets: HashMap::new(), queue: Vec::new() };
    let id = reader.graph.add(Node::default());
    reader.targets.insert(root.key(), id);
    reader.fill(id, root);
    while let Some((target, at)) = reader.queue.pop() {
        reader.fill(target, at);
    }
    id
}

struct Reader<'g, 'a> {
    graph: &'g mut Graph<'a>,
    resolver: Resolver<'a>,
    /// What was referred to, by place.
    targets: HashMap<usize, NodeId>,
    /// Targets that are still to be read.
    queue: Vec<(NodeId, At<'a>)>,
}

impl<'a> Reader<'_, 'a> {
    /// Reads the schema at `at` into the node reserved for it, keeping how it is referred to.
    fn fill(&mut self, id: NodeId, at: At<'a>) {
        let read = self.node(at, 0);
        let node = self.graph.get_mut(id);
        let (hint, refs) = (node.hint, node.refs);
        *node = Node { hint, refs, ..read };
    }

    fn schema(&mut self, at: At<'a>, depth: usize) -> NodeId {
        let node = self.node(at, depth);
        self.graph.add(node)
    }

    fn node(&mut self, at: At<'a>, depth: usize) -> Node<'a> {
        if depth > SCHEMA_DEPTH {
            return unreadable(format!("nested deeper than {SCHEMA_DEPTH} levels"));
        }
        if self.graph.nodes.len() >= SCHEMA_NODES {
            return unreadable(format!("more than {SCHEMA_NODES} subschemas"));
        }
        match at.value {
            Value::Bool(true) => Node::default(),
            Value::Bool(false) => Node { kind: Kind::Never, ..Node::default() },
            Value::Object(map) => self.keywords(at, map, depth),
            _ => unreadable("not a schema: neither an object nor a boolean".into()),
        }
    }

    fn keywords(&mut self, at: At<'a>, map: &'a Map<String, Value>, depth: usize) -> Node<'a> {
        let mut node = Node {
            description: text(map, "description"),
            facts: Facts { format: text(map, "format"), default: map.get("default") },
            ..Node::default()
        };
        if map.is_empty() {
            return node;
        }
        let mut parts = Vec::new();
        if map.contains_key("enum") || map.contains_key("const") {
            parts.push(self.literals(map));
        } else {
            self.typed(at, map, depth, &mut parts);
            self.combined(at, map, depth, &mut parts);
        }
        self.references(at, map, &mut parts, &mut node.reason);
        if is_nothing(map.get("not")) {
            parts = vec![self.graph.add_kind(Kind::Never)];
        }
        node.kind = match parts.len() {
            0 => Kind::Unknown,
            1 => self.sole(parts[0], &mut node),
            _ => Kind::Intersection(parts),
        };
        if map.get("nullable") == Some(&Value::Bool(true)) && node.kind != Kind::Unknown {
            let kind = std::mem::take(&mut node.kind);
            let parts = [kind, Kind::Null].map(|kind| self.graph.add_kind(kind));
            node.kind = Kind::Union(parts.to_vec());
        }
        node
    }

    /// The kind of a schema that is one part: the part itself where nothing else refers to it.
    fn sole(&mut self, part: NodeId, whole: &mut Node<'a>) -> Kind<'a> {
        let last = part.0 as usize + 1 == self.graph.nodes.len();
        let known = self.graph.get(part);
        if !last || known.refs > 0 {
            return Kind::Union(vec![part]);
        }
        let Some(part) = self.graph.nodes.pop() else { return Kind::Unknown };
        whole.description = whole.description.or(part.description);
        whole.facts = whole.facts.or(part.facts);
        whole.reason = whole.reason.take().or(part.reason);
        part.kind
    }

    fn references(
        &mut self,
        at: At<'a>,
        map: &'a Map<String, Value>,
        parts: &mut Vec<NodeId>,
        reason: &mut Option<String>,
    ) {
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let Some(value) = map.get(keyword) else { continue };
            let resolved = match value.as_str() {
                Some(reference) => self.resolver.resolve(at, reference).map(|to| (to, reference)),
                // A property may be called `$ref`; a schema there is none of our references.
                None => Err(format!("{keyword} is not a string")),
            };
            match resolved {
                Ok((to, reference)) => parts.push(self.target(to, reference)),
                Err(why) => *reason = Some(why),
            }
        }
    }

    /// The node of what a reference names; queued to be read if it is new.
    fn target(&mut self, to: At<'a>, reference: &'a str) -> NodeId {
        let id = match self.targets.get(&to.key()) {
            Some(id) => *id,
            None => {
                let id = self.graph.add(Node::default());
                self.targets.insert(to.key(), id);
                self.queue.push((id, to));
                id
            }
        };
        let hint = hint(reference).or_else(|| text(to.value.as_object()?, "title"));
        let node = self.graph.get_mut(id);
        node.refs += 1;
        node.hint = node.hint.or(hint);
        id
    }
}

fn unreadable<'a>(reason: String) -> Node<'a> {
    Node { reason: Some(reason), ..Node::default() }
}

/// A keyword's text, where it has some.
fn text<'a>(map: &'a Map<String, Value>, keyword: &str) -> Option<&'a str> {
    map.get(keyword)?.as_str().filter(|text| !text.trim().is_empty())
}

/// Whether `not` leaves no value at all.
fn is_nothing(not: Option<&Value>) -> bool {
    match not {
        Some(Value::Bool(all)) => *all,
        Some(Value::Object(map)) => map.is_empty(),
        _ => false,
    }
}

/// The name of a definition in a reference: `#/$defs/Issue` is called `Issue`.
fn hint(reference: &str) -> Option<&str> {
    let (parent, name) = reference.rsplit_once('/')?;
    let parent = parent.rsplit('/').next().unwrap_or(parent);
    let named = matches!(parent, "$defs" | "definitions" | "schemas" | "responses" | "parameters");
    (named && !name.is_empty()).then_some(name)
}
