//! Whether two types say the same, as a number that is the same on every machine.

use crate::graph::{Graph, Kind, NodeId};
use crate::names::short_hash;

/// Steps that differences are followed; types that differ only deeper count as one.
const STEPS: usize = 12;

/// A hash per node. Circles need no care: each round looks one step further.
pub fn hashes(graph: &Graph<'_>) -> Vec<u64> {
    let mut before: Vec<u64> = graph.nodes.iter().map(|node| own(&node.kind)).collect();
    for _ in 0..STEPS {
        let next = (0..graph.nodes.len()).map(|at| step(graph, NodeId(at as u32), &before));
        before = next.collect();
    }
    before
}

fn own(kind: &Kind<'_>) -> u64 {
    let text = match kind {
        Kind::Literal(value) => value.to_string(),
        Kind::Object(object) => object.closed.to_string(),
        Kind::Tuple(tuple) => tuple.required.to_string(),
        _ => String::new(),
    };
    mixed(tag(kind), short_hash(text.as_bytes()))
}

fn step(graph: &Graph<'_>, id: NodeId, before: &[u64]) -> u64 {
    let of = |id: NodeId| before[id.0 as usize];
    let node = graph.get(id);
    let mut hash = own(&node.kind);
    match &node.kind {
        // A node that only stands for another is that other.
        Kind::Union(parts) if parts.len() == 1 => return of(parts[0]),
        Kind::Array(item) => hash = mixed(hash, of(*item)),
        Kind::Tuple(tuple) => {
            for item in tuple.items.iter().chain(&tuple.rest) {
                hash = mixed(hash, of(*item));
            }
        }
        Kind::Object(object) => {
            for prop in &object.props {
                hash = mixed(hash, short_hash(prop.name.as_bytes()) ^ u64::from(prop.required));
                hash = mixed(hash, of(prop.node));
                let said = graph.get(prop.node).description.unwrap_or_default();
                hash = mixed(hash, short_hash(said.as_bytes()));
            }
            for index in &object.index {
                hash = mixed(hash, of(*index));
            }
        }
        Kind::Union(parts) | Kind::Intersection(parts) => {
            for part in parts {
                hash = mixed(hash, of(*part));
            }
        }
        _ => {}
    }
    hash
}

fn tag(kind: &Kind<'_>) -> u64 {
    match kind {
        Kind::Unknown => 1,
        Kind::Never => 2,
        Kind::Null => 3,
        Kind::Boolean => 4,
        Kind::Number => 5,
        Kind::String => 6,
        Kind::Literal(_) => 7,
        Kind::Array(_) => 8,
        Kind::Tuple(_) => 9,
        Kind::Object(_) => 10,
        Kind::Union(_) => 11,
        Kind::Intersection(_) => 12,
    }
}

fn mixed(a: u64, b: u64) -> u64 {
    (a.rotate_left(25) ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
