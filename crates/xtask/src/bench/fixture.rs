//! A source for benches: an MCP server on standard input and output with as many tools as asked,
//! all of which echo. Small and quick, so that what is measured is the hub.

use serde_json::{Value, json};
use std::io::{BufRead, Write};
use xtask::Failure;

/// Marks the fixture among processes.
pub const NAME: &str = "bench-upstream";

const VERBS: &[&str] =
    &["list", "get", "create", "update", "delete", "search", "export", "archive"];
const NOUNS: &[&str] = &[
    "invoice",
    "ticket",
    "message",
    "calendar event",
    "repository",
    "branch",
    "contact",
    "order",
    "deployment",
    "dashboard",
    "alert",
    "document",
    "comment",
    "customer",
    "shipment",
    "payment",
    "workflow",
    "certificate",
    "database",
    "bucket",
    "snapshot",
    "report",
    "survey",
    "campaign",
    "vehicle",
    "booking",
    "lecture",
    "recipe",
    "playlist",
    "sensor",
    "contract",
    "badge",
];

/// Serves until its input ends: `bench-upstream [TOOLS] [FIRST]`.
pub fn run(args: &[String]) -> Result<(), Failure> {
    let number = |at: usize| args.get(at).and_then(|text| text.parse().ok());
    let (tools, first) = (number(0).unwrap_or(13_usize), number(1).unwrap_or(0_usize));
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let Some(id) = message.get("id") else { continue };
        let answer = match message["method"].as_str().unwrap_or_default() {
            "initialize" => json!({ "result": {
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": { "tools": {} },
                "serverInfo": { "name": NAME, "version": "1" },
            } }),
            "tools/list" => json!({ "result": { "tools": list(tools, first) } }),
            "tools/call" => json!({ "result": { "content": [
                { "type": "text", "text": message["params"]["arguments"]["message"] }
            ] } }),
            "ping" => json!({ "result": {} }),
            _ => json!({ "error": { "code": -32601, "message": "no such method" } }),
        };
        let mut answer = answer;
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = id.clone();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

/// `echo` (a read), `note` (the same, as an effect), then made-up tools of a plausible size.
pub fn list(count: usize, first: usize) -> Vec<Value> {
    let message = json!({ "type": "string", "description": "What comes back" });
    let input = json!({
        "type": "object", "properties": { "message": message }, "required": ["message"]
    });
    let mut tools = vec![
        json!({ "name": "echo", "description": "Gives back a message", "inputSchema": input,
                "annotations": { "readOnlyHint": true, "openWorldHint": false } }),
        json!({ "name": "note", "description": "Keeps a message", "inputSchema": input,
                "annotations": { "destructiveHint": false, "openWorldHint": false } }),
    ];
    tools.extend((first..first + count.saturating_sub(2)).map(made_up));
    tools
}

fn made_up(n: usize) -> Value {
    let (verb, noun) = (VERBS[n % VERBS.len()], NOUNS[n / VERBS.len() % NOUNS.len()]);
    let area = n / (VERBS.len() * NOUNS.len());
    let name = format!("{verb}_{}_{area}", noun.replace(' ', "_"));
    let text = |about: &str| json!({ "type": "string", "description": about });
    let read = matches!(verb, "list" | "get" | "search" | "export");
    json!({
        "name": name,
        "description": format!(
            "{verb} {noun} entries of area {area}. Returns the entries with their ids, states and \
             times of change; at most one hundred at once, the newest first."
        ),
        "inputSchema": {
            "type": "object",
            "properties": {
                "message": text("Free text that the entry must hold"),
                "id": text("Id of the entry"),
                "state": { "type": "string", "enum": ["open", "closed", "all"] },
                "limit": { "type": "integer", "minimum": 1, "maximum": 100 },
            },
            "required": ["message"],
        },
        "annotations": { "readOnlyHint": read, "openWorldHint": false },
    })
}
