//! A few tools, and short ways to read code.

use hub_core::ports::{ArgProblem, KnownTools, Prepare, PrepareError, Prepared};
use hub_guest::Reader;
use serde_json::{Value, json};

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

/// `github` with two tools and a small check of their arguments.
pub struct GitHub;

pub fn create_issue() -> Value {
    json!({
        "type": "object",
        "properties": {
            "owner": { "type": "string" },
            "title": { "type": "string" },
            "count": { "type": "number" },
            "labels": { "type": "array", "items": { "type": "string" } },
            "meta": {
                "type": "object",
                "properties": { "a": { "type": "string" } },
                "required": ["a"],
                "additionalProperties": false,
            },
            "either": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
        },
        "required": ["owner", "title"],
        "additionalProperties": false,
    })
}

impl KnownTools for GitHub {
    fn is_namespace(&self, name: &str) -> bool {
        name == "github"
    }
    fn is_tool(&self, _: &str, tool: &str) -> bool {
        ["createIssue", "create_issue", "ping"].contains(&tool)
    }
    fn closest(&self, namespace: &str, tool: &str) -> Vec<String> {
        let near = namespace.starts_with("gi") && tool.starts_with("create");
        near.then(|| "github.createIssue".to_owned()).into_iter().collect()
    }
    fn check(&self, _: &str, tool: &str, arguments: &Value) -> Vec<ArgProblem> {
        let mut found = Vec::new();
        if tool != "ping" {
            check(&create_issue(), arguments, "input", &mut found);
        }
        found
    }
    fn schema(&self, _: &str, tool: &str) -> Option<Value> {
        (tool != "ping").then(create_issue)
    }
}

/// As much of JSON Schema as the schema above needs.
fn check(schema: &Value, value: &Value, path: &str, found: &mut Vec<ArgProblem>) {
    let mut tell = |path: String, expected: &str| {
        found.push(ArgProblem { path, expected: expected.to_owned(), closest: Vec::new() });
    };
    let fits = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("string") => value.is_string(),
        Some("number") => value.is_number(),
        Some("array") => value.is_array(),
        _ => value.is_string() || value.is_null(),
    };
    if !fits {
        return tell(path.to_owned(), "expected another type");
    }
    if let Some(object) = value.as_object() {
        let required = schema["required"].as_array().into_iter().flatten();
        for name in required.filter_map(Value::as_str) {
            if !object.contains_key(name) {
                tell(format!("{path}.{name}"), "required, but missing");
            }
        }
        for key in object.keys().filter(|key| schema["properties"].get(*key).is_none()) {
            tell(format!("{path}.{key}"), "unknown");
        }
        for (key, value) in object {
            if let Some(schema) = schema["properties"].get(key) {
                check(schema, value, &format!("{path}.{key}"), found);
            }
        }
    }
    for (index, value) in value.as_array().into_iter().flatten().enumerate() {
        check(&schema["items"], value, &format!("{path}[{index}]"), found);
    }
}

pub fn with_github(code: &str) -> Result<Prepared, PrepareError> {
    Reader::new().prepare(code, &GitHub)
}
