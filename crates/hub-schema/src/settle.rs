//! Names that several tools of a namespace give to types that differ.
//!
//! Settled over the whole namespace when it is imported: the first tool by raw name keeps the
//! name, the others' types get one of their own. So every answer calls the same type the same.

use crate::graph::NodeId;
use crate::hash::hashes;
use crate::tool::ToolTypes;
use hub_core::catalog::ToolDef;
use hub_core::ports::TypeNames;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What every contested name of the namespace with these tools stands for.
pub fn type_names(tools: &[&ToolDef]) -> TypeNames {
    let mut tools = tools.to_vec();
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    let mut first: HashMap<String, usize> = HashMap::new();
    let mut shared = HashSet::new();
    let mut sharing = BTreeSet::new();
    for (at, tool) in tools.iter().enumerate() {
        for name in ToolTypes::read(tool).named.names.into_values() {
            match first.get(&name) {
                Some(other) => {
                    sharing.extend([*other, at]);
                    shared.insert(name);
                }
                None => {
                    first.insert(name, at);
                }
            }
        }
    }
    // Meanings of shared names, each with its place among those of the name.
    let mut meanings: BTreeMap<String, HashMap<u64, usize>> = BTreeMap::new();
    for at in sharing {
        let types = ToolTypes::read(tools[at]);
        let hashes = hashes(&types.named.graph);
        for (node, name) in types.named.names {
            if shared.contains(&name) {
                let known = meanings.entry(name).or_default();
                let place = known.len();
                known.entry(hashes[node.0 as usize]).or_insert(place);
            }
        }
    }
    let mut taken: HashSet<String> = first.into_keys().collect();
    let mut names = TypeNames::default();
    for (name, known) in meanings.into_iter().filter(|(_, known)| known.len() > 1) {
        let mut known: Vec<(u64, usize)> = known.into_iter().collect();
        known.sort_by_key(|(_, place)| *place);
        for (meaning, place) in known {
            let given = if place == 0 { name.clone() } else { free(&mut taken, &name, meaning) };
            names.add(&name, meaning, &given);
        }
    }
    names
}

/// The types of a tool whose name in its namespace is not the tool's own.
pub fn renamed(types: &ToolTypes<'_>, settled: &TypeNames) -> HashMap<NodeId, String> {
    let contested = types.named.names.iter().filter(|(_, name)| settled.is_contested(name));
    let contested: Vec<(NodeId, &String)> = contested.map(|(node, name)| (*node, name)).collect();
    if contested.is_empty() {
        return HashMap::new();
    }
    let hashes = hashes(&types.named.graph);
    let named = contested
        .into_iter()
        .map(|(node, name)| (node, given(settled, name, hashes[node.0 as usize]), name));
    named.filter(|(_, given, name)| given != *name).map(|(node, given, _)| (node, given)).collect()
}

/// What a contested name is for this meaning.
pub fn given(settled: &TypeNames, name: &str, meaning: u64) -> String {
    // Unknown only where a definition is newer than the names.
    settled.given(name, meaning).map_or_else(|| suffixed(name, meaning), str::to_owned)
}

/// `name` with as much of `meaning` as tells it from every other name.
pub fn free(taken: &mut HashSet<String>, name: &str, meaning: u64) -> String {
    let mut given = suffixed(name, meaning);
    let mut at = 1;
    while !taken.insert(given.clone()) {
        given = match at {
            1 => format!("{name}_{meaning:016x}"),
            at => format!("{name}_{meaning:016x}_{at}"),
        };
        at += 1;
    }
    given
}

fn suffixed(name: &str, meaning: u64) -> String {
    format!("{name}_{:04x}", meaning & 0xffff)
}
