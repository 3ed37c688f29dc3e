//! A schema of any draft as one of 2020-12 that stands alone and surely compiles.
//!
//! Every keyword is copied only if its value has the shape it needs; the rest is left out and
//! noted. References are gathered under `$defs`, so the validator resolves nothing.

mod circles;
mod keywords;

use crate::resolve::{At, Resolver};
use hub_core::limits::{SCHEMA_DEPTH, SCHEMA_NODES};
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap};

pub struct Normal {
    pub schema: Value,
    pub notes: Vec<String>,
}

pub fn normalise(schema: &Value) -> Normal {
    let mut work = Normaliser::new(schema);
    let root = work.resolver.root();
    let first = work.target(root).unwrap_or_default();
    let mut defs = Vec::new();
    while let Some((owner, at)) = work.queue.pop() {
        work.owner = owner;
        let value = work.schema(at, 0, true);
        if defs.len() <= owner {
            defs.resize(owner + 1, Value::Bool(true));
        }
        defs[owner] = value;
    }
    defs.resize(work.targets.len(), Value::Bool(true));
    if circles::cut(&mut defs, &work.in_place) {
        work.note(format!(
            "more than {} definitions in a row: not all are checked",
            circles::CHAIN
        ));
    }
    let Normaliser { mut notes, .. } = work;
    notes.truncate(NOTES);
    Normal { schema: assembled(defs, first), notes }
}

/// Definitions of one schema: a validator that holds them in each other is dropped on the stack.
const DEFINITIONS: usize = 2_000;
/// Notes kept of one schema.
const NOTES: usize = 20;

/// The root keeps its keywords at the top, beside the definitions.
fn assembled(defs: Vec<Value>, first: usize) -> Value {
    let root = defs.get(first).cloned().unwrap_or(Value::Bool(true));
    let mut root = match root {
        Value::Object(map) => map,
        Value::Bool(false) => Map::from_iter([("not".into(), Value::Object(Map::new()))]),
        _ => Map::new(),
    };
    let named = defs.into_iter().enumerate().map(|(at, value)| (at.to_string(), value));
    root.insert("$defs".into(), Value::Object(named.collect()));
    Value::Object(root)
}

/// The reference to definition `at`.
fn pointer(at: usize) -> String {
    format!("#/$defs/{at}")
}

struct Normaliser<'a> {
    resolver: Resolver<'a>,
    /// Definitions by place; each is written once.
    targets: HashMap<usize, usize>,
    queue: Vec<(usize, At<'a>)>,
    /// The definition being written.
    owner: usize,
    /// (a, b): the value that `a` is checked against is checked against `b` too.
    in_place: BTreeSet<(usize, usize)>,
    notes: Vec<String>,
    nodes: usize,
    /// Until draft 7, nothing beside a `$ref` counts.
    lone_refs: bool,
}

impl<'a> Normaliser<'a> {
    fn new(schema: &'a Value) -> Self {
        let dialect = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let lone_refs = ["draft-03", "draft-04", "draft-06", "draft-07"];
        Self {
            resolver: Resolver::new(schema),
            targets: HashMap::new(),
            queue: Vec::new(),
            owner: 0,
            in_place: BTreeSet::new(),
            notes: Vec::new(),
            nodes: 0,
            lone_refs: lone_refs.iter().any(|draft| dialect.contains(draft)),
        }
    }

    /// The definition for what stands at `at`; `None` where there are too many.
    fn target(&mut self, at: At<'a>) -> Option<usize> {
        let next = self.targets.len();
        if next >= DEFINITIONS && !self.targets.contains_key(&at.key()) {
            self.note(format!("more than {DEFINITIONS} definitions: the rest is not checked"));
            return None;
        }
        let id = *self.targets.entry(at.key()).or_insert(next);
        if id == next {
            self.queue.push((id, at));
        }
        Some(id)
    }

    fn note(&mut self, what: impl Into<String>) {
        if self.notes.len() < NOTES {
            self.notes.push(what.into());
        }
    }

    /// The schema at `at`. `in_place`: it is checked against the same value as its definition.
    fn schema(&mut self, at: At<'a>, depth: usize, in_place: bool) -> Value {
        self.nodes += 1;
        if depth > SCHEMA_DEPTH || self.nodes > SCHEMA_NODES {
            self.note(format!(
                "deeper than {SCHEMA_DEPTH} levels or more than {SCHEMA_NODES} subschemas: not checked there"
            ));
            return Value::Bool(true);
        }
        match at.value {
            Value::Bool(is) => Value::Bool(*is),
            Value::Object(map) => self.object(at, map, depth, in_place),
            _ => {
                self.note("a schema that is neither an object nor a boolean");
                Value::Bool(true)
            }
        }
    }

    fn object(
        &mut self,
        at: At<'a>,
        map: &'a Map<String, Value>,
        depth: usize,
        in_place: bool,
    ) -> Value {
        let mut out = Map::new();
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(reference) = map.get(keyword).and_then(Value::as_str) {
                self.reference(at, reference, in_place, &mut out);
            }
        }
        if !(self.lone_refs && map.contains_key("$ref")) {
            self.plain(map, &mut out);
            self.parts(at, map, depth, &mut out);
            self.applied(at, map, depth, in_place, &mut out);
        }
        let nullable = map.get("nullable") == Some(&Value::Bool(true));
        if nullable && !out.is_empty() {
            return json!({ "anyOf": [{ "type": "null" }, out] });
        }
        Value::Object(out)
    }

    fn reference(
        &mut self,
        at: At<'a>,
        reference: &str,
        in_place: bool,
        out: &mut Map<String, Value>,
    ) {
        match self.resolver.resolve(at, reference) {
            Ok(to) => {
                let Some(target) = self.target(to) else { return };
                if in_place {
                    self.in_place.insert((self.owner, target));
                }
                out.insert("$ref".into(), Value::String(pointer(target)));
            }
            Err(why) => self.note(why),
        }
    }
}
