//! Generated schemas of every draft: always an answer, always finite, always within budget.

use super::*;
use proptest::prelude::*;

/// Names that schemas use, some of them on purpose where they make no sense.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("a".to_owned()),
        Just("__proto__".to_owned()),
        Just("x-y".to_owned()),
        "[a-c]{1,3}",
        "\\PC{0,6}",
    ]
}

fn reference() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("#".to_owned()),
        "[A-C]".prop_map(|name| format!("#/$defs/{name}")),
        "[A-C]".prop_map(|name| format!("#/definitions/{name}")),
        "[a-c]".prop_map(|name| format!("#/properties/{name}")),
        "\\PC{0,12}",
    ]
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<bool>().prop_map(Value::from),
        prop_oneof![
            Just("string"),
            Just("number"),
            Just("integer"),
            Just("boolean"),
            Just("null"),
            Just("object"),
            Just("array"),
            Just("any"),
            Just("nonsense"),
        ]
        .prop_map(|name| json!({ "type": name })),
        reference().prop_map(|to| json!({ "$ref": to })),
        reference().prop_map(|to| json!({ "$dynamicRef": to, "nullable": true })),
        prop::collection::vec("\\PC{0,5}", 0..4).prop_map(|values| json!({ "enum": values })),
        Just(json!({ "const": { "k": [1, null] } })),
        "\\PC{0,20}"
            .prop_map(|text| json!({ "type": "string", "description": text, "pattern": text })),
        Just(json!(7)),
        Just(json!({ "type": 7, "properties": [], "required": "x", "items": 3, "enum": {} })),
    ]
}

/// A schema with keywords of all drafts, well or badly used.
fn schema() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(5, 40, 4, |inner| {
        let list = || prop::collection::vec(inner.clone(), 0..3);
        let map = || prop::collection::hash_map(name(), inner.clone(), 0..4);
        prop_oneof![
            (map(), prop::collection::vec(name(), 0..3), inner.clone()).prop_map(
                |(properties, required, rest)| json!({ "type": "object", "properties": properties,
                    "required": required, "additionalProperties": rest })
            ),
            (map(), map()).prop_map(|(properties, patterns)| json!({ "properties": properties,
                "patternProperties": patterns, "dependentSchemas": patterns, "dependencies": properties })),
            list().prop_map(|all| json!({ "allOf": all })),
            list().prop_map(|any| json!({ "anyOf": any, "type": ["object", "null"] })),
            (list(), inner.clone()).prop_map(|(one, not)| json!({ "oneOf": one, "not": not })),
            inner.clone().prop_map(|items| json!({ "type": "array", "items": items })),
            (list(), inner.clone()).prop_map(|(items, rest)| json!({ "items": items,
                "additionalItems": rest, "minItems": 1 })),
            (list(), inner.clone()).prop_map(|(items, rest)| json!({ "type": "array",
                "prefixItems": items, "items": rest, "unevaluatedItems": false })),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| json!({ "if": a, "then": b, "else": a,
                "exclusiveMinimum": true, "minimum": 3 })),
            (inner.clone(), reference()).prop_map(|(defs, to)| json!({ "$ref": to,
                "$id": "https://x.test/y", "$anchor": "A", "$defs": { "A": defs } })),
        ]
    })
}

pub fn root() -> impl Strategy<Value = Value> {
    (schema(), prop::collection::hash_map("[A-C]", schema(), 0..3), any::<bool>()).prop_map(
        |(mut root, defs, old)| {
            if let Some(map) = root.as_object_mut() {
                map.insert(if old { "definitions" } else { "$defs" }.into(), json!(defs));
                let draft = if old { "http://json-schema.org/draft-07/schema#" } else { "urn:x" };
                map.insert("$schema".into(), json!(draft));
            }
            root
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn declarations_are_finite_and_within_budget(
        input in root(), output in prop::option::of(root()), budget in 60usize..2_500,
    ) {
        let tools = vec![tool("probe", input, output)];
        let found = declared(tools.clone(), &[], budget);
        prop_assert!(Quarter.count(&found.text) <= budget.max(40), "{}", found.text);
        for name in found.omitted.iter().filter(|name| *name != "demo.probe") {
            let name = name.strip_prefix("demo.").unwrap();
            let part = declared(tools.clone(), &[name], budget);
            prop_assert!(part.missing.is_empty(), "{name}");
        }
    }

    #[test]
    fn signatures_are_one_short_line(input in root(), output in prop::option::of(root())) {
        let probe = tool("probe", input, output);
        let line = Schemas::new().signature(&probe, &TypeNames::default());
        prop_assert!(!line.contains('\n'));
        prop_assert!(line.chars().count() <= hub_core::limits::SIGNATURE_CHARS + 80, "{line}");
        Schemas::new().parameters(&probe);
    }

    #[test]
    fn checks_end_and_never_hold_values(schema in root(), key in name()) {
        let secret = "s3cr3t-value";
        let schemas = Schemas::new();
        for value in [
            json!({ key.clone(): secret }),
            json!({ key: { "a": [secret, { "b": secret }] } }),
            json!([secret]),
            json!(secret),
        ] {
            for problem in schemas.check(&schema, &value) {
                prop_assert!(!problem.to_string().contains(secret), "{problem}");
                prop_assert!(problem.path.starts_with("input"));
            }
        }
        prop_assert!(
            !schemas.diagnostics(&tool("probe", schema, None)).iter()
                .any(|line| line.contains("arguments are not checked")),
            "a normal schema always compiles"
        );
    }
}
