use super::*;
use serde_json::json;

fn only(text: &str) -> Incoming {
    let mut read = read(text);
    assert_eq!(read.len(), 1, "{text}");
    read.remove(0)
}

#[test]
fn what_is_no_json_rpc_is_noise() {
    for text in [
        "",
        "Demo MCP Server version : 1.2",
        "[db] Connected to /x.db",
        "Response headers: {",
        "}",
        "  'access-control': '*'",
        "42",
        "null",
        "\"text\"",
        "{",
        "{\"a\":}",
        "{\"level\":\"info\",\"msg\":\"started\"}",
        "{\"status\":200,\"message\":\"Success\",\"results\":[]}",
        "{\"id\":1,\"result\":{}}",
        "{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1}",
        "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"method\":7}",
    ] {
        let noise = read(text).iter().all(|message| matches!(message, Incoming::Noise(_)));
        assert!(noise, "{text}");
    }
    assert!(read("[]").is_empty());
    let stray = only("{\"error\":\"Session not found\"}");
    assert!(matches!(stray, Incoming::Noise(Some(text)) if text == "Session not found"));
}

#[test]
fn answers_are_known_by_their_id_as_number_or_text() {
    for id in ["7", "\"7\""] {
        let text = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"big\":1e2}}}}");
        let Incoming::Response { id: Some(7), outcome: Ok(raw) } = only(&text) else { panic!() };
        assert_eq!(raw.get(), "{\"big\":1e2}");
    }
    let unknown =
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse\"}}";
    let Incoming::Response { id: None, outcome: Err(error) } = only(unknown) else { panic!() };
    assert_eq!((error.code, error.message.as_str()), (-32700, "Parse"));
    let batch =
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1},{\"jsonrpc\":\"2.0\",\"method\":\"m\"}]";
    assert_eq!(read(batch).len(), 2);
}

#[test]
fn mending_changes_only_what_is_no_json() {
    let table = [
        ("{\"v\":NaN,\"w\":-Infinity,\"x\":Infinity}", "{\"v\":null,\"w\":null,\"x\":null}"),
        ("[\"NaN\",\"a\\\"NaN\"]", "[\"NaN\",\"a\\\"NaN\"]"),
        (
            "[\"\\ud800\",\"\\udc00x\",\"\\ud83d\\ude00\"]",
            "[\"\\ufffd\",\"\\ufffdx\",\"\\ud83d\\ude00\"]",
        ),
        ("[\"tab\there\"]", "[\"tab\\u0009here\"]"),
        ("[12345678901234567890123]", "[12345678901234567890123]"),
        ("[\"\\\\\",NaN]", "[\"\\\\\",null]"),
        ("\"open", "\"open"),
        ("\"\\", "\"\\"),
        ("\"\\u12", "\"\\u12"),
        ("ñNaN", "ñnull"),
    ];
    for (from, to) in table {
        assert_eq!(mend(from, false), to);
    }
    assert_eq!(
        mend("[9007199254740992,-1,0,1E400]", true),
        "[\"9007199254740992\",-1,0,\"1E400\"]"
    );
    // What was no JSON does not become any.
    for key in ["{9007199254740992:1}", "{\"a\":1,-9007199254740993 : 1}", "{1e999\n:1}"] {
        assert_eq!(mend(key, true), key);
    }
}

#[test]
fn ids_of_messages_that_are_not_kept() {
    let table = [
        ("{\"jsonrpc\":\"2.0\",\"id\":12,\"result\":{\"id\":9}}", Some(12)),
        (
            "{\"result\":{\"id\":9,\"t\":\"\\\"id\\\":3}\"},\"id\": 12 , \"jsonrpc\":\"2.0\"}",
            Some(12),
        ),
        ("{\"result\":{\"x\":[1,{\"id\":2}]},\"id\":\"12\"}", Some(12)),
        ("{\"result\":\"id\",\"idx\":4}", None),
        ("[{\"id\":1}]", None),
    ];
    for (text, id) in table {
        for size in [1, 3, text.len()] {
            let mut scanner = IdScanner::default();
            text.as_bytes().chunks(size).for_each(|chunk| scanner.feed(chunk));
            assert_eq!(scanner.id, id, "{text} by {size}");
        }
    }
}

#[test]
fn messages_are_one_line() {
    let params = raw(&json!({"text": "a\nb"}));
    let text = request(1, "tools/call", &params);
    assert_eq!(
        text,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"text\":\"a\\nb\"}}"
    );
    assert_eq!(
        response(&json!("x"), &raw(&json!({}))),
        "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}"
    );
}
