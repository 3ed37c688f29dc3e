//! Any text through the reader.

use crate::oracle;
use hub_core::error::RunErrorCode;
use hub_core::limits;
use hub_core::ports::{ArgProblem, KnownTools, Positions, Prepare, Prepared};
use hub_guest::Reader;
use serde_json::{Value, json};

/// Stack of the oracle, which has no limit of its own.
const STACK_BYTES: usize = 256 << 20;

/// Reads `data` as code.
pub fn check(data: &[u8]) {
    code(&String::from_utf8_lossy(data));
}

/// Reads `code`, and holds the outcome to every promise.
pub fn code(code: &str) {
    let lines = code.matches('\n').count() + 1;
    match Reader::new().prepare(code, &Tools) {
        Ok(read) => {
            assert!(read.notices.len() <= limits::NOTICES);
            assert!(read.notices.iter().all(|n| n.chars().count() <= limits::NOTICE_CHARS));
            places(&read, lines);
            let oracle = std::thread::Builder::new().stack_size(STACK_BYTES);
            std::thread::scope(|scope| {
                let done = oracle.spawn_scoped(scope, || meaning(code, &read));
                done.expect("a thread").join().expect("the reading means what the code meant");
            });
        }
        Err(error) => {
            assert_ne!(error.code, RunErrorCode::Internal, "{error:?}");
            assert!(!error.message.is_empty());
            assert!(error.line.is_none_or(|l| (1..=lines).contains(&(l as usize))), "{error:?}");
        }
    }
}

/// Every line of the program has a place in the code; one that was not printed anew, its own.
fn places(read: &Prepared, lines: usize) {
    let now = read.program.matches('\n').count() + 1;
    if read.positions == Positions::Same {
        assert!(now <= lines, "{now} lines of {lines}");
    }
    for line in 1..=now {
        let (line, _) = read.positions.original(line as u32, 1);
        assert!((1..=lines).contains(&(line as usize)), "line {line} of {lines}");
    }
}

fn meaning(code: &str, read: &Prepared) {
    let now = oracle::printed(&read.program);
    let now = now.unwrap_or_else(|| panic!("{code}\nbecame no JavaScript:\n{}", read.program));
    if !read.notices.is_empty() {
        return;
    }
    let Some(wanted) = oracle::transformed(code) else { return };
    // Where a module's statements stand inside of others the transformer leaves or loses them.
    let module = code.contains("export") || code.contains("import");
    if read.positions == Positions::Same {
        let (ours, theirs) = parting(&now, &wanted);
        assert!(module || now == wanted, "not only types are gone:\n{ours}\n{theirs}");
        assert_eq!(read.program.len(), code.len());
    }
    // What needs no rewriting is not rewritten.
    let plain = !module && !code.contains("#!");
    if plain && oracle::printed(code).is_some_and(|same| same == wanted) {
        assert_eq!(read.program, code);
    }
}

/// Where two texts part.
fn parting<'t>(a: &'t str, b: &'t str) -> (&'t str, &'t str) {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count().saturating_sub(40);
    let from = (0..=same).rev().find(|i| a.is_char_boundary(*i) && b.is_char_boundary(*i));
    let from = from.unwrap_or(0);
    (&a[from..], &b[from..])
}

/// A source with a tool that takes a text.
pub struct Tools;

impl KnownTools for Tools {
    fn is_namespace(&self, name: &str) -> bool {
        matches!(name, "github" | "demo")
    }
    fn is_tool(&self, _: &str, tool: &str) -> bool {
        matches!(tool, "echo" | "list" | "fail" | "createIssue")
    }
    fn closest(&self, namespace: &str, tool: &str) -> Vec<String> {
        let near = namespace == "github" && tool.starts_with("create");
        near.then(|| "github.createIssue".to_owned()).into_iter().collect()
    }
    fn check(&self, _: &str, _: &str, arguments: &Value) -> Vec<ArgProblem> {
        let problem = |path: &str, expected: &str| ArgProblem {
            path: path.to_owned(),
            expected: expected.to_owned(),
            closest: Vec::new(),
        };
        match arguments.as_object() {
            None => vec![problem("input", "expected an object")],
            Some(object) if object.contains_key("bad") => vec![problem("input.bad", "unknown")],
            Some(_) => Vec::new(),
        }
    }
    fn schema(&self, _: &str, _: &str) -> Option<Value> {
        Some(json!({ "type": "object", "properties": { "title": { "type": "string" } } }))
    }
}
