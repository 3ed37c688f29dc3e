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
            "input.title: required (string), but missing",
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
            "input.title: required (string), but missing",
            "input.Title: not a parameter (did you mean title?)"
        ]
    );
}

#[test]
fn messages_point_into_definitions_and_alternatives() {
    let schema = json!({
        "type": "object",
        "properties": {
            "items": { "type": "array", "items": { "$ref": "#/$defs/Item" } },
            "target": { "oneOf": [
                { "type": "object", "properties": { "kind": { "const": "url" },
                    "url": { "type": "string" } }, "required": ["kind", "url"] },
                { "type": "object", "properties": { "kind": { "const": "file" },
                    "path": { "type": "string" } }, "required": ["kind", "path"] },
            ] },
            "id": { "anyOf": [{ "type": "string" }, { "type": "integer" }] },
        },
        "$defs": { "Item": { "type": "object", "required": ["sku"], "additionalProperties": false,
            "properties": { "sku": { "type": "string" }, "count": { "type": "integer", "minimum": 1 } },
        } },
    });
    for (arguments, expected) in [
        (
            json!({ "items": [{ "sku": "a" }, {}] }),
            &["input.items[1].sku: required (string), but missing"][..],
        ),
        (
            json!({ "items": [{ "sku": "a", "cuont": 1 }] }),
            &["input.items[0].cuont: not a parameter; there are sku, count (did you mean count?)"],
        ),
        (
            json!({ "items": [{ "sku": "a", "count": 0 }] }),
            &["input.items[0].count: expected at least 1"],
        ),
        (
            json!({ "target": { "kind": "file" } }),
            &["input.target.path: required (string), but missing"],
        ),
        (
            json!({ "target": { "kind": "folder" } }),
            &["input.target.kind: expected one of \"url\", \"file\""],
        ),
        (json!({ "id": true }), &["input.id: expected a string or a whole number"]),
        (json!({ "id": 1.5 }), &["input.id: expected a string or a whole number"]),
        (json!([1]), &["input: expected an object"]),
    ] {
        let told = told(schema.clone(), arguments.clone());
        assert!(
            expected.iter().all(|line| told.iter().any(|t| t == line)),
            "{arguments}: {told:?}"
        );
    }
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

#[test]
fn validators_are_compiled_once_and_never_mixed_up() {
    let checks = Checks::default();
    let schemas = [
        json!({ "type": "string" }),
        json!({ "type": "number" }),
        json!({ "enum": ["a", "b"] }),
        json!({ "enum": ["ab"] }),
        json!({ "enum": [["a"], "b"] }),
        json!({ "enum": [["a", "b"]] }),
        json!({ "enum": [1] }),
        json!({ "enum": ["1"] }),
    ];
    let first: Vec<_> = schemas.iter().map(|schema| checks.compiled(schema)).collect();
    for (at, schema) in schemas.iter().enumerate() {
        assert!(std::sync::Arc::ptr_eq(&first[at], &checks.compiled(&schema.clone())));
        assert!(!first[..at].iter().any(|other| std::sync::Arc::ptr_eq(other, &first[at])));
    }
}

#[test]
fn the_oldest_validator_makes_room() {
    let checks = Checks::default();
    let schema = |at: usize| json!({ "minLength": at });
    let first = checks.compiled(&schema(0));
    for at in 1..super::cache::KEPT {
        checks.compiled(&schema(at));
    }
    assert!(
        std::sync::Arc::ptr_eq(&first, &checks.compiled(&schema(0))),
        "still there, now newest"
    );
    checks.compiled(&schema(super::cache::KEPT));
    assert!(std::sync::Arc::ptr_eq(&first, &checks.compiled(&schema(0))), "another one went");
    for at in 1..=super::cache::KEPT {
        checks.compiled(&schema(super::cache::KEPT + at));
    }
    assert!(!std::sync::Arc::ptr_eq(&first, &checks.compiled(&schema(0))), "now it went");
}
