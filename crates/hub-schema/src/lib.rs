//! JSON Schema: read into a graph of types, written as TypeScript, and checked against.
//!
//! `read` knows every draft's keywords and nothing of TypeScript; `print` knows TypeScript and
//! nothing of keywords; `declare` decides what an answer shows within its budget; `check` owns
//! the validator. Schemas are foreign input: everything here is bounded and nothing fails.

mod check;
mod closest;
mod declare;
mod graph;
mod hash;
mod names;
mod print;
mod read;
mod resolve;
mod settle;
mod signature;
mod simplify;
mod text;
mod tool;

use hub_core::catalog::ToolDef;
use hub_core::ports::{ArgProblem, DeclareRequest, Declared, Parameter, TypeNames, Types};
use serde_json::Value;

/// Reads JSON Schemas for the hub.
#[derive(Default)]
pub struct Schemas {
    checks: check::Checks,
}

impl Schemas {
    /// With an empty cache of validators.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Types for Schemas {
    fn signature(&self, tool: &ToolDef, names: &TypeNames) -> String {
        signature::signature(tool, names)
    }

    fn type_names(&self, tools: &[&ToolDef]) -> TypeNames {
        settle::type_names(tools)
    }

    fn parameters(&self, tool: &ToolDef) -> Vec<Parameter> {
        signature::parameters(tool)
    }

    fn declare(&self, request: &DeclareRequest<'_>) -> Declared {
        declare::declare(request)
    }

    fn check(&self, schema: &Value, arguments: &Value) -> Vec<ArgProblem> {
        self.checks.check(schema, arguments)
    }

    fn diagnostics(&self, tool: &ToolDef) -> Vec<String> {
        let mut found = signature::unread(tool);
        for note in &self.checks.compiled(&tool.input_schema).notes {
            if !found.contains(note) {
                found.push(note.clone());
            }
        }
        found
    }
}

#[cfg(test)]
mod tests;
