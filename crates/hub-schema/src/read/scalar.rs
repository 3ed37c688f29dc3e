//! Types by name, values by `enum` and `const`, and types that are not said but meant.

use super::Reader;
use crate::graph::{Kind, NodeId};
use crate::resolve::At;
use serde_json::{Map, Value};

/// Keywords that only mean something for one type, and that type.
const MEANT: [(&str, &[&str]); 4] = [
    (
        "object",
        &["properties", "required", "additionalProperties", "patternProperties", "propertyNames"],
    ),
    ("array", &["items", "prefixItems", "contains", "uniqueItems", "minItems", "maxItems"]),
    ("string", &["minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType"]),
    ("number", &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
];

impl<'a> Reader<'_, 'a> {
    /// Adds the type that `type` names, or that the keywords mean.
    pub(super) fn typed(
        &mut self,
        at: At<'a>,
        map: &'a Map<String, Value>,
        depth: usize,
        parts: &mut Vec<NodeId>,
    ) {
        let names = match map.get("type") {
            Some(Value::String(name)) => vec![name.as_str()],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => meant(map).into_iter().collect(),
        };
        let mut kinds = Vec::with_capacity(names.len());
        for name in names {
            match self.kind(name, at, map, depth) {
                Kind::Unknown => return,
                kind if kinds.contains(&kind) => {}
                kind => kinds.push(kind),
            }
        }
        match kinds.len() {
            0 => {}
            1 => parts.extend(kinds.pop().map(|kind| self.graph.add_kind(kind))),
            _ => {
                let union = kinds.into_iter().map(|kind| self.graph.add_kind(kind)).collect();
                parts.push(self.graph.add_kind(Kind::Union(union)));
            }
        }
    }

    fn kind(
        &mut self,
        name: &str,
        at: At<'a>,
        map: &'a Map<String, Value>,
        depth: usize,
    ) -> Kind<'a> {
        match name {
            "object" => self.object(at, map, depth),
            "array" => self.array(at, map, depth),
            "string" | "file" => Kind::String,
            "number" | "integer" => Kind::Number,
            "boolean" => Kind::Boolean,
            "null" => Kind::Null,
            _ => Kind::Unknown,
        }
    }

    /// The values of `const` and `enum` that the schema's `type` allows.
    pub(super) fn literals(&mut self, map: &'a Map<String, Value>) -> NodeId {
        let one = map.get("const").map(std::slice::from_ref);
        let many = map.get("enum").and_then(Value::as_array).map(Vec::as_slice);
        let Some(values) = one.or(many) else { return self.graph.add_kind(Kind::Unknown) };
        let mut kinds = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for value in values {
            let nullable = map.get("nullable") == Some(&Value::Bool(true));
            let allowed = allows(map.get("type"), value) || nullable && value.is_null();
            if allowed && seen.insert(value.to_string()) {
                kinds.push(if value.is_null() { Kind::Null } else { Kind::Literal(value) });
            }
        }
        if kinds.is_empty() {
            // An empty list, or one that its type contradicts: nobody means "never".
            return self.graph.add_kind(Kind::Unknown);
        }
        if kinds.len() == 1 {
            let kind = kinds.swap_remove(0);
            return self.graph.add_kind(kind);
        }
        let union = kinds.into_iter().map(|kind| self.graph.add_kind(kind)).collect();
        self.graph.add_kind(Kind::Union(union))
    }
}

fn meant(map: &Map<String, Value>) -> Option<&'static str> {
    if map.len() == 1 && (map.contains_key("description") || map.contains_key("$ref")) {
        return None;
    }
    MEANT.iter().find(|(_, words)| words.iter().any(|word| map.contains_key(*word))).map(|m| m.0)
}

fn allows(types: Option<&Value>, value: &Value) -> bool {
    let one = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "integer" | "number" => value.is_number(),
        _ => true,
    };
    match types {
        Some(Value::String(name)) => one(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(one),
        _ => true,
    }
}
