//! One schema keyword after the other, in the dialects that real sources write.

use super::*;

/// What stands between the parentheses for an input schema, with runs of white space as one.
fn written(schema: Value) -> String {
    let text = declared(vec![tool("probe", schema, None)], &[], 2_500).text;
    let from = text.find("probe(").unwrap() + "probe(".len();
    let to = text.rfind(", options?: CallOptions").unwrap();
    text[from..to].split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The type of a required property `p` with that schema, in the order given.
fn property(schema: Value) -> String {
    with_defs(schema, json!({}))
}

fn with_defs(schema: Value, defs: Value) -> String {
    let text = written(json!({
        "type": "object",
        "properties": { "p": schema },
        "required": ["p"],
        "$defs": defs,
    }));
    let inner = text.strip_prefix("input: {").and_then(|text| text.strip_suffix('}')).unwrap();
    let inner = inner.trim().trim_end_matches(';');
    inner.strip_prefix("p: ").unwrap_or(inner).to_owned()
}

#[test]
fn plain_types() {
    for (schema, expected) in [
        (json!(true), "unknown"),
        (json!(false), "never"),
        (json!({}), "unknown"),
        (json!({ "type": "string", "format": "int64" }), "string"),
        (json!({ "type": "integer", "maximum": 18446744073709551615u64 }), "number"),
        (json!({ "type": "any" }), "unknown"),
        (
            json!({ "type": ["string", "integer", "array"], "items": { "type": "boolean" } }),
            "string | number | boolean[]",
        ),
        (json!({ "type": "object" }), "Record<string, unknown>"),
        (json!({ "type": "array" }), "unknown[]"),
        (json!({ "minLength": 1 }), "string"),
        (json!({ "maximum": 1 }), "number"),
        (json!({ "properties": { "a": true } }), "{ a?: unknown }"),
        (json!({ "not": {} }), "never"),
        (json!({ "description": "x" }), "/** x */ p: unknown"),
    ] {
        assert_eq!(property(schema.clone()), expected, "{schema}");
    }
}

#[test]
fn values() {
    for (schema, expected) in [
        (json!({ "const": null }), "null"),
        (json!({ "type": "string", "enum": ["a", "b", "a"] }), r#""a" | "b""#),
        (
            json!({ "enum": ["red", null, 42, true, { "k": 1 }] }),
            r#""red" | 42 | true | { k: 1 } | null"#,
        ),
        (json!({ "type": ["string", "null"], "enum": ["A", "B", null] }), r#""A" | "B" | null"#),
        (json!({ "type": "string", "nullable": true, "enum": ["a", null] }), r#""a" | null"#),
        (
            json!({ "enum": ["a", "\\", "'", "\"", "\n", "`${x}`", ""] }),
            r#""a" | "\\" | "'" | "\"" | "\n" | "`${x}`" | """#,
        ),
        (json!({ "enum": [[1, "x"], []] }), r#"[1, "x"] | []"#),
        (json!({ "enum": [] }), "unknown"),
        (json!({ "const": "\u{2028}*/" }), r#""\u2028*/""#),
    ] {
        assert_eq!(property(schema.clone()), expected, "{schema}");
    }
}

#[test]
fn nullable_in_every_dialect() {
    let user = json!({ "U": {
        "type": "object", "properties": { "login": { "type": "string" } }, "required": ["login"],
    } });
    for (schema, expected) in [
        (
            json!({ "nullable": true, "allOf": [{ "$ref": "#/$defs/U" }] }),
            "{ login: string } | null",
        ),
        (json!({ "$ref": "#/$defs/U", "nullable": true }), "{ login: string } | null"),
        (json!({ "type": "integer", "nullable": true }), "number | null"),
        (json!({ "anyOf": [{ "type": "null" }, { "type": "string" }] }), "string | null"),
        (
            json!({ "oneOf": [{ "$ref": "#/$defs/U" }, { "type": "null" }] }),
            "{ login: string } | null",
        ),
    ] {
        assert_eq!(with_defs(schema.clone(), user.clone()), expected, "{schema}");
    }
}

#[test]
fn lists_and_tuples() {
    for (schema, expected) in [
        (json!({ "type": "array", "items": { "enum": ["a", "b"] } }), r#"("a" | "b")[]"#),
        (json!({ "type": "array", "items": { "type": "array", "items": {} } }), "unknown[][]"),
        (
            json!({ "prefixItems": [{ "type": "number" }, { "type": "string" }], "items": false,
            "type": "array", "minItems": 2 }),
            "[number, string]",
        ),
        (
            json!({ "type": "array", "prefixItems": [{ "type": "number" }], "items": false }),
            "[number?]",
        ),
        (
            json!({ "type": "array", "items": [{ "type": "number" }],
            "additionalItems": { "type": "boolean" } }),
            "[number?, ...boolean[]]",
        ),
        (
            json!({ "items": [{ "type": "string" }, { "type": "null" }] }),
            "[string?, null?, ...unknown[]]",
        ),
        (json!({ "items": [{ "type": "string" }], "minItems": 1, "maxItems": 1 }), "[string]"),
        (json!({ "type": "array", "items": [] }), "unknown[]"),
    ] {
        assert_eq!(property(schema.clone()), expected, "{schema}");
    }
}

#[test]
fn objects_with_further_properties() {
    for (schema, expected) in [
        (
            json!({ "type": "object", "additionalProperties": { "type": "number" } }),
            "Record<string, number>",
        ),
        (json!({ "type": "object", "additionalProperties": false }), "Record<string, never>"),
        (
            json!({ "type": "object", "properties": { "id": { "type": "string" } },
            "required": ["id"], "additionalProperties": { "type": "number" } }),
            "{ id: string; [key: string]: number | string }",
        ),
        (
            json!({ "type": "object", "properties": { "id": { "type": "string" } },
            "additionalProperties": { "type": "number" } }),
            "{ id?: string; [key: string]: number | string | undefined }",
        ),
        (
            json!({ "type": "object", "properties": { "id": { "type": "string" } },
            "additionalProperties": {} }),
            "{ id?: string; [key: string]: unknown }",
        ),
        (
            json!({ "type": "object", "properties": { "n": { "type": "string" } },
            "patternProperties": { "^x-*/": { "type": "number" } },
            "additionalProperties": false }),
            "{ n?: string; [key: string]: number | string | undefined }",
        ),
        (
            json!({ "type": "object", "propertyNames": { "enum": ["a", "b"] },
            "additionalProperties": { "type": "number" } }),
            "{ a?: number; b?: number }",
        ),
        (json!({ "type": "object", "required": ["a"] }), "{ a: unknown }"),
    ] {
        assert_eq!(property(schema.clone()), expected, "{schema}");
    }
}

#[test]
fn combined_schemas() {
    let a = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let b = json!({ "type": "object", "properties": { "b": { "type": "number" } },
        "required": ["b"] });
    for (schema, expected) in [
        (json!({ "allOf": [a, b] }), "{ b: number; a?: string }"),
        (
            json!({ "allOf": [a], "properties": { "c": {} }, "required": ["a"] }),
            "{ a: string; c?: unknown }",
        ),
        (json!({ "anyOf": [a, b] }), "{ a?: string } | { b: number }"),
        (
            json!({ "oneOf": [{ "type": "string" }, { "const": "x" }, { "type": "string" }] }),
            "string",
        ),
        (json!({ "type": "string", "anyOf": [{ "format": "uri" }, { "pattern": "x" }] }), "string"),
        (
            json!({ "type": "object", "properties": { "a": { "type": "string" }, "b": {} },
            "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
            "{ a?: string; b?: unknown } & ({ a: string } | { b: unknown })",
        ),
        (
            json!({ "allOf": [{ "anyOf": [a, b] }, { "properties": { "c": {} } }] }),
            "({ a?: string } | { b: number }) & { c?: unknown }",
        ),
    ] {
        assert_eq!(property(schema.clone()), expected, "{schema}");
    }
}

#[test]
fn references_of_every_form() {
    let defs = json!({
        "Pay": { "type": "object", "properties": { "card": { "type": "string" } },
            "required": ["card"] },
        "odd/na~me": { "type": "number" },
        "anchored": { "$anchor": "here", "type": "boolean" },
        "res": { "$id": "https://example.com/res.json", "$defs": { "in": { "type": "null" } },
            "$ref": "#/$defs/in" },
    });
    for (schema, expected) in [
        (json!({ "$ref": "#/$defs/Pay" }), "{ card: string }"),
        (json!({ "$ref": "#/$defs/odd~1na~0me" }), "number"),
        (json!({ "$ref": "#/%24defs/Pay/properties/card" }), "string"),
        (json!({ "$ref": "#here" }), "boolean"),
        (json!({ "$ref": "https://example.com/res.json" }), "null"),
        (json!({ "$ref": "https://example.com/res.json#/$defs/in" }), "null"),
        (json!({ "$dynamicRef": "#here" }), "boolean"),
    ] {
        assert_eq!(with_defs(schema.clone(), defs.clone()), expected, "{schema}");
    }
    let positional = written(json!({
        "type": "object",
        "properties": {
            "body": { "anyOf": [{ "type": "string" }, { "type": "object", "properties": {
                "bcc": { "type": "array", "items": { "type": "object",
                    "properties": { "address": { "type": "string" } },
                    "required": ["address"] } } } }] },
            "cc": { "type": "array",
                "items": { "$ref": "#/properties/body/anyOf/1/properties/bcc/items" } },
        },
    }));
    assert!(positional.contains("cc?: { address: string }[]"), "{positional}");
}

#[test]
fn references_to_nothing_spoil_one_property() {
    for target in
        ["#/$defs/Missing", "http://169.254.169.254/latest", "file:///etc/passwd#/x", "o.json#/D"]
    {
        let text = written(json!({
            "type": "object",
            "properties": { "id": { "type": "string" }, "meta": { "$ref": target } },
            "required": ["id"],
        }));
        assert!(text.contains("id: string"), "{text}");
        assert!(text.contains("meta?: unknown"), "{text}");
        assert!(text.contains("Not read: $ref"), "{text}");
    }
}

#[test]
fn recursion_is_finite() {
    let tree = json!({ "S": { "type": "object", "properties": {
        "id": { "type": "string" },
        "variants": { "type": "array", "items": { "$ref": "#/$defs/S" } },
    } } });
    assert_eq!(with_defs(json!({ "$ref": "#/$defs/S" }), tree), "demo.S");
    let value = json!({ "V": { "anyOf": [
        { "type": "string" },
        { "type": "array", "items": { "$ref": "#/$defs/V" } },
        { "type": "object", "additionalProperties": { "$ref": "#/$defs/V" } },
    ] } });
    let text = with_defs(json!({ "$ref": "#/$defs/V" }), value);
    assert!(text.contains("string"), "{text}");
    let circle = json!({ "A": { "allOf": [{ "$ref": "#/$defs/B" }] },
        "B": { "allOf": [{ "$ref": "#/$defs/A" }] } });
    let text = with_defs(json!({ "$ref": "#/$defs/A" }), circle);
    assert!(text.ends_with("p: unknown"), "{text}");
}

#[test]
fn names_of_types_are_legal_and_differ() {
    let node = |to: &str| {
        json!({ "type": "object",
            "properties": { "p": { "type": "string" }, "n": { "$ref": format!("#/$defs/{to}") } } })
    };
    let input = json!({
        "type": "object",
        "properties": {
            "a": { "$ref": "#/$defs/400" },
            "b": { "$ref": "#/$defs/_400" },
            "c": { "$ref": "#/$defs/io.k8s.api.v1~1Pod" },
            "d": { "$ref": "#/$defs/string" },
            "e": { "$ref": "#/$defs/Promise" },
        },
        "$defs": {
            "400": node("400"),
            "_400": node("_400"),
            "io.k8s.api.v1/Pod": node("io.k8s.api.v1~1Pod"),
            "string": node("string"),
            "Promise": node("Promise"),
        },
    });
    let text = declared(vec![tool("names", input, None)], &[], 2_500).text;
    for name in ["_400", "_400_2", "IoK8sApiV1Pod", "String_", "Promise_"] {
        assert!(text.contains(&format!("interface {name} {{")), "{name} in {text}");
    }
}

#[test]
fn properties_of_every_name_are_data() {
    let names = [
        "__proto__",
        "constructor",
        "then",
        "toJSON",
        "class",
        "naïve",
        "new",
        "+1",
        "",
        "a\"b",
        "2fa",
        "x-y",
    ];
    let properties: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
    let text = written(json!({ "type": "object", "properties": properties }));
    for bare in ["__proto__?:", "constructor?:", "then?:", "toJSON?:", "class?:", "naïve?:"] {
        assert!(text.contains(bare), "{bare} in {text}");
    }
    for quoted in ["\"new\"?:", "\"+1\"?:", "\"\"?:", "\"a\\\"b\"?:", "\"2fa\"?:", "\"x-y\"?:"] {
        assert!(text.contains(quoted), "{quoted} in {text}");
    }
}

#[test]
fn descriptions_stay_comments() {
    for text in [
        "a\nconst leaked = 1\r\n b",
        "a\u{2028}const leaked = 1",
        "*/ const leaked = 1 /*",
        "a\u{85}const leaked = 1",
        "a\rconst leaked = 1",
    ] {
        let schema = json!({ "type": "string", "description": text });
        let input = json!({ "type": "object", "properties": { "q": schema } });
        let mut probe = tool("find", input, None);
        probe.description = Some(text.to_owned());
        let out = declared(vec![probe], &[], 2_500).text;
        let mut inside = false;
        for line in out.lines() {
            let line = line.trim();
            inside |= line.starts_with("/**");
            assert!(!line.contains("leaked") || inside, "{out}");
            if let Some(at) = line.find("*/") {
                assert_eq!(at + 2, line.len(), "nothing stands behind a comment: {out}");
                inside = false;
            }
        }
    }
}

#[test]
fn roots_that_are_no_objects() {
    assert_eq!(written(json!({ "$schema": "x" })), "input?: Record<string, unknown>");
    assert_eq!(written(json!({})), "input?: Record<string, unknown>");
    assert_eq!(written(json!({ "type": "object" })), "input?: Record<string, unknown>");
    let none = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    assert_eq!(written(none), "input?: Record<string, never>");
    let text = declared(vec![tool("bad", json!({ "type": "string" }), None)], &[], 2_500).text;
    assert!(text.contains("Unusable: its input schema is not an object."), "{text}");
    let text = declared(vec![tool("bad", json!(7), None)], &[], 2_500).text;
    assert!(text.contains("Input not read: not a schema"), "{text}");
}

#[test]
fn what_is_too_deep_or_too_large_is_unknown() {
    let mut deep = json!({ "type": "string" });
    for _ in 0..100 {
        deep = json!({ "type": "array", "items": deep });
    }
    let probe = tool("deep", json!({ "type": "object", "properties": { "p": deep } }), None);
    let told = Schemas::new().diagnostics(&probe);
    assert!(told.iter().any(|line| line.contains("deeper than 64 levels")), "{told:?}");
    assert!(declared(vec![probe], &[], 2_500).text.len() < 10_000);
    let many: serde_json::Map<String, Value> =
        (0..30_000).map(|at| (format!("p{at}"), json!({ "type": "string" }))).collect();
    let found = declared(
        vec![tool("wide", json!({ "type": "object", "properties": many }), None)],
        &[],
        2_500,
    );
    assert!(found.text.len() < 10_000, "{}", found.text.len());
}
