//! One line per tool, and its parameters.

use super::*;
use hub_core::limits::SIGNATURE_CHARS;

fn signature(input: Value, output: Option<Value>) -> String {
    Schemas::new().signature(&tool("create_issue", input, output), &TypeNames::default())
}

#[test]
fn required_first_and_names_unqualified() {
    let input = json!({
        "type": "object",
        "properties": {
            "body": { "type": "string" },
            "owner": { "type": "string" },
            "state": { "enum": ["open", "closed"] },
            "filter": { "type": "object", "properties": { "a": {} } },
        },
        "required": ["owner"],
    });
    let issue = json!({ "title": "Issue", "type": "object", "properties": { "id": {} } });
    assert_eq!(
        signature(input, Some(issue)),
        "(input: { owner: string; body?: string; state?: \"open\" | \"closed\"; filter?: {…} }): \
         Promise<Issue>"
    );
}

#[test]
fn results_without_a_name_are_written_out() {
    let list = json!({ "type": "array", "items": { "type": "string" } });
    assert_eq!(
        signature(json!({}), Some(list)),
        "(input?: Record<string, unknown>): Promise<string[]>"
    );
    let named = json!({ "type": "object", "properties": { "id": {} } });
    assert_eq!(
        signature(json!({ "type": "object", "properties": {} }), Some(named)),
        "(): Promise<CreateIssueResult>"
    );
    assert_eq!(signature(json!({ "type": "object" }), None), "(): Promise<unknown>");
}

#[test]
fn long_ones_are_cut_at_a_parameter() {
    let properties: serde_json::Map<String, Value> = (0..100)
        .map(|at| (format!("parameter{at}"), json!({ "enum": ["x".repeat(30), "y".repeat(30)] })))
        .collect();
    let line = signature(json!({ "type": "object", "properties": properties }), None);
    assert!(line.chars().count() <= SIGNATURE_CHARS, "{line}");
    assert!(line.ends_with("; … }): Promise<unknown>"), "{line}");
    assert!(line.contains("parameter0?: string"), "{line}");
}

#[test]
fn the_signature_and_the_declaration_name_the_result_alike() {
    for (output, name) in [
        (
            json!({ "title": "issue list", "type": "object", "properties": { "a": {} } }),
            "IssueList",
        ),
        (
            json!({ "title": "Response", "type": "object", "properties": { "a": {} } }),
            "CreateIssueResult",
        ),
        (
            json!({ "$ref": "#/$defs/user-data",
            "$defs": { "user-data": { "type": "object", "properties": { "a": {} } } } }),
            "UserData",
        ),
        (
            json!({ "allOf": [{ "properties": { "a": {} } }, { "properties": { "b": {} } }] }),
            "CreateIssueResult",
        ),
        (json!({ "title": "Promise", "type": "object", "properties": { "a": {} } }), "Promise_"),
    ] {
        assert!(signature(json!({}), Some(output.clone())).ends_with(&format!("Promise<{name}>")));
        let text = declared(vec![tool("create_issue", json!({}), Some(output))], &[], 2_500).text;
        assert!(text.contains(&format!("Promise<demo.{name}>")), "{text}");
        assert!(text.contains(&format!("interface {name} {{")), "{text}");
    }
}

#[test]
fn parameters_come_from_every_alternative() {
    let input = json!({
        "anyOf": [
            { "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"] },
            { "$ref": "#/$defs/ByUrl" },
        ],
        "$defs": { "ByUrl": { "type": "object", "required": ["url"], "properties": {
            "url": { "type": "string", "format": "uri", "description": "Where." } } } },
    });
    let found = Schemas::new().parameters(&tool("get", input, None));
    let names: Vec<_> = found.iter().map(|p| (p.name.as_str(), p.required)).collect();
    assert_eq!(names, [("id", false), ("url", false)]);
    assert_eq!(found[1].format.as_deref(), Some("uri"));
    assert_eq!(found[1].description, "Where.");
}

#[test]
fn the_values_of_a_parameter_are_told_for_search() {
    let long = "x".repeat(65);
    let many: Vec<String> = (0..100).map(|n| format!("v{n}")).collect();
    let of = |schema: Value| {
        let input = json!({ "type": "object", "properties": { "p": schema },
            "$defs": { "State": { "enum": ["open", "closed"] } } });
        Schemas::new().parameters(&tool("get", input, None)).remove(0).values
    };
    assert_eq!(of(json!({ "enum": ["a", 1, null, long, "b"] })), ["a", "b"]);
    assert_eq!(of(json!({ "const": "only" })), ["only"]);
    assert_eq!(of(json!({ "type": "array", "items": { "enum": ["a", "b"] } })), ["a", "b"]);
    assert_eq!(of(json!({ "$ref": "#/$defs/State" })), ["open", "closed"]);
    assert_eq!(of(json!({ "anyOf": [{ "const": "a" }, { "const": "b" }] })), ["a", "b"]);
    assert_eq!(of(json!({ "enum": many })).len(), 64);
    assert!(of(json!({ "type": "string" })).is_empty());
}

#[test]
fn diagnostics_name_what_was_not_read() {
    let input = json!({
        "type": "object",
        "properties": {
            "meta": { "$ref": "#/$defs/Missing" },
            "code": { "type": "string", "pattern": "(?<=x)y" },
        },
    });
    let told = Schemas::new().diagnostics(&tool("put", input, None));
    assert!(told.iter().any(|line| line.contains("#/$defs/Missing")), "{told:?}");
    assert!(told.iter().any(|line| line.contains("pattern")), "{told:?}");
    let scalar = Schemas::new().diagnostics(&tool("bad", json!({ "type": "array" }), None));
    assert_eq!(scalar, ["Unusable: its input schema is not an object."]);
}
