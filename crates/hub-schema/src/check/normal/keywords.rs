//! Keyword by keyword: what is copied, what is translated, what is left out.

use super::Normaliser;
use crate::check::pattern;
use crate::resolve::{At, Resolver};
use serde_json::{Map, Value, json};

const TYPES: [&str; 7] = ["null", "boolean", "object", "array", "number", "string", "integer"];

impl<'a> Normaliser<'a> {
    /// Keywords without schemas in them.
    pub(super) fn plain(&mut self, map: &'a Map<String, Value>, out: &mut Map<String, Value>) {
        self.types(map, out);
        self.bounds(map, out);
        for (keyword, value) in map {
            let keep = match keyword.as_str() {
                "const" => true,
                "enum" => value.as_array().is_some_and(|values| !values.is_empty()),
                "multipleOf" => value.as_f64().is_some_and(|by| by > 0.0),
                "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
                | "maxProperties" | "minContains" | "maxContains" => value.is_u64(),
                "uniqueItems" => value.is_boolean(),
                "pattern" => value.as_str().is_some_and(pattern::is_readable),
                _ => continue,
            };
            if keep {
                out.insert(keyword.clone(), value.clone());
            } else {
                self.note(format!("{keyword} cannot be read and is not checked"));
            }
        }
        let listed = map.get("required").and_then(Value::as_array).into_iter().flatten();
        let mut required: Vec<&str> = listed.filter_map(Value::as_str).collect();
        // Draft 3 said it at the property.
        if let Some(Value::Object(properties)) = map.get("properties") {
            let says = |value: &Value| value.get("required") == Some(&Value::Bool(true));
            required.extend(properties.iter().filter(|p| says(p.1)).map(|p| p.0.as_str()));
        }
        required.sort_unstable();
        required.dedup();
        if !required.is_empty() {
            out.insert("required".into(), json!(required));
        }
    }

    fn types(&mut self, map: &'a Map<String, Value>, out: &mut Map<String, Value>) {
        let names: Vec<&str> = match map.get("type") {
            None => return,
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            Some(_) => Vec::new(),
        };
        if names.contains(&"any") {
            return;
        }
        let mut known: Vec<&str> = names.iter().copied().filter(|n| TYPES.contains(n)).collect();
        known.sort_unstable();
        known.dedup();
        if known.is_empty() || names.iter().any(|name| !TYPES.contains(name)) {
            self.note("type cannot be read and is not checked");
        } else {
            out.insert("type".into(), json!(known));
        }
    }

    /// Until draft 4, `exclusiveMinimum` was a switch beside `minimum`.
    fn bounds(&mut self, map: &'a Map<String, Value>, out: &mut Map<String, Value>) {
        for (bound, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")]
        {
            let limit = map.get(bound).filter(|limit| limit.is_number());
            match (limit, map.get(exclusive)) {
                (Some(limit), Some(Value::Bool(true))) => {
                    out.insert(exclusive.into(), limit.clone());
                    continue;
                }
                (_, Some(limit)) if limit.is_number() => {
                    out.insert(exclusive.into(), limit.clone());
                }
                _ => {}
            }
            if let Some(limit) = limit {
                out.insert(bound.into(), limit.clone());
            } else if map.contains_key(bound) {
                self.note(format!("{bound} cannot be read and is not checked"));
            }
        }
    }

    /// Schemas for parts of the value.
    pub(super) fn parts(
        &mut self,
        at: At<'a>,
        map: &'a Map<String, Value>,
        depth: usize,
        out: &mut Map<String, Value>,
    ) {
        self.keyed("properties", at, map, depth, false, out);
        self.keyed("patternProperties", at, map, depth, false, out);
        for keyword in [
            "additionalProperties",
            "unevaluatedProperties",
            "propertyNames",
            "contains",
            "unevaluatedItems",
        ] {
            self.sub(keyword, keyword, at, map, depth, false, out);
        }
        let tuple = matches!(map.get("items"), Some(Value::Array(_)));
        let prefix = if tuple { "items" } else { "prefixItems" };
        if let Some(Value::Array(items)) =
            map.get(prefix).filter(|p| p.as_array().is_some_and(|p| !p.is_empty()))
        {
            let items = items
                .iter()
                .map(|item| self.schema(Resolver::step(at, item), depth + 1, false))
                .collect();
            out.insert("prefixItems".into(), Value::Array(items));
        }
        let rest = if tuple { "additionalItems" } else { "items" };
        self.sub(rest, "items", at, map, depth, false, out);
    }

    /// Schemas for the value itself.
    pub(super) fn applied(
        &mut self,
        at: At<'a>,
        map: &'a Map<String, Value>,
        depth: usize,
        in_place: bool,
        out: &mut Map<String, Value>,
    ) {
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let Some(Value::Array(all)) = map.get(keyword) else { continue };
            if all.is_empty() {
                continue;
            }
            let all = all
                .iter()
                .map(|one| self.schema(Resolver::step(at, one), depth + 1, in_place))
                .collect();
            out.insert(keyword.into(), Value::Array(all));
        }
        for keyword in ["not", "if", "then", "else"] {
            self.sub(keyword, keyword, at, map, depth, in_place, out);
        }
        self.keyed("dependentSchemas", at, map, depth, in_place, out);
        self.dependencies(at, map, depth, in_place, out);
    }

    fn dependencies(
        &mut self,
        at: At<'a>,
        map: &'a Map<String, Value>,
        depth: usize,
        in_place: bool,
        out: &mut Map<String, Value>,
    ) {
        let mut names = Map::new();
        for keyword in ["dependentRequired", "dependencies"] {
            let Some(Value::Object(rules)) = map.get(keyword) else { continue };
            for (name, rule) in rules {
                let Value::Array(list) = rule else { continue };
                if list.iter().all(Value::is_string) {
                    let list: std::collections::BTreeSet<_> =
                        list.iter().filter_map(Value::as_str).collect();
                    names.insert(name.clone(), json!(list));
                }
            }
        }
        if !names.is_empty() {
            out.insert("dependentRequired".into(), Value::Object(names));
        }
        let Some(Value::Object(rules)) = map.get("dependencies") else { return };
        let mut schemas = Map::new();
        for (name, rule) in rules.iter().filter(|rule| rule.1.is_object() || rule.1.is_boolean()) {
            let rule = self.schema(Resolver::step(at, rule), depth + 1, in_place);
            schemas.insert(name.clone(), rule);
        }
        if !schemas.is_empty() {
            out.insert("dependentSchemas".into(), Value::Object(schemas));
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one call per keyword reads like a table")]
    fn sub(
        &mut self,
        keyword: &str,
        written: &str,
        at: At<'a>,
        map: &'a Map<String, Value>,
        depth: usize,
        in_place: bool,
        out: &mut Map<String, Value>,
    ) {
        let Some(value) = map.get(keyword) else { return };
        if value.is_object() || value.is_boolean() {
            let value = self.schema(Resolver::step(at, value), depth + 1, in_place);
            out.insert(written.into(), value);
        } else {
            self.note(format!("{keyword} cannot be read and is not checked"));
        }
    }

    fn keyed(
        &mut self,
        keyword: &str,
        at: At<'a>,
        map: &'a Map<String, Value>,
        depth: usize,
        in_place: bool,
        out: &mut Map<String, Value>,
    ) {
        let Some(Value::Object(rules)) = map.get(keyword) else { return };
        let mut written = Map::new();
        for (name, rule) in rules {
            if keyword == "patternProperties" && !pattern::is_readable(name) {
                self.note("a pattern of patternProperties cannot be read and is not checked");
                continue;
            }
            written
                .insert(name.clone(), self.schema(Resolver::step(at, rule), depth + 1, in_place));
        }
        out.insert(keyword.into(), Value::Object(written));
    }
}
