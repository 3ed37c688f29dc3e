//! The port to schemas: signatures, declarations and argument checks.

use crate::catalog::ToolDef;
use serde_json::Value;
use std::sync::Arc;

/// Reads JSON Schemas. Bad schemas never fail: they render as `unknown` with a reason.
pub trait Types: Send + Sync {
    /// One line: `(input: { owner: string; repo: string; body?: string }): Promise<Issue>`.
    /// Required parameters first, the rest cut with `…`; type names unqualified.
    fn signature(&self, tool: &ToolDef) -> String;

    /// Names and descriptions of the parameters, for search and for closest names.
    fn parameters(&self, tool: &ToolDef) -> Vec<Parameter>;

    /// Declarations of the targets.
    fn declare(&self, request: &DeclareRequest<'_>) -> Declared;

    /// Why `arguments` do not fit `schema`; empty where they do. Never holds values.
    fn check(&self, schema: &Value, arguments: &Value) -> Vec<ArgProblem>;

    /// What could not be read of the tool's schemas, for the source's diagnostics. Such parts
    /// are `unknown` and unchecked; the tool stays usable unless the first line says otherwise.
    fn diagnostics(&self, tool: &ToolDef) -> Vec<String> {
        let _ = tool;
        Vec::new()
    }
}

/// A parameter of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// What it means.
    pub description: String,
    /// JSON Schema `format`, such as `uri`.
    pub format: Option<String>,
    /// Whether it must be given.
    pub required: bool,
}

/// Why an argument does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgProblem {
    /// Where, such as `input.labels[0]`.
    pub path: String,
    /// What was expected, without values of the caller.
    pub expected: String,
    /// The parameter names most like the unknown one.
    pub closest: Vec<String>,
}

impl std::fmt::Display for ArgProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path, self.expected)?;
        if !self.closest.is_empty() {
            write!(f, " (did you mean {}?)", self.closest.join(", "))?;
        }
        Ok(())
    }
}

/// What to declare. The engine has resolved the targets.
pub struct DeclareRequest<'a> {
    /// The namespaces, each with the tools to declare.
    pub blocks: Vec<DeclareBlock<'a>>,
    /// Tokens the whole text may have.
    pub token_budget: usize,
    /// Counts tokens.
    pub tokens: &'a dyn super::TokenCount,
}

/// One namespace in a [`DeclareRequest`].
pub struct DeclareBlock<'a> {
    /// Its name.
    pub namespace: &'a str,
    /// Its connections' names, the default first.
    pub connections: &'a [String],
    /// The tools to declare: name in code and definition.
    pub tools: Vec<(String, Arc<ToolDef>)>,
    /// Types to declare by name (`Issue` of target `github.Issue`), found in any tool below.
    pub types: Vec<String>,
    /// Every tool of the namespace whose types may be named; empty where no type is asked for.
    pub all: Vec<(String, Arc<ToolDef>)>,
}

/// Declarations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// The TypeScript text, closing comment included.
    pub text: String,
    /// Names not expanded for want of budget, qualified (`github.Issue`).
    pub omitted: Vec<String>,
    /// Types that were asked for and do not exist, qualified.
    pub missing: Vec<String>,
}
