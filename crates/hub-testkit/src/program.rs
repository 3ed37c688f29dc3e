//! A program reader and schemas that look at nothing: for tests about runs.

use hub_core::catalog::ToolDef;
use hub_core::ports::{
    ArgProblem, DeclareRequest, Declared, KnownTools, Parameter, Prepare, PrepareError, Prepared,
    Types,
};
use serde_json::Value;

/// Takes code as the name of a [`crate::RustDriver`] program. What follows a `#` makes it other
/// code for the same program.
pub struct ByName;

impl Prepare for ByName {
    fn prepare(&self, code: &str, _: &dyn KnownTools) -> Result<Prepared, PrepareError> {
        let name = code.split('#').next().unwrap_or_default();
        Ok(Prepared { program: name.to_owned(), ..Prepared::default() })
    }
}

/// Lets every object through.
pub struct AnyObject;

impl Types for AnyObject {
    fn is_quick(&self) -> bool {
        true
    }

    fn signature(&self, _: &ToolDef, _: &hub_core::ports::TypeNames) -> String {
        "(input: {}): Promise<unknown>".into()
    }

    fn parameters(&self, _: &ToolDef) -> Vec<Parameter> {
        Vec::new()
    }

    fn declare(&self, _: &DeclareRequest<'_>) -> Declared {
        Declared::default()
    }

    fn check(&self, _: &Value, arguments: &Value) -> Vec<ArgProblem> {
        if arguments.is_object() {
            return Vec::new();
        }
        let expected = "an object".to_owned();
        vec![ArgProblem { path: "input".into(), expected, closest: Vec::new() }]
    }

    /// A schema has as many faults as its `faults` says.
    fn diagnostics(&self, tool: &ToolDef) -> Vec<String> {
        let faults = tool.input_schema["faults"].as_u64().unwrap_or_default();
        (0..faults).map(|n| format!("fault {n}")).collect()
    }
}
