//! Which arguments are refused, and what is said.

use super::Checks;
use serde_json::{Value, json};

fn told(schema: Value, arguments: Value) -> Vec<String> {
    Checks::default().check(&schema, &arguments).iter().map(ToString::to_string).collect()
}

#[test]
fn what_fits_is_accepted() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "number" } } });
    assert_eq!(told(schema, json!({ "n": 1, "other": 2 })), Vec::<String>::new());
}

#[test]
fn paths_are_as_in_code() {
    let schema = json!({
        "type": "object",
        "properties": {
            "labels": { "type": "array", "items": { "type": "string" } },
            "content-type": { "enum": ["a", "b"] },
        },
    });
    assert_eq!(
        told(schema, json!({ "labels": ["x", 7], "content-type": "secret" })),
        [
            "input.labels[1]: expected a string",
            "input[\"content-type\"]: expected one of \"a\", \"b\"",
        ]
    );
}

#[test]
fn unknown_names_bring_the_closest() {
    let schema = json!({
        "type": "object",
        "properties": { "title": { "type": "string" }, "body": { "type": "string" } },
        "required": ["title"],
        "additionalProperties": false,
    });
    assert_eq!(
        told(schema, json!({ "titel": "x" })),
        [
            "input.titel: not a parameter; there are title, body (did you mean title?)",
            "input.title: required, but missing",
        ]
    );
}

#[test]
fn a_slip_shows_where_other_names_are_allowed() {
    let schema = json!({
        "type": "object",
        "properties": { "title": { "type": "string" } },
        "required": ["title"],
    });
    assert_eq!(
        told(schema, json!({ "Title": "x", "zzz": 1 })),
        [
            "input.title: required, but missing",
            "input.Title: not a parameter (did you mean title?)"
        ]
    );
}

#[test]
fn many_definitions_in_a_row_end() {
    let mut defs = serde_json::Map::new();
    for at in 0..5_000 {
        let next = format!("#/$defs/{}", at + 1);
        defs.insert(
            at.to_string(),
            json!({ "properties": { "n": { "$ref": next.clone() } }, "allOf": [{ "$ref": next }] }),
        );
    }
    let schema = json!({ "$ref": "#/$defs/0", "$defs": defs });
    assert_eq!(told(schema, json!({ "n": { "n": 1 } })), Vec::<String>::new());
}

#[test]
fn doubling_schemas_do_not_stall() {
    let branch = json!({ "properties": { "a": { "$ref": "#/$defs/T" } } });
    let refuse = json!({ "properties": { "stop": { "type": "string" } }, "required": ["never"] });
    let schema = json!({
        "$ref": "#/$defs/T",
        "$defs": { "T": { "anyOf": [
            { "allOf": [branch, refuse] }, { "allOf": [branch, refuse] }, { "type": "null" },
        ] } },
    });
    let mut value = json!(null);
    for _ in 0..60 {
        value = json!({ "a": value });
    }
    assert_eq!(told(schema.clone(), value), Vec::<String>::new(), "too dear: unchecked");
    assert!(!told(schema, json!({ "a": { "a": 1 } })).is_empty(), "small ones are checked");
}

#[test]
fn arguments_that_are_too_deep_are_refused() {
    let mut value = json!(null);
    for _ in 0..200 {
        value = json!([value]);
    }
    assert_eq!(told(json!({}), value), ["input: nested deeper than 128 levels"]);
}

#[test]
fn circles_and_unreadable_keywords_end() {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": { "$ref": "#/$defs/A" },
            "p": { "type": "string", "pattern": "(?=x)y" },
            "far": { "$ref": "http://127.0.0.1/x" },
        },
        "$defs": { "A": { "allOf": [{ "$ref": "#/$defs/B" }] }, "B": { "$ref": "#/$defs/A" } },
    });
    assert_eq!(told(schema.clone(), json!({ "a": 1, "p": "y", "far": [] })), Vec::<String>::new());
    assert_eq!(told(schema, json!({ "p": 1 })), ["input.p: expected a string"]);
}
