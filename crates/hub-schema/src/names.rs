//! Names of types: from the definition's name or title, else from the tool and the path.
//! They depend on the tool alone, so that a later answer calls the same type the same.

use crate::graph::{Graph, Kind, NodeId};
use crate::simplify::seen_through;
use crate::text::pascal;
use std::collections::{HashMap, HashSet, VecDeque};

/// Characters of a type's name.
const NAME_CHARS: usize = 80;

/// Names that mean something else in a declaration.
const TAKEN: [&str; 24] = [
    "Any",
    "Array",
    "BigInt",
    "Boolean",
    "CallOptions",
    "Date",
    "Error",
    "Exclude",
    "Extract",
    "Function",
    "Map",
    "Never",
    "Null",
    "Number",
    "Object",
    "Omit",
    "Partial",
    "Pick",
    "Promise",
    "ReadonlyArray",
    "Record",
    "Required",
    "Set",
    "Symbol",
];

/// Titles that say nothing.
const EMPTY_TITLES: [&str; 10] = [
    "Data", "Input", "Model", "Object", "Output", "Response", "Result", "Results", "Root", "Schema",
];

/// The name of what `tool` returns, from its title or definition.
pub fn result_name(tool: &str, hint: Option<&str>) -> String {
    let named = hint.map(|hint| pascal(&unescaped(hint))).filter(|name| {
        !name.is_empty() && !EMPTY_TITLES.contains(&name.as_str()) && name.len() <= NAME_CHARS
    });
    legal(named.unwrap_or_else(|| format!("{}Result", pascal(tool))))
}

/// `name` such that it shadows nothing.
pub fn legal(name: String) -> String {
    let name = match name.char_indices().nth(NAME_CHARS) {
        Some((end, _)) => format!("{}_{:04x}", &name[..end], short_hash(name.as_bytes()) & 0xffff),
        None => name,
    };
    if name.is_empty() {
        return "Type".into();
    }
    let taken = TAKEN.contains(&name.as_str()) || name == "String" || name == "Unknown";
    if taken { format!("{name}_") } else { name }
}

/// FNV-1a: the same on every machine and in every version.
pub fn short_hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// Names every type of `graph` that could stand on its own, nearest to the roots first.
pub fn assign(graph: &Graph<'_>, roots: &[(NodeId, String)]) -> HashMap<NodeId, String> {
    let mut names = HashMap::new();
    let mut taken = HashSet::new();
    let mut queue = VecDeque::new();
    let mut seen = HashSet::new();
    for (root, name) in roots {
        queue.push_back((*root, name.clone()));
        seen.insert(*root);
    }
    let exact: HashSet<NodeId> = roots.iter().map(|root| seen_through(graph, root.0)).collect();
    while let Some((id, path)) = queue.pop_front() {
        let node = graph.get(id);
        let hint = node.hint.map(|hint| pascal(&unescaped(hint))).filter(|hint| !hint.is_empty());
        let path = if exact.contains(&id) { path } else { hint.unwrap_or(path) };
        // Paths of deep types would grow without end.
        let path = if path.len() > NAME_CHARS { legal(path) } else { path };
        let nameable = matches!(node.kind, Kind::Object(_) | Kind::Array(_) | Kind::Tuple(_));
        if nameable {
            names.insert(id, unique(&mut taken, legal(path.clone())));
        }
        for (child, step) in steps(&node.kind) {
            if seen.insert(child) {
                // What only stands for another passes its own path on.
                queue.push_back((child, format!("{path}{step}")));
            }
        }
    }
    names
}

/// A step of a JSON pointer as the name it stands for.
fn unescaped(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

fn unique(taken: &mut HashSet<String>, name: String) -> String {
    if taken.insert(name.clone()) {
        return name;
    }
    let mut at = 2;
    loop {
        let next = format!("{name}_{at}");
        if taken.insert(next.clone()) {
            return next;
        }
        at += 1;
    }
}

/// The types that `kind` is made of, each with what it adds to a name.
fn steps(kind: &Kind<'_>) -> Vec<(NodeId, String)> {
    match kind {
        Kind::Array(item) => vec![(*item, "Item".into())],
        Kind::Tuple(tuple) => {
            let items = tuple.items.iter().enumerate().map(|(at, id)| (*id, format!("Item{at}")));
            items.chain(tuple.rest.map(|id| (id, "Rest".into()))).collect()
        }
        Kind::Object(object) => {
            let props = object.props.iter().map(|prop| (prop.node, pascal(prop.name)));
            props.chain(object.index.iter().map(|id| (*id, "Value".into()))).collect()
        }
        Kind::Union(ids) if ids.len() == 1 => vec![(ids[0], String::new())],
        Kind::Union(ids) | Kind::Intersection(ids) => {
            let objects = ids.len() > 1;
            let step =
                |at: usize| if objects && at > 0 { (at + 1).to_string() } else { String::new() };
            ids.iter().enumerate().map(|(at, id)| (*id, step(at))).collect()
        }
        _ => Vec::new(),
    }
}
