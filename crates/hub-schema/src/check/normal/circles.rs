//! Definitions that check a value against themselves without taking a part of it: a validator
//! would never end. The reference that closes the circle is taken out.

use super::pointer;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

pub fn cut(defs: &mut [Value], edges: &BTreeSet<(usize, usize)>) {
    for (from, to) in closing(defs.len(), edges) {
        if let Some(Value::Object(map)) = defs.get_mut(from) {
            without(map, &pointer(to));
        }
    }
}

/// The edges that lead back to a definition which is still being followed.
fn closing(count: usize, edges: &BTreeSet<(usize, usize)>) -> Vec<(usize, usize)> {
    let mut to: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, target) in edges {
        to[*from].push(*target);
    }
    let (mut open, mut seen) = (vec![false; count], vec![false; count]);
    let mut found = Vec::new();
    for start in 0..count {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        open[start] = true;
        let mut path = vec![(start, 0)];
        while let Some((at, next)) = path.pop() {
            let Some(&target) = to[at].get(next) else {
                open[at] = false;
                continue;
            };
            path.push((at, next + 1));
            if open[target] {
                found.push((at, target));
            } else if !std::mem::replace(&mut seen[target], true) {
                open[target] = true;
                path.push((target, 0));
            }
        }
    }
    found
}

/// Removes `reference` wherever it applies to the value itself.
fn without(map: &mut Map<String, Value>, reference: &str) {
    if map.get("$ref").is_some_and(|at| at == reference) {
        map.remove("$ref");
    }
    if let Some(Value::Array(all)) = map.get_mut("allOf") {
        all.iter_mut().filter_map(Value::as_object_mut).for_each(|part| without(part, reference));
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(any)) = map.get_mut(keyword) else { continue };
        any.retain(|part| !applies(part, reference));
        if any.is_empty() {
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
    let rules = map.get("dependentSchemas").and_then(Value::as_object);
    map.get("$ref").is_some_and(|at| at == reference)
        || lists.flatten().any(|part| applies(part, reference))
        || ["not", "if", "then", "else"]
            .iter()
            .any(|k| map.get(*k).is_some_and(|p| applies(p, reference)))
        || rules.is_some_and(|rules| rules.values().any(|rule| applies(rule, reference)))
}
