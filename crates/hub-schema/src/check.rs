//! Arguments against a tool's input schema. Owns the validator.
//!
//! A schema is first rewritten to one dialect (`normal`), so that the validator never sees a
//! remote reference, an unknown dialect, a pattern it cannot read or a circle without an end.

mod cache;
mod explain;
mod normal;
mod pattern;

use cache::Cache;
use hub_core::ports::ArgProblem;
use serde_json::Value;
use std::sync::Arc;

/// Compiled validators, kept by schema.
#[derive(Default)]
pub struct Checks {
    cache: Cache,
}

/// A schema that arguments can be checked against.
pub struct Compiled {
    /// The schema as the validator has it.
    schema: Value,
    /// `None` where even the rewritten schema was refused: then nothing is checked.
    validator: Option<jsonschema::Validator>,
    /// Keywords that are not checked, and why.
    pub notes: Vec<String>,
}

impl Checks {
    pub fn check(&self, schema: &Value, arguments: &Value) -> Vec<ArgProblem> {
        let compiled = self.compiled(schema);
        let Some(validator) = &compiled.validator else { return Vec::new() };
        if validator.is_valid(arguments) {
            return Vec::new();
        }
        explain::problems(&compiled.schema, arguments, validator.iter_errors(arguments))
    }

    pub fn compiled(&self, schema: &Value) -> Arc<Compiled> {
        self.cache.get(schema, || compile(schema))
    }
}

fn compile(schema: &Value) -> Compiled {
    let normal::Normal { schema, mut notes } = normal::normalise(schema);
    let built = jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .with_pattern_options(pattern::options())
        .should_validate_formats(false)
        .offline()
        .build(&schema);
    let validator = match built {
        Ok(validator) => Some(validator),
        Err(why) => {
            notes.push(format!("arguments are not checked: {}", why.masked()));
            None
        }
    };
    Compiled { schema, validator, notes }
}

#[cfg(test)]
mod tests;
