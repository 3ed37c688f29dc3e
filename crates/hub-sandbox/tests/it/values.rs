//! Any JSON goes in and comes out as it was, or changed in the two ways that are told.

use crate::support::each;
use proptest::prelude::*;
use serde_json::{Map, Number, Value};

/// Integers up to here are exact in a program.
const EXACT: u64 = (1 << 53) - 1;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{0,6}",
        ".{0,8}",
        Just("__proto__".to_owned()),
        Just("constructor".to_owned()),
        Just("then".to_owned()),
        Just("toJSON".to_owned()),
        Just("7".to_owned()),
        Just("\u{0}\u{1f}\u{7f}\u{2028}\u{feff}\u{10ffff}".to_owned()),
    ]
}

fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        any::<i64>().prop_map(Number::from),
        any::<u64>().prop_map(Number::from),
        any::<i32>().prop_map(Number::from),
        (0u64..4).prop_map(|near| Number::from(EXACT - 1 + near)),
        any::<f64>().prop_filter_map("finite", Number::from_f64),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number().prop_map(Value::Number),
        text().prop_map(Value::String),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((text(), inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// What a program holds after reading `value`.
fn expected(value: &Value) -> Value {
    match value {
        Value::Number(number) => {
            let large = number.as_u64().is_some_and(|n| n > EXACT)
                || number.as_i64().is_some_and(|n| n.unsigned_abs() > EXACT);
            if large { Value::String(number.to_string()) } else { value.clone() }
        }
        Value::Array(items) => items.iter().map(expected).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(k, v)| (k.clone(), expected(v))).collect())
        }
        other => other.clone(),
    }
}

/// Equal as JavaScript sees it: 1 and 1.0 are one number, and so are 0 and -0.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| same(value, other)))
        }
        (a, b) => a == b,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn answers_and_results_are_the_same_value(value in value()) {
        each(|play| {
            let ended = play.run_with("return await demo.list({})", |_| {
                Some(Ok(value.to_string()))
            });
            // A promise resolved with an object that has a callable `then` would be called; data
            // never is.
            assert!(same(&ended.value(), &expected(&value)), "{value} became {}", ended.json());
        });
    }

    #[test]
    fn arguments_are_the_same_value(value in value()) {
        each(|play| {
            let mut sent = None;
            play.run_with("await demo.echo(await demo.list({}))", |op| {
                if let hub_core::ports::GuestOp::Call { address, arguments, .. } = op
                    && address == "demo.echo"
                {
                    sent = Some(arguments.clone());
                }
                Some(Ok(value.to_string()))
            });
            let sent: Value = serde_json::from_str(&sent.unwrap()).unwrap();
            assert!(same(&sent, &expected(&value)), "{value} became {sent}");
        });
    }

    /// Whatever bytes a source's answer holds, the program goes on with a value or a failure.
    #[test]
    fn any_text_is_an_answer(text in ".{0,60}|[\\[\\]{}\",:0-9eE.+-]{0,60}") {
        each(|play| {
            let ended = play.run_with(
                "try { return ['value', await demo.list({})] } catch (e) { return [e.code] }",
                |_| Some(Ok(text.clone())),
            );
            let value = ended.value();
            let valid = serde_json::from_str::<Value>(&text).is_ok();
            assert_eq!(value[0] == "value", valid, "{text:?}: {value}");
        });
    }
}
