//! What is let through without the SDK's reading is what that reading takes.

use super::*;
use serde_json::json;

/// Bodies of every method and shape that comes to mind, right and wrong.
fn bodies() -> Vec<Vec<u8>> {
    let methods = [
        "initialize",
        "ping",
        "tools/list",
        "tools/call",
        "server/discover",
        "logging/setLevel",
        "resources/read",
        "subscriptions/listen",
        "tasks/get",
        "completion/complete",
        "odd/one",
        "",
    ];
    let params = [
        json!(null),
        json!({}),
        json!({ "name": "execute", "arguments": { "code": "return [1, { a: \"\\u0000\" }]" } }),
        json!({ "name": 1, "arguments": [] }),
        json!({ "cursor": {}, "uri": 3, "level": "loud", "_meta": {} }),
        json!({ "_meta": { "progressToken": 1.5, "io.modelcontextprotocol/x": null } }),
        json!({ "_meta": 3 }),
        json!({ "_meta": null }),
        json!([1]),
        json!("text"),
        json!({ "protocolVersion": 7, "capabilities": [], "clientInfo": 1e300 }),
    ];
    let ids = [
        json!(1),
        json!("a"),
        json!(-5),
        json!(1.0),
        json!(1.5),
        json!(u64::MAX),
        json!(null),
        json!([]),
        json!(true),
    ];
    let mut out = Vec::new();
    for method in methods {
        for params in &params {
            for id in &ids {
                for version in ["2.0", "1.0"] {
                    let body =
                        json!({ "jsonrpc": version, "id": id, "method": method, "params": params });
                    out.push(body.to_string().into_bytes());
                }
            }
        }
    }
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    for odd in [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","error":{"code":1,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1e999}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\ud800"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{},"_meta":3}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        &format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":{deep}}}}}"#),
        "null",
        "{",
        "",
    ] {
        out.push(odd.as_bytes().to_vec());
    }
    out
}

#[test]
fn what_is_usual_is_what_the_sdk_takes() {
    let mut usuals = 0;
    for body in bodies() {
        let text = String::from_utf8_lossy(&body);
        let Some(read) = usual(&body) else { continue };
        usuals += 1;
        assert!(serde_json::from_slice::<ClientJsonRpcMessage>(&body).is_ok(), "{text}");
        let slowly = probe(&body);
        assert_eq!((read.method, read.id), (slowly.method, slowly.id), "{text}");
    }
    assert!(usuals > 300, "{usuals}");
}

#[test]
fn what_is_not_usual_is_read_as_before() {
    for body in bodies().into_iter().filter(|body| usual(body).is_none()) {
        let taken = serde_json::from_slice::<ClientJsonRpcMessage>(&body).is_ok();
        assert_eq!(check(&body).is_ok(), taken, "{}", String::from_utf8_lossy(&body));
    }
}
