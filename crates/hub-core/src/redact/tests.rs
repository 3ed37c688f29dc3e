use super::*;
use serde_json::{Value, json};

mod corpus;
mod display;

fn page(arguments: Value) -> Preview {
    preview(&arguments, Limits::PAGE)
}

#[test]
fn arguments_are_laid_out_for_reading() {
    let shown = page(json!({
        "to": ["a@b.example", "c@d.example"],
        "count": 3,
        "when": null,
        "odd name": true,
        "options": { "empty": {}, "deep": { "x": 1.5 } },
        "files": [{ "name": "a", "size": 1 }, 7],
    }));
    insta::assert_snapshot!(shown.text, @r#"
    to: ["a@b.example", "c@d.example"]
    count: 3
    when: null
    "odd name": true
    options:
      empty: {}
      deep:
        x: 1.5
    files:
      [0]:
        name: "a"
        size: 1
      [1]: 7
    "#);
    assert!(shown.is_whole());
    let line = preview(&json!({ "to": "x", "cc": [{ "a": 1 }, 2] }), Limits::LINE);
    assert_eq!(line.text, r#"{to: "x", cc: [{a: 1}, 2]}"#);
    assert_eq!(page(json!({})).text, "(none)");
    assert_eq!(page(Value::Null).text, "(none)");
}

#[test]
fn values_under_a_secrets_name_are_hidden_wherever_they_stand() {
    let shown = page(json!({
        "password": "hunter2",
        "headers": { "X-Api-Key": "k", "Accept": "text/html" },
        "credentials": { "user": "me", "parts": ["a", "b"], "n": 7 },
        "list": [{ "name": "Authorization", "value": "v" }, { "name": "Accept", "value": "w" }],
    }));
    let found: Vec<_> = shown.masked.iter().map(|f| (f.path.as_str(), f.what.as_str())).collect();
    let named = |n| format!("is named like a secret, {n} characters");
    let expected = [
        ("password", named(7)),
        ("headers.X-Api-Key", named(1)),
        ("credentials.user", named(2)),
        ("credentials.parts[0]", named(1)),
        ("credentials.parts[1]", named(1)),
        ("list[0].value", named(1)),
    ];
    assert_eq!(found, expected.each_ref().map(|(p, w)| (*p, w.as_str())));
    assert!(!shown.text.contains("hunter2") && shown.text.contains("text/html"));
    assert!(shown.text.contains("n: 7") && shown.text.contains("value: \"w\""));
}

#[test]
fn what_was_found_is_said() {
    let token = format!("ghp_{}", "Ab1".repeat(12));
    let shown = page(json!({ "body": format!("use {token}, please") }));
    assert_eq!(
        shown.text,
        "body: \"use \" [hidden: looks like a GitHub token, 40 characters] \", please\""
    );
    assert_eq!(
        shown.masked[0].sentence("mail.send"),
        "body looks like a GitHub token, 40 characters, goes to mail.send"
    );
    // The note stands outside of quotes: text cannot pretend to be one.
    let fake = page(json!({ "body": "\" [hidden: nothing] \"" }));
    assert_eq!(fake.text, r#"body: "\" [hidden: nothing] \"""#);
    assert!(fake.is_whole());
}

#[test]
fn long_strings_keep_head_and_tail_and_say_their_length() {
    let limits = Limits { string_chars: 8, total_chars: 1_000, lines: true };
    let at = |n: usize| preview(&json!({ "a": "é".repeat(n - 2) + "yz" }), limits);
    assert_eq!(at(8).text, format!("a: \"{}yz\"", "é".repeat(6)));
    assert!(at(8).is_whole());
    assert_eq!(at(9).text, format!("a: \"{}…yz\" (9 characters)", "é".repeat(6)));
    assert!(at(9).cut);
    // A secret is found where it would have been cut away, too.
    let token = format!("ghp_{}", "a".repeat(36));
    let middle = format!("{} {token} {}", "x".repeat(50), "y".repeat(50));
    let shown = preview(&json!({ "a": middle }), limits);
    assert_eq!(
        shown.text,
        "a: \"xxxxxx…\" [hidden: looks like a GitHub token, 40 characters] \"…yy\" \
         (142 characters)"
    );
    assert_eq!(shown.masked.len(), 1);
}

#[test]
fn the_whole_text_has_a_bound_and_is_searched_beyond_it() {
    let limits = Limits { string_chars: 100, total_chars: 40, lines: true };
    let items: Vec<_> = (0..50).map(|i| format!("item {i}")).collect();
    let shown = preview(&json!({ "items": items, "password": "hunter2" }), limits);
    assert!(shown.text.chars().count() < 80, "{}", shown.text);
    assert!(shown.text.ends_with("… (the rest is not shown)"));
    assert_eq!(shown.masked.len(), 1);
    assert!(shown.cut);
    let mut deep = json!("hunter2");
    for _ in 0..200 {
        deep = json!([deep]);
    }
    assert!(page(deep).cut);
}

#[test]
fn quoting_caps_and_escapes() {
    assert_eq!(quote("a \"b\" \\ c\n", 100), r#""a \"b\" \\ c\n""#);
    assert_eq!(quote("abcdef", 6), "\"abcdef\"");
    assert_eq!(quote("abcdef", 5), "\"abcde…\" (1 more characters)");
    assert_eq!(quote("", 5), "\"\"");
}
