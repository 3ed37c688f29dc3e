//! Every way a request can be wrong before a handler sees it.

use crate::tests::support::{Ask, Server, rpc};
use hub_core::limits::REQUEST_BYTES;
use serde_json::json;

fn list(server: &Server) -> Ask {
    server.modern("tools/list", json!({}), json!({}))
}

#[tokio::test]
async fn a_request_without_a_good_key_is_challenged() {
    let server = Server::start().await;
    let plain = "Bearer realm=\"capabilities\"";
    let invalid = "Bearer realm=\"capabilities\", error=\"invalid_token\"";
    for (authorization, challenge) in [
        (None, plain),
        (Some(""), plain),
        (Some("Bearer"), plain),
        (Some("Bearer "), plain),
        (Some("Basic token-a"), plain),
        (Some("Bearer nonsense"), invalid),
        (Some("Bearer token-revoked"), invalid),
    ] {
        let ask = list(&server).without("Authorization");
        let ask = match authorization {
            Some(value) => ask.with("Authorization", value),
            None => ask,
        };
        let got = ask.send().await;
        assert_eq!(got.status, 401, "{authorization:?}");
        assert_eq!(got.header("www-authenticate"), Some(challenge), "{authorization:?}");
        assert_eq!(got.json()["kind"], "unauthorized");
    }
    let got = list(&server).with("Authorization", "bearer token-a").send().await;
    assert_eq!(got.status, 200, "{got:?}");
}

#[tokio::test]
async fn the_host_is_ours_with_its_port_on_every_route() {
    let server = Server::start().await;
    let port = server.port;
    for path in ["/mcp", "/healthz", "/readyz", "/elsewhere"] {
        for host in [
            "evil.example".to_owned(),
            format!("evil.example:{port}"),
            "127.0.0.1".to_owned(),
            "localhost".to_owned(),
            format!("127.0.0.1:{}", port ^ 1),
            format!("127.0.0.1.evil.example:{port}"),
            String::new(),
        ] {
            let got = list(&server).path(path).with("Host", &host).send().await;
            assert_eq!(got.status, 403, "{path} {host}");
        }
    }
    for host in ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"] {
        let got = list(&server).with("Host", &format!("{host}:{port}")).send().await;
        assert_eq!(got.status, 200, "{host}");
    }
    let absolute = format!("http://evil.example:{port}/mcp");
    assert_eq!(list(&server).path(&absolute).send().await.status, 403);
}

#[tokio::test]
async fn pages_of_other_origins_are_refused() {
    let server = Server::start().await;
    for origin in [
        "http://evil.example",
        "https://evil.example",
        "null",
        "file://",
        "http://localhost.evil.example",
        "http://localhost@evil.example",
        "http://127.0.0.1.evil.example:4312",
        "http://localhost/path",
        "",
    ] {
        let got = list(&server).with("Origin", origin).send().await;
        assert_eq!(got.status, 403, "{origin}");
        assert_eq!(got.header("access-control-allow-origin"), None, "{origin}");
    }
    for origin in ["http://localhost:6274", "http://127.0.0.1", "http://[::1]:8080"] {
        let got = list(&server).with("Origin", origin).send().await;
        assert_eq!(got.status, 200, "{origin}");
        assert_eq!(got.header("access-control-allow-origin"), Some(origin));
        assert_eq!(got.header("vary"), Some("Origin"));
    }
}

#[tokio::test]
async fn a_preflight_of_a_local_page_is_answered_without_a_key() {
    let server = Server::start().await;
    let ask = Ask::new(server.port, "OPTIONS", "/mcp")
        .with("Origin", "http://localhost:6274")
        .with("Access-Control-Request-Method", "POST");
    let got = ask.clone().send().await;
    assert_eq!(got.status, 204);
    assert_eq!(got.header("access-control-allow-origin"), Some("http://localhost:6274"));
    assert!(got.header("access-control-allow-headers").unwrap().contains("Mcp-Session-Id"));
    let named = "mcp-method, Mcp-Param-Region, x-other, mcp-param-a";
    let named = ask.clone().with("Access-Control-Request-Headers", named).send().await;
    let allowed = named.header("access-control-allow-headers").unwrap();
    assert!(allowed.ends_with("Last-Event-ID, mcp-param-region, mcp-param-a"), "{allowed}");
    assert!(got.header("access-control-expose-headers").unwrap().contains("Mcp-Session-Id"));
    assert_eq!(ask.with("Origin", "http://evil.example").send().await.status, 403);
}

#[tokio::test]
async fn the_body_is_bounded_at_its_edge() {
    let server = Server::start().await;
    let padded =
        |bytes: usize| server.modern("tools/list", json!({}), json!({})).body(rpc_with_pad(bytes));
    let got = padded(REQUEST_BYTES).send().await;
    assert_eq!(got.status, 200, "{}", got.body);
    let got = padded(REQUEST_BYTES + 1).send().await;
    assert_eq!(got.status, 413);
    // A length that lies is found out while reading, and one that boasts is refused at once.
    let got = list(&server).with("Content-Length", &(REQUEST_BYTES + 1).to_string()).send().await;
    assert_eq!(got.status, 413);
    let chunk =
        format!("{:x}\r\n{}\r\n0\r\n\r\n", REQUEST_BYTES + 1, "x".repeat(REQUEST_BYTES + 1));
    let got = list(&server).with("Transfer-Encoding", "chunked").body(chunk).send().await;
    assert_eq!(got.status, 413);
}

fn rpc_with_pad(bytes: usize) -> String {
    let params = |pad: String| {
        json!({
            "pad": pad,
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {}
            }
        })
    };
    let bare = rpc(1, "tools/list", params(String::new())).len();
    rpc(1, "tools/list", params("x".repeat(bytes - bare)))
}

#[tokio::test]
async fn what_is_no_json_rpc_is_said_to_be_none() {
    let server = Server::start().await;
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200));
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        ("secret-value", -32700),
        (deep.as_str(), -32700),
        ("{}", -32600),
        ("\"secret-value\"", -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        ("[", -32700),
        ("[]", -32600),
        ("[1]", -32600),
    ] {
        let got = server.post(body).send().await;
        assert_eq!(got.status, 400, "{body}");
        assert_eq!(got.json()["error"]["code"], code, "{body}");
        assert!(!got.body.contains("secret-value"), "{body}");
    }
}

#[tokio::test]
async fn a_request_of_a_known_method_with_a_wrong_shape_has_wrong_params() {
    let server = Server::start().await;
    for (method, params, code) in [
        ("tools/call", json!({}), -32602),
        ("tools/call", json!({ "name": 1 }), -32602),
        ("tools/call", json!({ "name": "fetch" }), -32602),
        ("tools/list", json!({ "cursor": "x" }), -32602),
        ("prompts/get", json!({ "name": "none" }), -32602),
        ("resources/read", json!({ "uri": "none://" }), -32602),
        ("tools/destroy", json!({}), -32601),
        ("ping", json!({}), -32601),
        ("initialize", json!({}), -32601),
        ("logging/setLevel", json!({ "level": "info" }), -32601),
        ("logging/setLevel", json!({}), -32601),
        ("resources/subscribe", json!({}), -32601),
        ("completion/complete", json!({}), -32601),
    ] {
        let mut ask = server.modern(method, params.clone(), json!({}));
        if let Some(name) = params.get("name").or(params.get("uri")) {
            let name = name.as_str().map_or_else(|| name.to_string(), str::to_owned);
            ask = ask.with("Mcp-Name", &name);
        }
        let got = ask.send().await;
        assert_eq!(got.json()["error"]["code"], code, "{method} {params} {got:?}");
        if code == -32601 {
            assert_eq!(got.status, 404, "{method}");
        }
    }
}

#[tokio::test]
async fn the_url_only_narrows() {
    let server = Server::start().await;
    let call = || server.execute(json!({ "code": "1" }));
    for (query, status) in [
        ("elicitation_mode=browser", 200),
        ("text=summary", 200),
        ("profile=default", 200),
        ("utm=x", 200),
        ("elicitation_mode=native", 400),
        ("elicitation_mode=model", 400),
        ("elicitation_mode=", 400),
        ("text=short", 400),
        ("profile=other", 404),
    ] {
        let got = call().path(&format!("/mcp?{query}")).send().await;
        assert_eq!(got.status, status, "{query} {got:?}");
    }
}

#[tokio::test]
async fn nothing_else_is_served_and_probes_say_little() {
    let server = Server::start().await;
    for path in ["/", "/api/sources/list", "/api/hub/stop", "/mcp/x"] {
        let got = server.post("{}").path(path).send().await;
        assert_eq!(got.status, 404, "{path}");
    }
    assert_eq!(Ask::new(server.port, "GET", "/healthz").send().await.status, 200);
    assert_eq!(Ask::new(server.port, "DELETE", "/healthz").send().await.status, 405);
    let got = Ask::new(server.port, "GET", "/readyz").send().await;
    assert_eq!(got.status, 503);
    assert!(!got.body.contains("secret"), "{}", got.body);
}

#[tokio::test]
async fn sloppy_accept_headers_are_understood() {
    let server = Server::start().await;
    for accept in [None, Some("*/*"), Some("application/json"), Some("text/event-stream")] {
        let ask = list(&server).without("Accept");
        let ask = match accept {
            Some(accept) => ask.with("Accept", accept),
            None => ask,
        };
        let got = ask.send().await;
        assert_eq!(got.status, 200, "{accept:?}");
        assert_eq!(got.json()["result"]["tools"].as_array().unwrap().len(), 3, "{accept:?}");
    }
    assert_eq!(list(&server).with("Accept", "text/html").send().await.status, 406);
}

#[tokio::test]
async fn a_client_that_reads_json_only_gets_json_in_every_era() {
    let server = Server::start().await;
    let session = server.session("2025-06-18", json!({ "elicitation": {} })).await;
    let params = json!({
        "name": "execute",
        "arguments": { "code": "ask" },
        "_meta": { "progressToken": 1 }
    });
    let ask = server
        .post(rpc(7, "tools/call", params))
        .with("Mcp-Session-Id", &session)
        .with("Accept", "application/json");
    let got = ask.send().await;
    assert_eq!(got.header("content-type"), Some("application/json"));
    assert_eq!(got.json()["id"], 7);
    // Nothing can be asked of it before the answer.
    let status = &got.json()["result"]["structuredContent"]["status"];
    assert_eq!(status, "awaiting_approval");
}
