//! What the tracker offers: names, schemas, and annotations that are true.

use serde_json::{Value, json};

/// The tools as `tools/list` shows them.
pub fn definitions() -> Vec<Value> {
    vec![
        json!({
            "name": "create_issue",
            "title": "Create an issue",
            "description": "Creates an issue and answers it with its number.",
            "inputSchema": object(
                json!({
                    "title": { "type": "string", "minLength": 1, "description": "In one line" },
                    "body": { "type": "string", "description": "What happens, as Markdown" },
                    "labels": { "type": "array", "items": { "type": "string" } }
                }),
                &["title"],
            ),
            "outputSchema": issue(),
            "annotations": changes(false, false),
        }),
        json!({
            "name": "search_issues",
            "title": "Search issues",
            "description": "Finds issues whose title, body or labels hold every word.",
            "inputSchema": object(
                json!({ "query": { "type": "string", "description": "Words, any case" } }),
                &["query"],
            ),
            "outputSchema": issues(),
            "annotations": reads(),
        }),
        json!({
            "name": "list_issues",
            "title": "List issues",
            "description": "Lists issues, all or those in one state.",
            "inputSchema": object(
                json!({ "state": { "type": "string", "enum": ["open", "closed"] } }),
                &[],
            ),
            "outputSchema": issues(),
            "annotations": reads(),
        }),
        json!({
            "name": "comment_on_issue",
            "title": "Comment on an issue",
            "description": "Adds a comment to an issue and answers the issue.",
            "inputSchema": object(
                json!({
                    "number": number(),
                    "text": { "type": "string", "minLength": 1, "description": "As Markdown" }
                }),
                &["number", "text"],
            ),
            "outputSchema": issue(),
            "annotations": changes(false, false),
        }),
        json!({
            "name": "delete_issue",
            "title": "Delete an issue",
            "description": "Deletes an issue with its comments. It cannot be brought back.",
            "inputSchema": object(json!({ "number": number() }), &["number"]),
            "outputSchema": object(
                json!({ "deleted": { "type": "integer" }, "left": { "type": "integer" } }),
                &["deleted", "left"],
            ),
            "annotations": changes(true, true),
        }),
    ]
}

fn reads() -> Value {
    json!({ "readOnlyHint": true, "openWorldHint": false })
}

fn changes(destructive: bool, idempotent: bool) -> Value {
    json!({
        "readOnlyHint": false,
        "destructiveHint": destructive,
        "idempotentHint": idempotent,
        "openWorldHint": false
    })
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false
    })
}

fn number() -> Value {
    json!({ "type": "integer", "minimum": 1, "description": "The issue's number" })
}

fn issue() -> Value {
    let mut schema = object(
        json!({
            "number": { "type": "integer" },
            "title": { "type": "string" },
            "body": { "type": "string" },
            "state": { "type": "string", "enum": ["open", "closed"] },
            "labels": { "type": "array", "items": { "type": "string" } },
            "comments": { "type": "array", "items": { "type": "string" } }
        }),
        &["number", "title", "body", "state", "labels", "comments"],
    );
    schema["title"] = json!("Issue");
    schema
}

fn issues() -> Value {
    let mut schema = object(
        json!({ "issues": { "type": "array", "items": { "$ref": "#/$defs/Issue" } } }),
        &["issues"],
    );
    schema["$defs"] = json!({ "Issue": issue() });
    schema
}
