//! The port to the program reader: from what a model wrote to a program that can run.

use super::ArgProblem;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// Hears what came of a reading.
pub type Told = Box<dyn FnOnce(Result<Prepared, PrepareError>) + Send>;

/// Turns code as sent into a program.
pub trait Prepare: Send + Sync {
    /// Forgives common shapes, strips TypeScript, and checks what can be seen without running.
    /// `code` is at most [`crate::limits::CODE_CHARS`] long (longer is refused here).
    fn prepare(&self, code: &str, tools: &dyn KnownTools) -> Result<Prepared, PrepareError>;

    /// The same where the caller may not wait: on a thread of its own, unless it takes no time.
    /// `told` hears there what came of it; a program that broke its thread is told nothing. The
    /// tools are asked on that thread, and may block it.
    fn prepare_apart(&self, code: Arc<str>, tools: Box<dyn KnownTools + Send>, told: Told) {
        told(self.prepare(&code, &*tools));
    }

    /// For each call, the places of the code as sent that may have made it, as far as its text
    /// shows: calls by name whose written-out arguments do not contradict. None where it cannot
    /// be seen. Only a help for a reader; nothing is decided by it.
    fn places(&self, _code: &str, calls: &[Sought<'_>]) -> Vec<Vec<Place>> {
        vec![Vec::new(); calls.len()]
    }
}

/// A call whose place in the code is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Sought<'a> {
    /// The tool's namespace.
    pub namespace: &'a str,
    /// What the tool may be called: its name in code, and the source's own.
    pub names: [&'a str; 2],
    /// The arguments it was made with.
    pub arguments: &'a Value,
}

/// A place in the code as sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

/// What the reader may ask about tools.
pub trait KnownTools {
    /// Whether a namespace of that name exists.
    fn is_namespace(&self, name: &str) -> bool;
    /// Whether `namespace` has a tool of that name (in code or raw).
    fn is_tool(&self, namespace: &str, tool: &str) -> bool;
    /// Addresses most like `namespace.tool`, best first, at most 3.
    fn closest(&self, namespace: &str, tool: &str) -> Vec<String>;
    /// Why `arguments` do not fit the tool's input schema; empty where they do.
    fn check(&self, namespace: &str, tool: &str, arguments: &Value) -> Vec<ArgProblem>;
    /// The tool's input schema, which tells whether parts of an argument can be judged while
    /// others are unknown. Without it only whole arguments are checked.
    fn schema(&self, _namespace: &str, _tool: &str) -> Option<Value> {
        None
    }
}

/// A program that can run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prepared {
    /// Body of an async function, plain JavaScript.
    pub program: String,
    /// One line per rewrite, and preflight findings that may not happen.
    pub notices: Vec<String>,
    /// Where lines of `program` came from.
    pub positions: Positions,
}

/// Maps positions in the program back to the code as sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Positions {
    /// The same line and column.
    #[default]
    Same,
    /// (program line, program column, code line, code column), all from 1, sorted.
    Map(Vec<(u32, u32, u32, u32)>),
}

impl Positions {
    /// The position in the code as sent.
    pub fn original(&self, line: u32, column: u32) -> (u32, u32) {
        match self {
            Self::Same => (line, column),
            Self::Map(map) => {
                let after = map.partition_point(|m| (m.0, m.1) <= (line, column));
                match after.checked_sub(1).map(|i| map[i]) {
                    Some((l, c, code_line, code_column)) if l == line => {
                        (code_line, code_column + (column - c))
                    }
                    Some((_, _, code_line, code_column)) => (code_line, code_column),
                    None => (line, column),
                }
            }
        }
    }
}

/// Why code cannot run. Nothing ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrepareError {
    /// `syntax_error`, `unknown_tool` or `invalid_arguments`.
    pub code: crate::error::RunErrorCode,
    /// What is wrong.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    /// The tool meant.
    pub address: Option<String>,
    /// Line of the code as sent, from 1.
    pub line: Option<u32>,
    /// Column of the code as sent, from 1.
    pub column: Option<u32>,
}
