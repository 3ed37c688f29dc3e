//! How many steps a check would take, before it is begun.
//!
//! A schema that refers to itself from several alternatives doubles the work with every level
//! of the value. Counting remembers what it counted, so it is quick where checking is not.

use serde_json::{Map, Value};
use std::collections::HashMap;

/// Steps up to which a schema is checked without counting first.
const FREE: u64 = 100_000;

/// The definitions of a normal schema, and whether checks against it are counted.
pub struct Cost {
    counted: bool,
}

impl Cost {
    pub fn of(schema: &Value) -> Self {
        Self { counted: expanded(schema).is_none_or(|steps| steps > FREE) }
    }

    /// Whether checking `value` takes at most `limit` steps.
    pub fn is_within(&self, schema: &Value, value: &Value, limit: u64) -> bool {
        if !self.counted {
            return true;
        }
        let mut count = Count { root: schema, known: HashMap::new(), limit };
        count.steps(schema, value) <= limit
    }
}

struct Count<'a> {
    root: &'a Value,
    /// Steps of a definition on a value, by their places.
    known: HashMap<(usize, usize), u64>,
    limit: u64,
}

impl<'a> Count<'a> {
    /// Depth is that of the value times the longest chain of definitions, both bounded.
    fn steps(&mut self, schema: &'a Value, value: &'a Value) -> u64 {
        let Value::Object(map) = schema else { return 1 };
        let mut total: u64 = 1;
        for part in in_place(map) {
            total = total.saturating_add(self.steps(part, value));
            if total > self.limit {
                return total;
            }
        }
        if let Some(target) = map.get("$ref").and_then(|at| target(self.root, at)) {
            total = total.saturating_add(self.definition(target, value));
        }
        match value {
            Value::Object(fields) => {
                for (name, field) in fields {
                    for part in of_field(map, name) {
                        total = total.saturating_add(self.steps(part, field));
                        if total > self.limit {
                            return total;
                        }
                    }
                }
            }
            Value::Array(items) => {
                let prefix = map.get("prefixItems").and_then(Value::as_array);
                for (at, item) in items.iter().enumerate() {
                    let own = prefix.and_then(|prefix| prefix.get(at));
                    let own = own.or_else(|| map.get("items"));
                    let more = ["contains", "unevaluatedItems"].into_iter();
                    for part in own.into_iter().chain(more.filter_map(|k| map.get(k))) {
                        total = total.saturating_add(self.steps(part, item));
                        if total > self.limit {
                            return total;
                        }
                    }
                }
            }
            _ => {}
        }
        total
    }

    fn definition(&mut self, target: &'a Value, value: &'a Value) -> u64 {
        let key = (std::ptr::from_ref(target).addr(), std::ptr::from_ref(value).addr());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let steps = self.steps(target, value);
        self.known.insert(key, steps);
        steps
    }
}

fn target<'a>(root: &'a Value, reference: &Value) -> Option<&'a Value> {
    root.get("$defs")?.get(reference.as_str()?.strip_prefix("#/$defs/")?)
}

/// Parts that check the value itself.
fn in_place(map: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let lists = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|k| map.get(k)?.as_array());
    let alone = ["not", "if", "then", "else"].into_iter().filter_map(|k| map.get(k));
    let rules = map.get("dependentSchemas").and_then(Value::as_object);
    lists.flatten().chain(alone).chain(rules.into_iter().flat_map(Map::values))
}

/// Parts that check a field of that name. Patterns count as if each matched.
fn of_field<'a>(map: &'a Map<String, Value>, name: &str) -> impl Iterator<Item = &'a Value> {
    let own = map.get("properties").and_then(|properties| properties.get(name));
    let patterns = map.get("patternProperties").and_then(Value::as_object);
    let rest = match own {
        None => map.get("additionalProperties"),
        Some(_) => None,
    };
    let more = map.get("unevaluatedProperties");
    own.into_iter().chain(patterns.into_iter().flat_map(Map::values)).chain(rest).chain(more)
}

/// Steps of the schema with every reference written out. `None` where it contains itself.
fn expanded(schema: &Value) -> Option<u64> {
    let none = Map::new();
    let defs = schema.get("$defs").and_then(Value::as_object).unwrap_or(&none);
    let mut outward: Vec<(u64, Vec<usize>)> = Vec::with_capacity(defs.len());
    for value in defs.values() {
        let mut found = (0, Vec::new());
        gather(value, &mut found);
        outward.push(found);
    }
    let mut steps: Vec<Option<u64>> = vec![None; outward.len()];
    let mut open = vec![false; outward.len()];
    for start in 0..outward.len() {
        let mut path = vec![start];
        while let Some(&at) = path.last() {
            if steps[at].is_some() {
                path.pop();
                continue;
            }
            open[at] = true;
            let targets = outward[at].1.iter().filter(|to| **to < outward.len());
            let unknown: Vec<usize> = targets.copied().filter(|to| steps[*to].is_none()).collect();
            if unknown.iter().any(|to| open[*to]) {
                return None;
            }
            if unknown.is_empty() {
                let inner = outward[at].1.iter().filter_map(|to| *steps.get(*to)?);
                steps[at] = Some(inner.fold(outward[at].0, u64::saturating_add));
                open[at] = false;
                path.pop();
            } else {
                path.extend(unknown.into_iter().take(1));
            }
        }
    }
    steps.into_iter().try_fold(0, |most: u64, steps| Some(most.max(steps?)))
}

/// Counts the parts of `value` and gathers what they refer to, as often as they do.
fn gather(value: &Value, found: &mut (u64, Vec<usize>)) {
    match value {
        Value::Object(map) => {
            found.0 += 1;
            let at = map.get("$ref").and_then(Value::as_str);
            let to = at.and_then(|at| at.strip_prefix("#/$defs/")?.parse().ok());
            found.1.extend::<Option<usize>>(to);
            map.values().for_each(|part| gather(part, found));
        }
        Value::Array(parts) => parts.iter().for_each(|part| gather(part, found)),
        _ => {}
    }
}
