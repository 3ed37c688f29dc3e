//! A few tools, and short ways to read code.

use hub_core::ports::{ArgProblem, KnownTools, Prepare, PrepareError, Prepared};
use hub_guest::Reader;
use serde_json::Value;

pub struct NoTools;

impl KnownTools for NoTools {
    fn is_namespace(&self, _: &str) -> bool {
        false
    }
    fn is_tool(&self, _: &str, _: &str) -> bool {
        false
    }
    fn closest(&self, _: &str, _: &str) -> Vec<String> {
        Vec::new()
    }
    fn check(&self, _: &str, _: &str, _: &Value) -> Vec<ArgProblem> {
        Vec::new()
    }
}

pub fn read(code: &str) -> Result<Prepared, PrepareError> {
    Reader::new().prepare(code, &NoTools)
}

/// The program and its notices.
#[track_caller]
pub fn program(code: &str) -> Prepared {
    read(code).unwrap_or_else(|e| panic!("refused: {e:?}\n{code}"))
}

#[track_caller]
pub fn refused(code: &str) -> PrepareError {
    match read(code) {
        Ok(p) => panic!("not refused:\n{code}\n-> {}", p.program),
        Err(error) => error,
    }
}
