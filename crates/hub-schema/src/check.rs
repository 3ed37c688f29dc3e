//! Arguments against a tool's input schema. Owns the validator.
//!
//! A schema is first rewritten to one dialect (`normal`), so that the validator never sees a
//! remote reference, an unknown dialect, a pattern it cannot read or a circle without an end.

mod cache;
mod cost;
mod explain;
mod normal;
mod pattern;

use cache::Cache;
use cost::Cost;
use hub_core::limits::JSON_DEPTH_IN;
use hub_core::ports::ArgProblem;
use serde_json::Value;
use std::sync::Arc;

/// Steps of one check. What would take more is sent unchecked: a source's schema must not
/// stall the hub, and the source checks for itself.
const CHECK_STEPS: u64 = 2_000_000;
/// Steps of a check whose failure is explained; explaining keeps every alternative's errors.
const EXPLAIN_STEPS: u64 = 50_000;
/// Definitions of a schema that is compiled on the caller's stack.
const DEFINITIONS_INLINE: usize = 32;
/// Bytes of stack for compiling a schema with more definitions.
const COMPILE_STACK_BYTES: usize = 256 << 20;

/// Compiled validators, kept by schema.
#[derive(Default)]
pub struct Checks {
    cache: Cache,
}

/// A schema that arguments can be checked against.
pub struct Compiled {
    /// The schema as the validator has it.
    schema: Value,
    cost: Cost,
    /// `None` where even the rewritten schema was refused: then nothing is checked.
    validator: Option<jsonschema::Validator>,
    /// Keywords that are not checked, and why.
    pub notes: Vec<String>,
}

impl Checks {
    pub fn check(&self, schema: &Value, arguments: &Value) -> Vec<ArgProblem> {
        if is_deeper(arguments, JSON_DEPTH_IN) {
            let expected = format!("nested deeper than {JSON_DEPTH_IN} levels");
            return vec![ArgProblem { path: "input".into(), expected, closest: Vec::new() }];
        }
        let compiled = self.compiled(schema);
        let Some(validator) = &compiled.validator else { return Vec::new() };
        let schema = &compiled.schema;
        if !compiled.cost.is_within(schema, arguments, CHECK_STEPS) || validator.is_valid(arguments)
        {
            return Vec::new();
        }
        if !compiled.cost.is_within(schema, arguments, EXPLAIN_STEPS) {
            let expected = "does not fit the schema, which is too involved to say where".into();
            return vec![ArgProblem { path: "input".into(), expected, closest: Vec::new() }];
        }
        explain::problems(schema, arguments, validator.iter_errors(arguments))
    }

    pub fn compiled(&self, schema: &Value) -> Arc<Compiled> {
        self.cache.get(schema, || compile(schema))
    }
}

/// A schema is compiled on a stack of its own: the validator descends as deep as definitions
/// refer to each other.
fn compile(schema: &Value) -> Compiled {
    let normal::Normal { schema, mut notes } = normal::normalise(schema);
    let cost = Cost::of(&schema);
    let definitions = schema.get("$defs").and_then(Value::as_object).map_or(0, |d| d.len());
    let built = if definitions <= DEFINITIONS_INLINE {
        build(&schema)
    } else {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(COMPILE_STACK_BYTES);
            let built = thread.spawn_scoped(scope, || build(&schema)).map(|thread| thread.join());
            built
                .ok()
                .and_then(Result::ok)
                .unwrap_or_else(|| Err("it could not be compiled".into()))
        })
    };
    let validator = match built {
        Ok(validator) => Some(validator),
        Err(why) => {
            notes.push(format!("arguments are not checked: {why}"));
            None
        }
    };
    Compiled { schema, cost, validator, notes }
}

fn build(schema: &Value) -> Result<jsonschema::Validator, String> {
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .with_pattern_options(pattern::options())
        .should_validate_formats(false)
        .offline()
        .build(schema)
        .map_err(|why| why.masked().to_string())
}

/// Levels are counted without recursing into what lies deeper than `levels`.
fn is_deeper(value: &Value, levels: usize) -> bool {
    let Some(inner) = levels.checked_sub(1) else { return true };
    match value {
        Value::Object(map) => map.values().any(|part| is_deeper(part, inner)),
        Value::Array(parts) => parts.iter().any(|part| is_deeper(part, inner)),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
