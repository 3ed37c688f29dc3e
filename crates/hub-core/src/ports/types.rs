//! The port to schemas: signatures, declarations and argument checks.

use crate::catalog::ToolDef;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Reads JSON Schemas. Bad schemas never fail: they render as `unknown` with a reason.
pub trait Types: Send + Sync {
    /// Whether it takes so little that a catalogue may be built where it is asked for, without a
    /// thread of its own.
    fn is_quick(&self) -> bool {
        false
    }

    /// One line: `(input: { owner: string; repo: string; body?: string }): Promise<Issue>`.
    /// Required parameters first, the rest cut with `…`; type names unqualified.
    fn signature(&self, tool: &ToolDef, names: &TypeNames) -> String;

    /// What the names stand for that several of a namespace's `tools` give to different types.
    fn type_names(&self, tools: &[&ToolDef]) -> TypeNames {
        let _ = tools;
        TypeNames::default()
    }

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
    /// The strings it is one of, or has items of; a few.
    pub values: Vec<String>,
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

/// Names that several tools of one namespace give to types that differ, and what each type is
/// called. Settled once for the whole namespace, so that every answer calls it the same; all
/// other names are a matter of their tool alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeNames(BTreeMap<Box<str>, HashMap<u64, Box<str>>>);

impl TypeNames {
    /// The type that tools call `name` and whose meaning has this number is called `given`.
    pub fn add(&mut self, name: &str, meaning: u64, given: &str) {
        self.0.entry(name.into()).or_default().insert(meaning, given.into());
    }

    /// Whether `name` means different things in different tools.
    pub fn is_contested(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// What the type of this meaning is called.
    pub fn given(&self, name: &str, meaning: u64) -> Option<&str> {
        self.0.get(name)?.get(&meaning).map(|given| &**given)
    }
}

/// One namespace in a [`DeclareRequest`].
pub struct DeclareBlock<'a> {
    /// Its name.
    pub namespace: &'a str,
    /// Its connections' names, the default first.
    pub connections: &'a [String],
    /// Its contested names of types.
    pub names: &'a TypeNames,
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
