//! The same decision, written another way: patterns by lists, rank by pairwise duels, unclear
//! values by trying every set of readings.

use super::*;
use proptest::prelude::*;

const ADDRESSES: [&str; 4] = ["a.x", "a.y", "b.x", "b.y"];
const PATTERNS: [&str; 11] =
    ["**", "*", "*.*", "a.*", "a.**", "*.x", "a.x", "a.y", "b.x", "a.x.**", "b.**"];

fn covers(pattern: &[&str], address: &[&str]) -> bool {
    match (pattern, address) {
        (["**"], _) | ([], []) => true,
        ([p, ps @ ..], [a, rest @ ..]) => (p == a || *p == "*") && covers(ps, rest),
        _ => false,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Reading {
    Yes,
    No,
    Either,
}

/// Each test against the values that the generator makes, one by one.
fn reading(rule: &Rule, arguments: &Value) -> Reading {
    let each = |condition: &ArgumentCondition| {
        let value = match condition.pointer.as_str() {
            "/p" => arguments.get("p"),
            "/q/0" => arguments.get("q").and_then(|q| q.get(0)),
            other => panic!("{other}"),
        };
        value.map_or(Reading::No, |value| one_reading(&condition.test, value))
    };
    let all: Vec<Reading> = rule.arguments.iter().map(each).collect();
    match (all.contains(&Reading::No), all.contains(&Reading::Either)) {
        (true, _) => Reading::No,
        (false, true) => Reading::Either,
        (false, false) => Reading::Yes,
    }
}

fn one_reading(test: &ArgumentTest, value: &Value) -> Reading {
    let sure = |holds| if holds { Reading::Yes } else { Reading::No };
    match (test, value) {
        (ArgumentTest::Equals(wanted), value) => sure(wanted == value),
        (ArgumentTest::OneOf(wanted), value) => sure(wanted.contains(value)),
        (_, Value::Null) => Reading::No,
        (ArgumentTest::Range { min, max }, Value::Number(n)) => {
            let n = n.as_f64().unwrap();
            sure(!min.is_some_and(|min| n < min) && !max.is_some_and(|max| n > max))
        }
        (ArgumentTest::PathUnder(_), Value::String(path)) => match path.as_str() {
            "/d" | "/d/e" | "/d//e/." => Reading::Yes,
            "/x" | "/de" | "/" => Reading::No,
            _ => Reading::Either,
        },
        (ArgumentTest::UrlHost(_), Value::String(url)) => match url.as_str() {
            "https://api.example/x" | "https://API.example:8443" => Reading::Yes,
            "https://api.example.evil/" => Reading::No,
            _ => Reading::Either,
        },
        _ => Reading::Either,
    }
}

fn any_test() -> impl Strategy<Value = ArgumentTest> {
    prop::sample::select(vec![
        ArgumentTest::Equals(json!("/d/e")),
        ArgumentTest::Equals(json!(5)),
        ArgumentTest::Equals(Value::Null),
        ArgumentTest::OneOf(vec![json!(5), json!("/x"), json!(["a"])]),
        ArgumentTest::Range { min: Some(1.0), max: Some(5.0) },
        ArgumentTest::Range { min: Some(6.0), max: None },
        ArgumentTest::Range { min: None, max: Some(0.0) },
        ArgumentTest::PathUnder("/d".to_owned()),
        ArgumentTest::UrlHost("api.example".to_owned()),
    ])
}

fn any_value() -> impl Strategy<Value = Option<Value>> {
    prop::sample::select(vec![
        None,
        Some(Value::Null),
        Some(json!("/d")),
        Some(json!("/d/e")),
        Some(json!("/d//e/.")),
        Some(json!("/d/../e")),
        Some(json!("/x")),
        Some(json!("/de")),
        Some(json!("/")),
        Some(json!("")),
        Some(json!(5)),
        Some(json!(-1)),
        Some(json!(7.5)),
        Some(json!("5")),
        Some(json!(["a"])),
        Some(json!({ "a": 5 })),
        Some(json!(true)),
        Some(json!("https://api.example/x")),
        Some(json!("https://API.example:8443")),
        Some(json!("https://api.example.evil/")),
        Some(json!("https://me@api.example/")),
    ])
}

/// `p` beside `q[0]`, each there or not.
fn any_arguments() -> impl Strategy<Value = Value> {
    (any_value(), any_value()).prop_map(|(p, q)| {
        let mut arguments = serde_json::Map::new();
        arguments.extend(p.map(|p| ("p".to_owned(), p)));
        arguments.extend(q.map(|q| ("q".to_owned(), json!([q]))));
        Value::Object(arguments)
    })
}

/// Whether `a` beats `b`, by walking down the list of the contract.
fn outranks(a: &Rule, b: &Rule) -> Option<bool> {
    let duel = |x: usize, y: usize| (x != y).then_some(x > y);
    let parts = |r: &Rule| r.pattern.split('.').filter(|s| !s.starts_with('*')).count();
    let exact = |r: &Rule| !r.pattern.contains('*');
    duel(usize::from(!a.arguments.is_empty()), usize::from(!b.arguments.is_empty()))
        .or_else(|| duel(exact(a).into(), exact(b).into()))
        .or_else(|| duel(parts(a), parts(b)))
        .or_else(|| duel(a.connection.is_some().into(), b.connection.is_some().into()))
        .or_else(|| duel(a.client.is_some().into(), b.client.is_some().into()))
}

fn one_world(rules: &[&Rule], fallback: Verdict) -> Verdict {
    let organisation = |r: &&&Rule| r.origin == RuleOrigin::Organisation;
    if rules.iter().filter(organisation).any(|r| r.decision == Verdict::Deny) {
        return Verdict::Deny;
    }
    let best: Vec<_> =
        rules.iter().filter(|a| !rules.iter().any(|b| outranks(b, a) == Some(true))).collect();
    let has = |v| best.iter().any(|r| r.decision == v);
    for strict in [Verdict::Deny, Verdict::Confirm] {
        if has(strict) {
            return strict;
        }
    }
    if has(Verdict::Ask) {
        let later = |always: &Rule| {
            best.iter()
                .filter(|r| r.decision == Verdict::Ask)
                .all(|ask| ask.created_at <= always.created_at)
        };
        let always = |r: &Rule| {
            r.decision == Verdict::Allow
                && r.bound_to.is_some()
                && r.origin == RuleOrigin::Person
                && later(r)
        };
        return if best.iter().any(|r| always(r)) { Verdict::Allow } else { Verdict::Ask };
    }
    if best.is_empty() { fallback } else { Verdict::Allow }
}

fn oracle(rules: &[Rule], call: &Call<'_>, arguments: &Value) -> Verdict {
    let address: Vec<&str> = call.address.split('.').collect();
    let about = |r: &&Rule| {
        let pattern: Vec<&str> = r.pattern.split('.').collect();
        covers(&pattern, &address)
            && (r.connection.is_none() || r.connection.as_deref() == call.connection)
            && (r.client.is_none() || r.client.as_ref() == Some(call.client))
            && (r.bound_to.is_none() || r.bound_to == call.scope)
    };
    let sure: Vec<&Rule> =
        rules.iter().filter(about).filter(|r| reading(r, arguments) == Reading::Yes).collect();
    let open: Vec<&Rule> =
        rules.iter().filter(about).filter(|r| reading(r, arguments) == Reading::Either).collect();
    (0..1u32 << open.len())
        .map(|set| {
            let mut world = sure.clone();
            world.extend((0..open.len()).filter(|i| set >> i & 1 == 1).map(|i| open[i]));
            one_world(&world, Verdict::Ask)
        })
        .max()
        .unwrap()
}

fn any_condition() -> impl Strategy<Value = ArgumentCondition> {
    let pointer = prop::sample::select(vec!["/p", "/q/0"]);
    (pointer, any_test())
        .prop_map(|(pointer, test)| ArgumentCondition { pointer: pointer.to_owned(), test })
}

fn any_rule() -> impl Strategy<Value = Rule> {
    let verdicts = vec![Verdict::Allow, Verdict::Ask, Verdict::Confirm, Verdict::Deny];
    let origins = vec![RuleOrigin::File, RuleOrigin::Person, RuleOrigin::Organisation];
    let condition = any_condition();
    let conditions = prop_oneof![
        2 => Just(Vec::new()),
        3 => prop::collection::vec(condition, 1..3),
    ];
    (
        0..3i64,
        prop::sample::select(&PATTERNS[..]),
        prop::sample::select(vec![None, Some("work"), Some("home")]),
        prop::sample::select(vec![None, Some("key_a"), Some("key_b")]),
        conditions,
        prop::sample::select(verdicts),
        prop::sample::select(origins),
        prop::sample::select(vec![None, None, Some("now"), Some("before")]),
    )
        .prop_map(|(at, pattern, connection, client, arguments, decision, origin, bound)| {
            Rule {
                created_at: UnixMillis(at),
                connection: connection.map(str::to_owned),
                client: client.map(KeyId::new),
                arguments,
                origin,
                bound_to: bound.map(|b| Digest::of(b.as_bytes())),
                ..rule("", pattern, decision)
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn judges_as_the_oracle_does(
        rules in prop::collection::vec(any_rule(), 0..7),
        address in prop::sample::select(&ADDRESSES[..]),
        arguments in any_arguments(),
        connection in prop::sample::select(vec![None, Some("work")]),
    ) {
        let named = |(n, r): (usize, Rule)| Rule { id: RuleId::new(format!("rule_{n}")), ..r };
        let rules: Vec<Rule> = rules.into_iter().enumerate().map(named).collect();
        with_call(Some(&arguments), |call| {
            let call = Call { address, connection, ..call };
            let found = judge(&rules, &call);
            prop_assert_eq!(found.verdict, oracle(&rules, &call, &arguments));
            // What is named as deciding is among the rules and says the verdict.
            if let Some(id) = &found.rule {
                let named = rules.iter().find(|r| r.id == *id);
                prop_assert_eq!(named.map(|r| r.decision), Some(found.verdict));
            }
            // The order in which rules are stored decides nothing.
            let mut turned = rules.clone();
            turned.reverse();
            prop_assert_eq!(judge(&turned, &call), found);
            Ok(())
        })?;
    }

    /// What is said to take no stricter rule's place takes none, for any call.
    #[test]
    fn an_allowing_rule_lifts_no_prohibition_unseen(
        rules in prop::collection::vec(any_rule(), 0..5),
        new in any_rule(),
        more in prop::collection::vec(any_condition(), 0..2),
        address in prop::sample::select(&ADDRESSES[..]),
        arguments in any_arguments(),
        connection in prop::sample::select(vec![None, Some("work")]),
    ) {
        let named = |(n, r): (usize, Rule)| Rule { id: RuleId::new(format!("rule_{n}")), ..r };
        let rules: Vec<Rule> = rules.into_iter().enumerate().map(named).collect();
        let old = Rule { id: RuleId::new("new"), decision: Verdict::Allow, ..new };
        let mut new = old.clone();
        new.arguments.extend(more);
        let with = |rule: &Rule| [&rules[..], std::slice::from_ref(rule)].concat();
        with_call(Some(&arguments), |call| {
            let call = Call { address, connection, ..call };
            let says = |rules: &[Rule]| oracle(rules, &call, &arguments);
            let (none, before, after) = (says(&rules), says(&with(&old)), says(&with(&new)));
            if outdone(&rules, &new, None).is_none() && none >= Verdict::Confirm {
                prop_assert_eq!(after, none, "added");
            }
            if outdone(&rules, &new, Some(&old)).is_none() && before >= Verdict::Confirm {
                prop_assert_eq!(after, before, "in the place of the wider one");
            }
            Ok(())
        })?;
    }

    #[test]
    fn a_stricter_verdict_in_one_rule_never_loosens_a_lone_rule_set(
        rule in any_rule(),
        arguments in any_arguments(),
    ) {
        with_call(Some(&arguments), |call| {
            let call = Call { address: "a.x", ..call };
            let allow = Rule { decision: Verdict::Allow, ..rule.clone() };
            let deny = Rule { decision: Verdict::Deny, ..rule };
            let verdicts = (judge(&[allow], &call).verdict, judge(&[deny], &call).verdict);
            prop_assert!(verdicts.1 >= verdicts.0);
            Ok(())
        })?;
    }
}
