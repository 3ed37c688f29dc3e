//! What tools answer, as a program sees it and as it reaches the client.

use crate::support::{Agent, Served, TestHub};
use hub_core::catalog::Transport;
use serde_json::{Value, json};

/// A result of a tool that promises `{data: string}` or nothing, what the program gets (or the
/// words of the error), and whether it fails.
fn table() -> Vec<(Value, Value, bool)> {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let said = |words: &str| json!({ "content": [text(words)] });
    let structured = |value: Value| json!({ "content": [], "structuredContent": value });
    let failed = |words: &str| json!({ "content": [text(words)], "isError": true });
    vec![
        // The server's own words are never hidden behind the promise it broke.
        (failed("Repo not found: acme/x"), json!("Repo not found: acme/x"), true),
        (
            json!({ "content": [text("no")], "structuredContent": { "data": 7 }, "isError": true }),
            json!("no"),
            true,
        ),
        (said("All done."), json!("All done."), false),
        (structured(json!({ "data": "v" })), json!({ "data": "v" }), false),
        (structured(json!({ "other": 1 })), json!({ "other": 1 }), false),
        (structured(json!([1, "a", null])), json!([1, "a", null]), false),
        (structured(json!("text")), json!("text"), false),
        (structured(json!(false)), json!(false), false),
        (structured(json!(0)), json!(0), false),
        (
            json!({ "content": [text("ok")], "structuredContent": { "data": "v" },
                "isError": false, "_meta": { "t": 1 } }),
            json!({ "data": "v" }),
            false,
        ),
        (
            json!({ "content": [text("{\"id\":1}"), text("{\"id\":2}"), text("{\"id\":4}")] }),
            json!([{ "id": 1 }, { "id": 2 }, { "id": 4 }]),
            false,
        ),
        (said("{\"id\":1}"), json!({ "id": 1 }), false),
        (
            json!({ "content": [{ "type": "json", "json": { "a": 1 } }, text("note")] }),
            json!([{ "type": "json", "json": { "a": 1 } }, "note"]),
            false,
        ),
        (json!({ "content": [] }), json!(null), false),
        (json!({}), json!(null), false),
        (
            said("{\"id\":9007199254740993,\"ok\":true}"),
            json!({ "id": "9007199254740993", "ok": true }),
            false,
        ),
        (said("007"), json!("007"), false),
        (said("123"), json!("123"), false),
        (said("true"), json!("true"), false),
        (said("\"quoted\""), json!("\"quoted\""), false),
        (said("[draft] hello"), json!("[draft] hello"), false),
        (said("[{'n': 42}]"), json!("[{'n': 42}]"), false),
    ]
}

/// Bytes that are nobody's to read.
fn base64(bytes: usize) -> String {
    "QUJD".repeat(bytes / 4)
}

fn media() -> Value {
    json!({ "content": [
        { "type": "text", "text": "chart" },
        { "type": "image", "data": base64(2 << 20), "mimeType": "image/png" },
        { "type": "audio", "data": base64(1 << 20), "mimeType": "audio/wav" },
        { "type": "resource", "resource": { "uri": "x://b", "mimeType": "application/zip",
            "blob": base64(1 << 20) } },
    ] })
}

/// A hub with a source whose tool `r<n>` answers row `n` of the table, and `media` media.
fn hub() -> TestHub {
    let served = Served::start(|_, method, params| {
        let promise = json!({ "type": "object", "properties": { "data": { "type": "string" } },
            "required": ["data"] });
        let tool = |n: usize| {
            json!({ "name": format!("r{n}"), "inputSchema": { "type": "object" },
                "outputSchema": promise, "annotations": { "readOnlyHint": true } })
        };
        match (method, params["name"].as_str()) {
            ("tools/list", _) => {
                let mut tools: Vec<Value> = (0..table().len()).map(tool).collect();
                tools.push(json!({ "name": "media", "annotations": { "readOnlyHint": true } }));
                json!({ "tools": tools })
            }
            (_, Some("media")) => media(),
            (_, name) => {
                let row = name.and_then(|name| name[1..].parse::<usize>().ok()).unwrap();
                table().swap_remove(row).0
            }
        }
    });
    let hub = TestHub::start();
    let added = hub.add_at("demo", Transport::Http { url: served.url("/") });
    assert_eq!((added.view.problem, added.view.broken.len()), (None, 0));
    hub
}

#[test]
fn a_program_sees_each_result_as_it_was_meant() {
    let hub = hub();
    let agent = Agent::with(&hub, hub.key());
    let calls: Vec<String> = (0..table().len())
        .map(|n| format!("await demo.r{n}({{}}).then((v) => [v, false], (e) => [e.message, true])"))
        .collect();
    let envelope = agent.execute(json!({ "code": format!("return [{}];", calls.join(", ")) }));
    assert_eq!(envelope["status"], "completed", "{envelope:#}");
    for (n, (result, value, fails)) in table().into_iter().enumerate() {
        assert_eq!(envelope["result"][n], json!([value, fails]), "{result}");
    }
    // A failure that nobody catches is the client's to see.
    let result = agent.call("execute", json!({ "code": "return await demo.r0({});" }));
    assert_eq!(result["isError"], true);
    let error = &result["structuredContent"]["error"];
    assert!(error["message"].as_str().unwrap().contains("Repo not found: acme/x"), "{error}");
}

#[test]
fn media_reach_the_program_and_not_the_model() {
    let hub = hub();
    let agent = Agent::with(&hub, hub.key());
    let code = "const [text, image, audio, file] = await demo.media({});
        return [text, image.mimeType, image.data.length, audio.data.length, file.data.length];";
    let envelope = agent.execute(json!({ "code": code }));
    assert_eq!(envelope["result"], json!(["chart", "image/png", 2 << 20, 1 << 20, 1 << 20]));
    for code in ["return await demo.media({});", "return (await demo.media({}))[1];"] {
        let result = agent.call("execute", json!({ "code": code }));
        assert!(result.to_string().len() < 20_000, "{} bytes", result.to_string().len());
        assert!(result.to_string().contains("image/png"), "{result}");
        let notices = result["structuredContent"]["notices"].to_string();
        assert!(notices.contains("left out"), "{notices}");
    }
}
