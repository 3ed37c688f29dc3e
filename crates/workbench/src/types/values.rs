//! Values that a schema takes, and values that it refuses, made from the schema.

use super::compile::{Module, Probe};
use hub_core::catalog::ToolDef;
use hub_core::ports::Types;
use serde_json::{Map, Value, json};

/// Values that fit, per schema.
const FITTING: u64 = 3;
/// Levels of a generated value.
const DEPTH: usize = 6;
/// Bytes of one generated value.
const VALUE_BYTES: usize = 20_000;

/// Adds lines that try the tool's types.
pub fn probe(types: &dyn Types, module: &mut Module, namespace: &str, name: &str, tool: &ToolDef) {
    let name = Value::from(name);
    let sides = [
        (Some(&tool.input_schema), format!("Parameters<(typeof {namespace})[{name}]>[0]")),
        (tool.output_schema.as_ref(), format!("Awaited<ReturnType<(typeof {namespace})[{name}]>>")),
    ];
    for (schema, of) in sides {
        let Some(schema) = schema else { continue };
        for seed in 0..FITTING {
            let mut dice = Dice(seed * 2 + 1);
            let value = generate(schema, schema, 0, &mut dice);
            let text = value.to_string();
            if text.len() > VALUE_BYTES || !types.check(schema, &value).is_empty() {
                continue;
            }
            module.probe(&of, &text, Probe { fits: true, change: "none" });
            for change in CHANGES {
                let mut changed = value.clone();
                if (change.apply)(&mut changed, schema, &mut dice)
                    && !types.check(schema, &changed).is_empty()
                {
                    let probe = Probe { fits: false, change: change.name };
                    module.probe(&of, &changed.to_string(), probe);
                }
            }
        }
    }
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

fn generate(root: &Value, schema: &Value, depth: usize, dice: &mut Dice) -> Value {
    let schema = resolved(root, schema);
    let Some(map) = schema.as_object().filter(|_| depth < 4 * DEPTH) else { return json!("any") };
    if let Some(value) = map.get("const") {
        return value.clone();
    }
    if let Some(values) = map.get("enum").and_then(Value::as_array).filter(|v| !v.is_empty()) {
        return values[dice.below(values.len())].clone();
    }
    if map.get("nullable") == Some(&json!(true)) && dice.below(4) == 0 {
        return Value::Null;
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(branches) = map.get(keyword).and_then(Value::as_array) else { continue };
        if branches.is_empty() {
            continue;
        }
        let branch = generate(root, &branches[dice.below(branches.len())], depth + 1, dice);
        if !map.contains_key("properties") {
            return branch;
        }
        return merged(object(root, map, depth, dice), branch);
    }
    if let Some(all) = map.get("allOf").and_then(Value::as_array) {
        let own = if map.contains_key("properties") {
            object(root, map, depth, dice)
        } else {
            Value::Null
        };
        let parts = all.iter().map(|part| generate(root, part, depth + 1, dice));
        return parts.collect::<Vec<_>>().into_iter().fold(own, merged);
    }
    let named = match map.get("type") {
        Some(Value::Array(names)) if !names.is_empty() => names[dice.below(names.len())].as_str(),
        other => other.and_then(Value::as_str),
    };
    match named {
        Some("object") => object(root, map, depth, dice),
        Some("array") => array(root, map, depth, dice),
        Some("string") => string(map),
        Some("integer" | "number") => number(map),
        Some("boolean") => json!(dice.below(2) == 0),
        Some("null") => Value::Null,
        _ if map.contains_key("properties") => object(root, map, depth, dice),
        _ => json!("any"),
    }
}

fn resolved<'v>(root: &'v Value, schema: &'v Value) -> &'v Value {
    let mut schema = schema;
    for _ in 0..16 {
        let at = schema.get("$ref").and_then(Value::as_str).and_then(|at| at.strip_prefix('#'));
        match at.and_then(|at| root.pointer(at)) {
            Some(target) => schema = target,
            None => break,
        }
    }
    schema
}

fn merged(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Object(mut a), Value::Object(b)) => {
            a.extend(b);
            Value::Object(a)
        }
        (Value::Null, b) => b,
        (a, _) => a,
    }
}

fn object(root: &Value, map: &Map<String, Value>, depth: usize, dice: &mut Dice) -> Value {
    let required: Vec<&str> = map
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut out = Map::new();
    let properties = map.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        if required.contains(&name.as_str()) || depth < DEPTH && dice.below(2) == 0 {
            out.insert(name.clone(), generate(root, schema, depth + 1, dice));
        }
    }
    let more = map.get("additionalProperties");
    let more = more.filter(|more| depth < DEPTH && (more.is_object() || **more == json!(true)));
    if let Some(schema) = more {
        out.insert("xMore".into(), generate(root, schema, depth + 1, dice));
    }
    Value::Object(out)
}

fn array(root: &Value, map: &Map<String, Value>, depth: usize, dice: &mut Dice) -> Value {
    let least = map.get("minItems").and_then(Value::as_u64).unwrap_or(0) as usize;
    let count = if depth < DEPTH { least.max(dice.below(3)) } else { least };
    let prefix = map.get("prefixItems").or(map.get("items")).and_then(Value::as_array);
    let fallback = json!({});
    let item = |at: usize| {
        prefix
            .and_then(|prefix| prefix.get(at))
            .or_else(|| map.get("items").filter(|i| i.is_object()))
            .unwrap_or(&fallback)
    };
    (0..count.min(50)).map(|at| generate(root, item(at), depth + 1, dice)).collect()
}

fn string(map: &Map<String, Value>) -> Value {
    let least = map.get("minLength").and_then(Value::as_u64).unwrap_or(1).max(1) as usize;
    json!("a".repeat(least.min(1_000)))
}

fn number(map: &Map<String, Value>) -> Value {
    let bound = |keyword: &str| map.get(keyword).and_then(Value::as_f64);
    let least = bound("minimum").or(bound("exclusiveMinimum").map(|n| n + 1.0));
    let most = bound("maximum").or(bound("exclusiveMaximum").map(|n| n - 1.0));
    let value = least.or(most).unwrap_or(7.0);
    if value.fract() == 0.0 && value.abs() < 9e15 { json!(value as i64) } else { json!(value) }
}

/// Something that makes most values wrong in a way that a type can say.
struct Change {
    name: &'static str,
    apply: fn(&mut Value, &Value, &mut Dice) -> bool,
}

const CHANGES: [Change; 4] = [
    Change { name: "another type somewhere", apply: retype },
    Change { name: "a required property missing", apply: leave_out },
    Change { name: "a value beside the enumeration", apply: beside },
    Change { name: "a property too many", apply: one_more },
];

/// Puts a value of another type in place of one inside `value`.
fn retype(value: &mut Value, _: &Value, dice: &mut Dice) -> bool {
    match pick(value, dice) {
        Some(place) => {
            *place = if place.is_string() { json!(41) } else { json!("other") };
            true
        }
        None => false,
    }
}

fn pick<'v>(value: &'v mut Value, dice: &mut Dice) -> Option<&'v mut Value> {
    match value {
        Value::Object(map) if !map.is_empty() => {
            let at = dice.below(map.len());
            let part = map.values_mut().nth(at)?;
            let inner = matches!(part, Value::Object(map) if !map.is_empty());
            if inner && dice.below(2) == 0 { pick(part, dice) } else { Some(part) }
        }
        _ => None,
    }
}

fn leave_out(value: &mut Value, schema: &Value, dice: &mut Dice) -> bool {
    let schema = resolved(schema, schema);
    let required = schema.get("required").and_then(Value::as_array);
    let Some((map, required)) = value.as_object_mut().zip(required) else { return false };
    let names: Vec<&str> = required.iter().filter_map(Value::as_str).collect();
    !names.is_empty() && map.shift_remove(names[dice.below(names.len())]).is_some()
}

fn beside(value: &mut Value, schema: &Value, dice: &mut Dice) -> bool {
    let root = schema;
    let schema = resolved(root, schema);
    let Some((map, props)) =
        value.as_object_mut().zip(schema.get("properties").and_then(Value::as_object))
    else {
        return false;
    };
    let enums: Vec<&String> = props
        .iter()
        .filter(|(_, prop)| resolved(root, prop).get("enum").is_some())
        .map(|(name, _)| name)
        .collect();
    if enums.is_empty() {
        return false;
    }
    map.insert(enums[dice.below(enums.len())].clone(), json!("beside every value"));
    true
}

fn one_more(value: &mut Value, _: &Value, _: &mut Dice) -> bool {
    value.as_object_mut().is_some_and(|map| map.insert("zzMore".into(), json!(1)).is_none())
}
