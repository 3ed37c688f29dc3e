//! Objects: named properties, and what else they may hold.

use super::Reader;
use crate::graph::{Kind, Object, Prop};
use crate::resolve::{At, Resolver};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Bytes of a property's name; one with a longer name is not shown.
const NAME_BYTES: usize = 256;

impl<'a> Reader<'_, 'a> {
    pub(super) fn object(
        &mut self,
        at: At<'a>,
        map: &'a Map<String, Value>,
        depth: usize,
    ) -> Kind<'a> {
        let required: HashSet<&str> = names(map.get("required")).collect();
        let mut props = Vec::new();
        if let Some(Value::Object(properties)) = map.get("properties") {
            props.reserve(properties.len());
            for (name, value) in properties.iter().filter(|p| p.0.len() <= NAME_BYTES) {
                let node = self.schema(Resolver::step(at, value), depth + 1);
                let required = required.contains(name.as_str()) || says_required(value);
                props.push(Prop { name, required, node });
            }
        }
        if props.len() < required.len() || !required.iter().all(|r| has(map, r)) {
            for name in names(map.get("required")) {
                if !has(map, name)
                    && name.len() <= NAME_BYTES
                    && !props.iter().any(|p: &Prop<'_>| p.name == name)
                {
                    let node = self.graph.add_kind(Kind::Unknown);
                    props.push(Prop { name, required: true, node });
                }
            }
        }
        let mut object = Object { props, ..Object::default() };
        self.others(at, map, depth, &mut object);
        object.props.sort_by_key(|prop| !prop.required);
        Kind::Object(object)
    }

    /// Properties without a name of their own.
    fn others(
        &mut self,
        at: At<'a>,
        map: &'a Map<String, Value>,
        depth: usize,
        object: &mut Object<'a>,
    ) {
        if let Some(Value::Object(patterns)) = map.get("patternProperties") {
            for value in patterns.values().filter(|value| **value != Value::Bool(false)) {
                object.index.push(self.part(at, Some(value), depth));
            }
        }
        let rest = map.get("additionalProperties").or_else(|| map.get("unevaluatedProperties"));
        match rest {
            None => {}
            Some(Value::Bool(false)) => object.closed = object.index.is_empty(),
            Some(value) => {
                let keys = map.get("propertyNames").and_then(|names| names.get("enum"));
                if object.props.is_empty() && keys.is_some() {
                    for name in names(keys) {
                        let node = self.part(at, Some(value), depth);
                        object.props.push(Prop { name, required: false, node });
                    }
                } else {
                    object.index.push(self.part(at, Some(value), depth));
                }
            }
        }
    }
}

/// The strings of a list.
pub(super) fn names(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn has(map: &Map<String, Value>, name: &str) -> bool {
    map.get("properties").and_then(|p| p.get(name)).is_some()
}

/// Draft 3 wrote `required: true` at the property.
fn says_required(value: &Value) -> bool {
    value.get("required") == Some(&Value::Bool(true))
}
