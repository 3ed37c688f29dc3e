//! Schemas that brought other hubs down: the tool, and its neighbours, stay usable.

use super::*;

/// S20: what a schema says of its dialect changes nothing, known or not; nothing is fetched.
#[test]
fn every_dialect_is_typed_and_checked_alike() {
    let of = |dialect: Option<&str>| {
        let mut input = json!({
            "type": "object", "properties": { "q": { "type": "string" } }, "required": ["q"],
        });
        let mut output = json!({ "type": "object" });
        for schema in [&mut input, &mut output] {
            if let Some(dialect) = dialect {
                schema["$schema"] = json!(dialect);
            }
        }
        tool("probe", input, Some(output))
    };
    let plain = declared(vec![of(None)], &[], 2_500).text;
    for dialect in [
        "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/draft/2019-09/schema",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft-07/schema",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-04/schema#",
        "urn:example:unknown",
        "https://nobody.invalid/schema",
        "",
    ] {
        let probe = of(Some(dialect));
        let schemas = Schemas::new();
        assert_eq!(schemas.diagnostics(&probe), Vec::<String>::new(), "{dialect}");
        assert_eq!(schemas.check(&probe.input_schema, &json!({ "q": "x" })), [], "{dialect}");
        let wrong = schemas.check(&probe.input_schema, &json!({ "q": 7 }));
        assert_eq!(wrong.len(), 1, "{dialect}: {wrong:?}");
        assert_eq!(declared(vec![probe], &[], 2_500).text, plain, "{dialect}");
    }
}

/// S02: a result that contains itself is finite, and costs no other tool.
#[test]
fn a_result_that_contains_itself_stands_by_name() {
    let output = json!({
        "type": "object",
        "properties": { "screen": { "$ref": "#/$defs/S" } },
        "$defs": { "S": { "type": "object", "properties": {
            "id": { "type": "string" },
            "variants": { "type": "array", "items": { "$ref": "#/$defs/S" } },
        } } },
    });
    let tools = vec![
        tool("get_project", json!({ "type": "object" }), Some(output)),
        tool("ping", json!({ "type": "object" }), None),
    ];
    let text = declared(tools, &[], 2_500).text;
    for part in ["Promise<demo.GetProjectResult>", "interface S {", "variants?: S[];", "ping("] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

/// S28: a type that only is itself, at once or by way of others.
#[test]
fn a_type_that_is_only_itself_is_unknown() {
    let to = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    let defs = json!({
        "Self": to("Self"),
        "All": { "allOf": [to("All")] },
        "Any": { "anyOf": [to("Any"), to("Any")] },
        "A": { "allOf": [to("B")] },
        "B": { "oneOf": [to("A")] },
    });
    for name in ["Self", "All", "Any", "A", "B"] {
        let input = json!({ "type": "object", "properties": { "s": to(name) }, "$defs": defs });
        let text = declared(vec![tool("probe", input, None)], &[], 2_500).text;
        assert!(text.contains("s?: unknown"), "{name}: {text}");
    }
}

/// S29: a result without a shape is unknown, and the answer says what to do about it.
#[test]
fn a_result_without_a_shape_is_said_to_have_none() {
    let text = declared(vec![tool("list", json!({ "type": "object" }), None)], &[], 2_500).text;
    assert!(text.contains("Promise<unknown>;"), "{text}");
    assert!(text.contains("the source declares no shape; look at one result"), "{text}");
    let known = tool("list", json!({ "type": "object" }), Some(json!({ "type": "string" })));
    let text = declared(vec![known], &[], 2_500).text;
    assert!(text.contains("Promise<string>;") && !text.contains("no shape"), "{text}");
}
