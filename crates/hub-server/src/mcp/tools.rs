//! The three tools as agents read them. Every word here is paid for by every agent in every
//! conversation: a test counts the tokens.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};

pub const SEARCH: &str = "search";
pub const DESCRIBE: &str = "describe";
pub const EXECUTE: &str = "execute";

const SEARCH_TEXT: &str = "Find tools of the connected services by what you want to do. \
    Gives addresses and one-line signatures, best match first. \
    Leave `query` empty to list a namespace, or all namespaces.";

const DESCRIBE_TEXT: &str = "Full TypeScript types of addresses (`ns.tool`), namespaces, or \
    types named in an earlier answer (`ns.Type`). Read them before you write code.";

const EXECUTE_TEXT: &str = "Run JavaScript or TypeScript that calls the tools: \
    `const issue = await github.createIssue({…}); return issue.url`. `code` is the body of an \
    async function: return what you need, start independent calls together with Promise.all. \
    Nothing else reaches out: no fetch, import or require. \
    Give `code` or `resume`, never both. When the answer says that a person or a connection is \
    needed and a page opened, tell the user, wait for their word, then call with `resume`. \
    Never ask for passwords or tokens in chat.";

/// The tools, in the order they are listed.
pub fn all() -> &'static [Tool] {
    static TOOLS: OnceLock<Vec<Tool>> = OnceLock::new();
    TOOLS.get_or_init(|| vec![search(), describe(), execute()])
}

/// The tool of that name.
pub fn named(name: &str) -> Option<&'static Tool> {
    all().iter().find(|tool| tool.name == name)
}

fn search() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "query": { "type": "string" },
            "namespace": { "type": "string", "description": "Only here" }
        },
        "required": ["query"]
    });
    let read = ToolAnnotations::new().read_only(true).idempotent(true).open_world(false);
    Tool::new(SEARCH, SEARCH_TEXT, object(input)).with_title("Search tools").with_annotations(read)
}

fn describe() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "targets": {
                "type": "array",
                "items": { "type": "string" },
                "minItems": 1,
                "maxItems": hub_core::limits::DESCRIBE_TARGETS
            }
        },
        "required": ["targets"]
    });
    let read = ToolAnnotations::new().read_only(true).idempotent(true).open_world(false);
    Tool::new(DESCRIBE, DESCRIBE_TEXT, object(input))
        .with_title("Describe tools")
        .with_annotations(read)
}

fn execute() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "code": { "type": "string", "maxLength": hub_core::limits::CODE_CHARS },
            "resume": { "type": "string", "description": "Run id, or `last`" }
        }
    });
    let acts = ToolAnnotations::new().read_only(false).open_world(true);
    Tool::new(EXECUTE, EXECUTE_TEXT, object(input))
        .with_title("Execute code")
        .with_annotations(acts)
        .with_raw_output_schema(Arc::new(object(envelope())))
}

/// The shape of the envelope. Fields beyond the seed's (line, column, outcome) are allowed and
/// left out: an agent understands them when it meets them.
fn envelope() -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": text });
    json!({
        "type": "object",
        "properties": {
            "runId": text,
            "status": { "enum": [
                "completed", "failed", "awaiting_approval", "awaiting_connection",
                "awaiting_input", "running", "interrupted", "cancelled"
            ] },
            "result": {},
            "error": {
                "type": "object",
                "properties": { "code": text, "message": text, "hint": text },
                "required": ["code", "message"]
            },
            "logs": texts,
            "calls": { "type": "array", "items": {
                "type": "object",
                "properties": {
                    "address": text,
                    "ok": { "type": "boolean" },
                    "ms": { "type": "number" }
                }
            } },
            "pending": { "type": "array", "items": {
                "type": "object",
                "properties": {
                    "id": text,
                    "kind": { "enum": ["approval", "connection", "input"] },
                    "address": text,
                    "summary": text,
                    "message": text
                }
            } },
            "truncated": { "type": "object" },
            "notices": texts
        },
        "required": ["runId", "status", "calls"]
    })
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(map) => map,
        _ => JsonObject::new(),
    }
}
