//! Makes a read graph fit to print: references that only lead to themselves are cut, unions
//! are flat and without repetition, intersections of objects are one object.
//!
//! Nodes are visited children first along "is the same value as" edges, so that each step
//! looks one level down only and nothing recurses.

use crate::graph::{Graph, Kind, Node, NodeId, Object, Prop};
use std::collections::{HashMap, HashSet};

/// Members that flattening may write in all, over one graph.
const MEMBERS: usize = 200_000;
/// Alternatives of one union.
const ALTERNATIVES: usize = 2_000;

pub fn simplify(graph: &mut Graph<'_>) {
    let mut budget = MEMBERS;
    for id in in_place_order(graph) {
        match std::mem::take(&mut graph.get_mut(id).kind) {
            Kind::Union(members) => union(graph, id, &members, &mut budget),
            Kind::Intersection(members) => intersection(graph, id, &members, &mut budget),
            kind => graph.get_mut(id).kind = kind,
        }
    }
}

/// What stands at the end of a chain of nodes that only stand for another.
pub fn seen_through(graph: &Graph<'_>, id: NodeId) -> NodeId {
    match graph.kind(id) {
        Kind::Union(members) if members.len() == 1 => members[0],
        _ => id,
    }
}

/// Every node, those it is made of in place first. Edges that close a circle are removed.
fn in_place_order(graph: &mut Graph<'_>) -> Vec<NodeId> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; graph.nodes.len()];
    let mut order = Vec::with_capacity(graph.nodes.len());
    let mut stack = Vec::new();
    for start in 0..graph.nodes.len() {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        stack.push((NodeId(start as u32), 0));
        while let Some((id, next)) = stack.pop() {
            let child = members(graph.kind(id)).get(next).copied();
            let Some(child) = child else {
                marks[id.0 as usize] = Mark::Done;
                order.push(id);
                continue;
            };
            match marks[child.0 as usize] {
                Mark::Done => stack.push((id, next + 1)),
                Mark::New => {
                    stack.push((id, next + 1));
                    marks[child.0 as usize] = Mark::Open;
                    stack.push((child, 0));
                }
                Mark::Open => {
                    remove_member(graph, id, next);
                    stack.push((id, next));
                }
            }
        }
    }
    order
}

fn members<'g>(kind: &'g Kind<'_>) -> &'g [NodeId] {
    match kind {
        Kind::Union(members) | Kind::Intersection(members) => members,
        _ => &[],
    }
}

fn remove_member(graph: &mut Graph<'_>, id: NodeId, at: usize) {
    let node = graph.get_mut(id);
    if let Kind::Union(members) | Kind::Intersection(members) = &mut node.kind {
        members.remove(at);
        if members.is_empty() {
            node.reason = Some("refers to nothing but itself".into());
        }
    }
}

fn union(graph: &mut Graph<'_>, id: NodeId, members: &[NodeId], budget: &mut usize) {
    let mut flat: Vec<NodeId> = Vec::with_capacity(members.len());
    let mut seen = HashSet::new();
    for member in members {
        let parts = match graph.kind(*member) {
            Kind::Union(parts) => parts.as_slice(),
            _ => std::slice::from_ref(member),
        };
        flat.extend(parts.iter().copied().filter(|part| seen.insert(*part)));
    }
    if flat.iter().any(|part| *graph.kind(*part) == Kind::Unknown) || flat.is_empty() {
        let reason = flat.iter().find_map(|part| graph.get(*part).reason.clone());
        let node = graph.get_mut(id);
        node.reason = node.reason.take().or(reason);
        node.kind = Kind::Unknown;
        return;
    }
    *budget = budget.saturating_sub(flat.len());
    if let Some(kind) = common(graph, &flat).filter(|_| flat.len() > ALTERNATIVES) {
        graph.get_mut(id).kind = kind;
        return;
    }
    if flat.len() > ALTERNATIVES || *budget == 0 {
        let node = graph.get_mut(id);
        node.reason = Some(format!("one of {} alternatives, too many to show", flat.len()));
        node.kind = Kind::Unknown;
        return;
    }
    distinct(graph, &mut flat);
    graph.get_mut(id).kind = if flat.is_empty() { Kind::Never } else { Kind::Union(flat) };
}

/// The type of values that are all strings, or all numbers.
fn common<'a>(graph: &Graph<'a>, values: &[NodeId]) -> Option<Kind<'a>> {
    let all = |is: fn(&serde_json::Value) -> bool| {
        values.iter().all(|id| matches!(graph.kind(*id), Kind::Literal(value) if is(value)))
    };
    let string = all(serde_json::Value::is_string).then_some(Kind::String);
    string.or_else(|| all(serde_json::Value::is_number).then_some(Kind::Number))
}

/// Drops alternatives that say nothing new.
fn distinct(graph: &Graph<'_>, flat: &mut Vec<NodeId>) {
    let has = |kind: &Kind<'_>| flat.iter().any(|part| graph.kind(*part) == kind);
    let wide = [has(&Kind::String), has(&Kind::Number), has(&Kind::Boolean)];
    let (mut plain, mut literals) = (Vec::new(), HashSet::new());
    flat.retain(|part| match graph.kind(*part) {
        Kind::Never => false,
        Kind::Literal(value) => {
            let covered = value.is_string() && wide[0]
                || value.is_number() && wide[1]
                || value.is_boolean() && wide[2];
            !covered && literals.insert(value.to_string())
        }
        Kind::Null | Kind::Boolean | Kind::Number | Kind::String => {
            let kind = std::mem::discriminant(graph.kind(*part));
            !plain.contains(&kind) && {
                plain.push(kind);
                true
            }
        }
        _ => true,
    });
    // `null` reads best at the end.
    flat.sort_by_key(|part| *graph.kind(*part) == Kind::Null);
}

fn intersection(graph: &mut Graph<'_>, id: NodeId, members: &[NodeId], budget: &mut usize) {
    let mut flat: Vec<NodeId> = Vec::with_capacity(members.len());
    for member in members {
        let member = seen_through(graph, *member);
        let parts = match graph.kind(member) {
            Kind::Intersection(parts) => parts.as_slice(),
            _ => std::slice::from_ref(&member),
        };
        for part in parts {
            let kind = graph.kind(*part);
            let is_leaf = !matches!(kind, Kind::Object(_) | Kind::Union(_));
            let repeated =
                flat.contains(part) || is_leaf && flat.iter().any(|seen| graph.kind(*seen) == kind);
            if *kind != Kind::Unknown && !repeated {
                flat.push(*part);
            }
        }
    }
    let size = |part: &NodeId| match graph.kind(*part) {
        Kind::Object(object) => Some(object.props.len()),
        _ => None,
    };
    let props: Option<usize> = flat.iter().map(size).sum();
    *budget = budget.saturating_sub(flat.len() + props.unwrap_or(0));
    let kind = match (flat.len(), props) {
        _ if *budget == 0 => {
            graph.get_mut(id).reason = Some("combines too many schemas to show".into());
            Kind::Unknown
        }
        (0, _) => Kind::Unknown,
        (1, _) => match graph.kind(flat[0]) {
            Kind::Union(parts) => Kind::Union(parts.clone()),
            _ => Kind::Union(flat),
        },
        (_, Some(_)) => Kind::Object(merged(graph, &flat)),
        _ => Kind::Intersection(flat),
    };
    graph.get_mut(id).kind = kind;
}

/// One object that is all of `parts`.
fn merged<'a>(graph: &mut Graph<'a>, parts: &[NodeId]) -> Object<'a> {
    let mut merged = Object::default();
    let mut places: HashMap<&'a str, usize> = HashMap::new();
    for part in parts {
        let Kind::Object(object) = graph.kind(*part).clone() else { continue };
        merged.index.extend(object.index);
        merged.closed |= object.closed;
        for prop in object.props {
            match places.get(prop.name) {
                None => {
                    places.insert(prop.name, merged.props.len());
                    merged.props.push(prop);
                }
                Some(&at) => {
                    let node = both(graph, merged.props[at].node, prop.node);
                    let required = merged.props[at].required || prop.required;
                    merged.props[at] = Prop { name: prop.name, required, node };
                }
            }
        }
    }
    merged.props.sort_by_key(|prop| !prop.required);
    merged
}

/// The type that is `a` and `b`. Only the plain cases: this node is past its own visit.
fn both(graph: &mut Graph<'_>, a: NodeId, b: NodeId) -> NodeId {
    let plain = |id| graph.kind(seen_through(graph, id));
    match (plain(a), plain(b)) {
        (_, Kind::Unknown) => a,
        (Kind::Unknown, _) => b,
        (first, second) if first == second => a,
        (Kind::String | Kind::Number | Kind::Boolean, Kind::Literal(_)) => b,
        (Kind::Literal(_), Kind::String | Kind::Number | Kind::Boolean) => a,
        _ => {
            let description = graph.get(b).description.or(graph.get(a).description);
            let kind = Kind::Intersection(vec![a, b]);
            graph.add(Node { kind, description, ..Node::default() })
        }
    }
}
