//! What is offered holds for every call that waits, and nothing else can be chosen.

use super::{arguments, chosen};
use hub_core::policy::ArgumentTest;
use serde_json::json;
use std::collections::HashMap;

fn offered(full: &[&str]) -> Vec<(String, Vec<String>)> {
    let keys = |argument: super::Argument| {
        (argument.pointer, argument.offers.into_iter().map(|offer| offer.key).collect())
    };
    arguments(full).into_iter().map(keys).collect()
}

fn keys(full: &[&str], pointer: &str) -> Vec<String> {
    let all = offered(full);
    all.into_iter().find(|(at, _)| at == pointer).map(|(_, keys)| keys).unwrap_or_default()
}

fn fields(chosen: &[(&str, &str)]) -> HashMap<String, String> {
    chosen.iter().map(|(pointer, key)| (format!("narrow:{pointer}"), (*key).into())).collect()
}

#[test]
fn each_type_has_its_own_conditions() {
    let call = json!({
        "to": "someone", "count": 3, "deep": { "a/b": true }, "labels": ["x"],
        "url": "https://api.example.com/v1?q=1", "file": "/home/me/notes/today.md", "none": {}
    })
    .to_string();
    let full = [call.as_str()];
    assert_eq!(keys(&full, "/to"), ["same"]);
    assert_eq!(keys(&full, "/count"), ["same", "max", "min"]);
    assert_eq!(keys(&full, "/deep/a~1b"), ["same"]);
    assert_eq!(keys(&full, "/labels"), ["same"]);
    assert_eq!(keys(&full, "/url"), ["same", "host"]);
    assert_eq!(keys(&full, "/file"), ["same", "under:0", "under:1", "under:2"]);
    assert!(keys(&full, "/none").is_empty());
}

#[test]
fn what_can_be_read_in_two_ways_is_offered_as_a_value_only() {
    for (pointer, call) in [
        ("/file", json!({ "file": "/home/me/../other/x" })),
        ("/file", json!({ "file": "~/x/y" })),
        ("/file", json!({ "file": "a b/c" })),
        ("/url", json!({ "url": "https://me@example.com/" })),
        ("/url", json!({ "url": "https://" })),
    ] {
        let call = call.to_string();
        assert_eq!(keys(&[&call], pointer), ["same"], "{call}");
    }
}

#[test]
fn several_calls_are_narrowed_to_what_holds_for_all() {
    let calls = [
        json!({ "n": 1, "file": "/a/b/1", "url": "https://x.example/", "only": 1 }).to_string(),
        json!({ "n": 5, "file": "/a/c/2", "url": "https://y.example/" }).to_string(),
    ];
    let full: Vec<&str> = calls.iter().map(String::as_str).collect();
    assert_eq!(keys(&full, "/n"), ["same", "max", "min"]);
    assert_eq!(keys(&full, "/file"), ["same", "under:1"]);
    assert_eq!(keys(&full, "/url"), ["same"]);
    assert!(keys(&full, "/only").is_empty());
    let conditions = chosen(&full, &fields(&[("/n", "max"), ("/file", "same")])).unwrap();
    let tests: Vec<_> = conditions.into_iter().map(|one| one.test).collect();
    let files = vec![json!("/a/b/1"), json!("/a/c/2")];
    let most = ArgumentTest::Range { min: None, max: Some(5.0) };
    assert_eq!(tests, [ArgumentTest::OneOf(files), most]);
}

#[test]
fn what_is_not_offered_is_refused_and_never_makes_a_rule_wider() {
    let call = json!({ "to": "someone" }).to_string();
    let full = [call.as_str()];
    for (pointer, key) in [("/to", "max"), ("/cc", "same"), ("", "same"), ("/to", "under:0")] {
        assert!(chosen(&full, &fields(&[(pointer, key)])).is_err(), "{pointer} {key}");
    }
    assert!(chosen(&full, &fields(&[("/to", "any")])).unwrap().is_empty());
    assert!(chosen(&["no json"], &fields(&[("/to", "same")])).is_err());
}

#[test]
fn what_cannot_be_read_offers_nothing() {
    for call in ["", "null", "[]", "\"text\"", "{}"] {
        assert!(offered(&[call]).is_empty(), "{call}");
    }
    let many = (0..100).map(|n| (format!("a{n}"), json!(n))).collect();
    let many = serde_json::Value::Object(many).to_string();
    assert_eq!(offered(&[&many]).len(), super::ARGUMENTS);
}
