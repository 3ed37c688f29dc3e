//! Chains of definitions that check one and the same value: a validator follows them on its
//! stack. Those without an end, or of great length, are cut; what is cut is not checked.

use super::pointer;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Definitions one after the other that check one value.
pub const CHAIN: usize = 24;

/// Whether something was cut only for its length (circles mean nothing anyway).
pub fn cut(defs: &mut [Value], edges: &BTreeSet<(usize, usize)>) -> bool {
    let (closing, mut lengths) = (closing(defs.len(), edges), vec![1; defs.len()]);
    for (from, to) in &closing.edges {
        without_in(defs, *from, *to, true);
    }
    let mut shortened = false;
    for from in closing.order {
        for (_, to) in edges.range((from, 0)..=(from, usize::MAX)) {
            if closing.edges.contains(&(from, *to)) {
                continue;
            }
            if lengths[*to] >= CHAIN {
                without_in(defs, from, *to, false);
                shortened = true;
            } else {
                lengths[from] = lengths[from].max(lengths[*to] + 1);
            }
        }
    }
    shortened
}

struct Closing {
    /// Edges that lead back to a definition which is still being followed.
    edges: BTreeSet<(usize, usize)>,
    /// Every definition, behind those that it leads to.
    order: Vec<usize>,
}

fn closing(count: usize, edges: &BTreeSet<(usize, usize)>) -> Closing {
    let mut to: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, target) in edges {
        to[*from].push(*target);
    }
    let (mut open, mut seen) = (vec![false; count], vec![false; count]);
    let mut found = Closing { edges: BTreeSet::new(), order: Vec::with_capacity(count) };
    for start in 0..count {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        open[start] = true;
        let mut path = vec![(start, 0)];
        while let Some((at, next)) = path.pop() {
            let Some(&target) = to[at].get(next) else {
                open[at] = false;
                found.order.push(at);
                continue;
            };
            path.push((at, next + 1));
            if open[target] {
                found.edges.insert((at, target));
            } else if !std::mem::replace(&mut seen[target], true) {
                open[target] = true;
                path.push((target, 0));
            }
        }
    }
    found
}

fn without_in(defs: &mut [Value], from: usize, to: usize, circle: bool) {
    if let Some(Value::Object(map)) = defs.get_mut(from) {
        without(map, &pointer(to), circle);
    }
}

/// Removes `reference` wherever it applies to the value itself. An alternative that only leads
/// back is none; any other that goes takes its whole list along, which else would refuse more.
fn without(map: &mut Map<String, Value>, reference: &str, circle: bool) {
    if map.get("$ref").is_some_and(|at| at == reference) {
        map.remove("$ref");
    }
    if let Some(Value::Array(all)) = map.get_mut("allOf") {
        all.iter_mut()
            .filter_map(Value::as_object_mut)
            .for_each(|part| without(part, reference, circle));
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(any)) = map.get_mut(keyword) else { continue };
        let before = any.len();
        any.retain(|part| !applies(part, reference));
        let kept = circle && keyword == "anyOf" && !any.is_empty();
        if any.len() < before && !kept {
            map.remove(keyword);
        }
    }
    // Opened up, these would say something else; so they say nothing.
    for group in [&["not"][..], &["if", "then", "else"], &["dependentSchemas"]] {
        let hit = |keyword: &&str| match map.get(*keyword) {
            Some(Value::Object(rules)) if **keyword == *"dependentSchemas" => {
                rules.values().any(|rule| applies(rule, reference))
            }
            Some(part) => applies(part, reference),
            None => false,
        };
        if group.iter().any(hit) {
            group.iter().for_each(|keyword| {
                map.remove(*keyword);
            });
        }
    }
}

/// Whether `part` checks its own value against `reference`. As deep as the schema was read.
fn applies(part: &Value, reference: &str) -> bool {
    let Value::Object(map) = part else { return false };
    let lists = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|k| map.get(k)?.as_array());
    let alone = ["not", "if", "then", "else"].into_iter().filter_map(|k| map.get(k));
    let rules = map.get("dependentSchemas").and_then(Value::as_object);
    map.get("$ref").is_some_and(|at| at == reference)
        || lists.flatten().chain(alone).any(|part| applies(part, reference))
        || rules.is_some_and(|rules| rules.values().any(|rule| applies(rule, reference)))
}
