//! The table of how results become values; each row is a kind, not a case.

use super::answer;
use crate::scrub::Scrub;
use hub_core::connection::Secret;
use hub_core::limits;
use hub_core::ports::{Answer, UpstreamErrorKind as Kind};
use serde_json::{Value, json};

fn of(result: &Value) -> Answer {
    answer(&result.to_string(), &Scrub::default()).unwrap()
}

fn value(result: &Value) -> Value {
    match of(result) {
        Answer::Value(text) => serde_json::from_str(&text).unwrap(),
        other => panic!("no value: {other:?}"),
    }
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

#[test]
fn content_becomes_a_value() {
    let image = json!({"type": "image", "data": "aGk=", "mimeType": "image/png", "_meta": {}});
    let audio = json!({"type": "audio", "data": "aGk=", "mimeType": "audio/wav"});
    let blob = json!({"type": "resource",
        "resource": {"uri": "x://b", "mimeType": "application/zip", "blob": "aGk="}});
    let page = json!({"type": "resource", "resource": {"uri": "x://t", "text": "t"}});
    let link = json!({"type": "resource_link", "uri": "x://l", "name": "l"});
    let odd = json!({"type": "json", "json": {"a": 1}});
    let table = [
        (json!([]), json!(null)),
        (json!(null), json!(null)),
        (json!([text("All done.")]), json!("All done.")),
        (json!([text("")]), json!("")),
        (json!([text("{\"id\":1}")]), json!({"id": 1})),
        (json!([text(" [1, 2]\n")]), json!([1, 2])),
        (
            json!([text("{\"id\":1}"), text("{\"id\":2}"), text("{\"id\":4}")]),
            json!([{"id": 1}, {"id": 2}, {"id": 4}]),
        ),
        (json!([odd, text("note")]), json!([{"type": "json", "json": {"a": 1}}, "note"])),
        (json!([image]), json!({"type": "image", "mimeType": "image/png", "data": "aGk="})),
        (json!([audio]), json!({"type": "audio", "mimeType": "audio/wav", "data": "aGk="})),
        (
            json!([blob]),
            json!({"type": "resource", "uri": "x://b", "mimeType": "application/zip",
                "data": "aGk="}),
        ),
        (json!([page]), json!({"type": "resource", "uri": "x://t", "text": "t"})),
        (json!([link]), link.clone()),
        (json!([{"type": "text"}]), json!({"type": "text"})),
        (json!(["bare", 7]), json!(["bare", 7])),
        (json!("a bare text"), json!("a bare text")),
    ];
    for (content, expected) in table {
        assert_eq!(value(&json!({"content": content})), expected, "{content}");
    }
}

#[test]
fn text_that_only_looks_like_json_stays_text() {
    for same in [
        "007",
        "123",
        "true",
        "null",
        "\"quoted\"",
        "[draft] hello",
        "{not json}",
        "{\"a\":1} tail",
        "[NaN]",
        "-1",
    ] {
        assert_eq!(value(&json!({"content": [text(same)]})), json!(same));
    }
}

#[test]
fn structured_content_of_any_type_wins() {
    for structured in [json!({"data": "v"}), json!([1, 2]), json!("s"), json!(7), json!(false)] {
        let result = json!({"content": [text("ok")], "structuredContent": structured,
            "isError": false, "_meta": {"t": 1}});
        assert_eq!(value(&result), structured);
    }
    // Servers that write every field write null for none.
    let result = json!({"content": [text("ok")], "structuredContent": null});
    assert_eq!(value(&result), json!("ok"));
    assert_eq!(value(&json!({"structuredContent": null})), json!(null));
    assert_eq!(value(&json!({"toolResult": {"old": true}})), json!({"old": true}));
    assert_eq!(value(&json!({"resultType": "complete", "content": []})), json!(null));
}

#[test]
fn a_failed_tool_says_why_in_its_own_words() {
    let table = [
        (json!({"content": [text("Repo not found: acme/x")]}), "Repo not found: acme/x"),
        (json!({"content": [text("permission denied")]}), "permission denied"),
        (json!({"content": [text("a"), text("b")]}), "a\nb"),
        (json!({"content": [text("{\"error\":\"x\"}")]}), "{\"error\":\"x\"}"),
        (json!({"content": [text("said")], "structuredContent": {"e": 1}}), "said"),
        (json!({"content": [], "structuredContent": {"e": 1}}), "{\"e\":1}"),
        (json!({"content": "bare"}), "bare"),
        (json!({"content": []}), "the tool failed and did not say why"),
        (json!({}), "the tool failed and did not say why"),
    ];
    for (mut result, words) in table {
        result["isError"] = json!(true);
        assert_eq!(of(&result), Answer::ToolError(words.to_owned()));
    }
    let long = "x".repeat(limits::TOOL_ERROR_CHARS + 1);
    let result = json!({"content": [text(&long)], "isError": true});
    let Answer::ToolError(words) = of(&result) else { panic!("no error") };
    assert_eq!(words.chars().count(), limits::TOOL_ERROR_CHARS + 1);
    assert!(words.ends_with('…'));
}

#[test]
fn digits_that_a_double_would_lose_are_kept_as_strings() {
    let big = "{\"id\":9007199254740993,\"low\":-9007199254740993,\"ok\":9007199254740991,\
        \"huge\":123456789012345678901234567890,\"far\":1e999,\"f\":1.5,\"t\":\"9007199254740993\"}";
    let expected = json!({"id": "9007199254740993", "low": "-9007199254740993",
        "ok": 9_007_199_254_740_991_u64, "huge": "123456789012345678901234567890",
        "far": "1e999", "f": 1.5, "t": "9007199254740993"});
    assert_eq!(value(&json!({"content": [text(big)]})), expected);
    let raw = format!("{{\"structuredContent\":{big}}}");
    let Answer::Value(read) = answer(&raw, &Scrub::default()).unwrap() else { panic!() };
    assert_eq!(serde_json::from_str::<Value>(&read).unwrap(), expected);
}

#[test]
fn nearly_json_is_mended() {
    let raw = "{\"content\":[],\"structuredContent\":{\"v\":NaN,\"w\":-Infinity,\"s\":\"NaN\"}}";
    let Answer::Value(read) = answer(raw, &Scrub::default()).unwrap() else { panic!() };
    assert_eq!(read, "{\"v\":null,\"w\":null,\"s\":\"NaN\"}");
}

#[test]
fn the_limit_is_exact() {
    let fits = "x".repeat(limits::TOOL_RESULT_BYTES - 2);
    assert!(matches!(of(&json!({"content": [text(&fits)]})), Answer::Value(_)));
    let over = json!({"content": [text(&format!("{fits}x"))]});
    let error = answer(&over.to_string(), &Scrub::default()).unwrap_err();
    assert_eq!(error.kind, Kind::TooLarge);
    assert!(error.message.contains(&limits::TOOL_RESULT_BYTES.to_string()));
}

#[test]
fn input_required_is_handed_on_byte_for_byte() {
    let result = json!({"resultType": "input_required", "requestState": "s \u{e9}\n",
        "inputRequests": {"k": {"method": "elicitation/create", "params": {"message": "m"}}}});
    let Answer::InputRequired { request_state, requests } = of(&result) else { panic!() };
    assert_eq!(request_state.as_deref(), Some("s \u{e9}\n"));
    assert_eq!(requests, result["inputRequests"].to_string());
    let only_state = json!({"resultType": "input_required", "requestState": ""});
    assert!(matches!(of(&only_state), Answer::InputRequired { requests, .. } if requests == "{}"));
}

#[test]
fn answers_that_make_no_sense_are_refused() {
    for raw in [
        "7",
        "\"text\"",
        "[]",
        "null",
        "{\"resultType\":\"task\",\"taskId\":\"t\"}",
        "{\"resultType\":\"input_required\"}",
        "{\"resultType\":\"input_required\",\"inputRequests\":[]}",
        "{\"resultType\":\"input_required\",\"requestState\":1}",
        "{\"content\":",
    ] {
        let error = answer(raw, &Scrub::default()).unwrap_err();
        assert_eq!(error.kind, Kind::BadResponse, "{raw}");
    }
    let deep = format!("{{\"structuredContent\":{}{}}}", "[".repeat(400), "]".repeat(400));
    assert_eq!(answer(&deep, &Scrub::default()).unwrap_err().kind, Kind::BadResponse);
    // As text it is harmless.
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(value(&json!({"content": [text(&deep)]})), json!(deep));
}

#[test]
fn a_credential_that_comes_back_is_taken_out() {
    let scrub = Scrub::new(vec![Secret::new("tok_0123456789abcdef")]);
    let echo = json!({"content": [text("{\"auth\":\"Bearer tok_0123456789abcdef\"}")]});
    let Answer::Value(read) = answer(&echo.to_string(), &scrub).unwrap() else { panic!() };
    assert_eq!(read, "{\"auth\":\"Bearer [secret]\"}");
}
