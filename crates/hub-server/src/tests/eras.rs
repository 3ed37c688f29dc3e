//! The SDK's own client in both eras, and the frame of stateless answers.

use crate::tests::support::{Script, Server, rpc};
use rmcp::model::{
    CallToolRequestParams, ClientConfig, Implementation, JsonObject, ProtocolVersion,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};

/// A client that declares nothing.
#[derive(Clone)]
pub struct Plain(ProtocolVersion);

impl Plain {
    pub fn of(version: ProtocolVersion) -> Self {
        Self(version)
    }
}

impl ClientHandler for Plain {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(Default::default(), Implementation::new("plain", "1"))
            .with_protocol_version(self.0.clone())
    }
}

pub fn lifecycle(version: &ProtocolVersion) -> ClientLifecycleMode {
    if version.has_initialize() {
        ClientLifecycleMode::Initialize
    } else {
        ClientLifecycleMode::Discover { preferred_versions: vec![version.clone()] }
    }
}

pub fn transport(server: &Server) -> impl rmcp::transport::Transport<RoleClient> + 'static {
    // Already there when another test of this process was first.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let config = StreamableHttpClientTransportConfig::with_uri(server.url()).auth_header("token-a");
    StreamableHttpClientTransport::from_config(config)
}

async fn connect(server: &Server, version: ProtocolVersion) -> RunningService<RoleClient, Plain> {
    let mode = lifecycle(&version);
    Plain(version).serve_with_lifecycle(transport(server), mode).await.unwrap()
}

pub fn arguments(value: Value) -> JsonObject {
    value.as_object().unwrap().clone()
}

#[tokio::test]
async fn the_official_client_does_the_main_job_in_every_revision() {
    let server = Server::start().await;
    for version in ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] {
        let version: ProtocolVersion = serde_json::from_value(json!(version)).unwrap();
        let client = connect(&server, version.clone()).await;
        let info = client.peer_info().expect("the server said who it is");
        assert_eq!(info.protocol_version, version);
        assert_eq!(info.instructions.as_deref(), Some("Connected for a: github."), "{version}");
        let server_name = info.server_info.as_ref().map(|info| info.name.as_str());
        assert_eq!(server_name, Some("capabilities"), "{version}");

        let tools = client.list_all_tools().await.unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(names, ["search", "describe", "execute"], "{version}");
        assert!(client.list_all_prompts().await.unwrap().is_empty());
        assert!(client.list_all_resources().await.unwrap().is_empty());

        for (tool, given, text) in [
            ("search", json!({ "query": "issues" }), "found \"issues\" in None"),
            ("describe", json!({ "targets": ["a.b", "c"] }), "a.b and c"),
        ] {
            let call = CallToolRequestParams::new(tool).with_arguments(arguments(given));
            let result = client.call_tool(call).await.unwrap();
            assert_eq!(result.content[0].as_text().unwrap().text, text, "{version}");
        }
        let given = arguments(json!({ "code": "return 1" }));
        let call = CallToolRequestParams::new("execute").with_arguments(given);
        let result = client.call_tool(call).await.unwrap();
        let envelope = result.structured_content.unwrap();
        assert_eq!(envelope["result"], "return 1", "{version}");
        assert_eq!(result.is_error, Some(false));
        let line = &result.content[0].as_text().unwrap().text;
        assert_eq!(line, "completed run_1 · 0 calls · 7 ms | \"return 1\" | note: mind this");
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn a_version_that_is_not_spoken_names_those_that_are() {
    let server = Server::start().await;
    let got = server.greet("2024-11-05", json!({})).await;
    assert_eq!(got.json()["result"]["protocolVersion"], "2025-11-25");
    let ask = server.modern("tools/list", json!({}), json!({}));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2099-01-01",
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    let ask = ask.with("MCP-Protocol-Version", "2099-01-01").body(rpc(
        1,
        "tools/list",
        json!({ "_meta": meta }),
    ));
    let got = ask.send().await;
    assert_eq!(got.status, 400);
    assert_eq!(got.json()["error"]["code"], -32022);
    let supported = json!(["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]);
    assert_eq!(got.json()["error"]["data"]["supported"], supported);
}

#[tokio::test]
async fn headers_that_contradict_the_body_are_refused() {
    let server = Server::start().await;
    let call = || server.execute(json!({ "code": "1" }));
    for (ask, why) in [
        (call().with("Mcp-Method", "tools/list"), "method"),
        (call().without("Mcp-Method"), "no method"),
        (call().with("Mcp-Name", "search"), "name"),
        (call().without("Mcp-Name"), "no name"),
        (call().with("MCP-Protocol-Version", "2025-11-25"), "version"),
    ] {
        let got = ask.send().await;
        assert_eq!(got.status, 400, "{why}");
        assert_eq!(got.json()["error"]["code"], -32020, "{why}");
    }
}

#[tokio::test]
async fn every_stateless_answer_says_who_gave_it_and_that_it_is_complete() {
    let server = Server::start().await;
    let none = || json!({});
    for ask in [
        server.modern("server/discover", none(), none()),
        server.modern("tools/list", none(), none()),
        server.modern("prompts/list", none(), none()),
        server.modern("resources/list", none(), none()),
        server.modern("resources/templates/list", none(), none()),
        server.call("search", json!({ "query": "x" }), none()),
        server.call("describe", json!({ "targets": ["x"] }), none()),
        server.execute(json!({ "code": "1" })),
        server.execute(json!({ "code": "busy" })),
    ] {
        let got = ask.send().await;
        let result = &got.json()["result"];
        assert_eq!(result["resultType"], "complete", "{got:?}");
        let said = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(said["name"], "capabilities", "{got:?}");
        if result.get("content").is_none() {
            assert_eq!(result["cacheScope"], "private", "{got:?}");
            assert!(result["ttlMs"].is_u64(), "{got:?}");
        }
    }
}

#[tokio::test]
async fn what_declared_changes_nothing_is_acknowledged_as_nothing() {
    let server = Server::start().await;
    let params = json!({ "notifications": { "toolsListChanged": true } });
    let mut stream = server.modern("subscriptions/listen", params, json!({})).open().await;
    let seen = crate::tests::attendance::read_until(&mut stream, "acknowledged").await;
    assert!(!seen.contains("toolsListChanged"), "{seen}");
}

#[tokio::test]
async fn exactly_one_of_code_and_resume() {
    let server = Server::start().await;
    for arguments in [
        json!({}),
        json!({ "code": null }),
        json!({ "code": "1", "resume": "last" }),
        json!({ "code": 1 }),
        json!({ "resume": ["last"] }),
    ] {
        let got = server.execute(arguments.clone()).send().await;
        assert_eq!(got.json()["error"]["code"], -32602, "{arguments}");
    }
    let got = server.execute(json!({ "code": "1", "resume": null })).send().await;
    assert_eq!(got.json()["result"]["isError"], false);
}

#[tokio::test]
async fn what_a_model_can_mend_is_told_in_the_result() {
    let server = Server::start().await;
    for (given, says) in [
        (json!({ "resume": "run_9" }), "run_not_found: no run run_9"),
        (json!({ "code": "busy" }), "busy: too many runs. Try again in a moment."),
    ] {
        let got = server.execute(given).send().await;
        let result = &got.json()["result"];
        assert_eq!(result["isError"], true);
        assert_eq!(result["content"][0]["text"], says);
        let code = says.split(':').next().unwrap();
        assert_eq!(result["structuredContent"]["error"]["code"], code);
        assert_eq!(result["structuredContent"]["status"], "failed");
    }
    let got = server.execute(json!({ "code": "bad" })).send().await;
    assert_eq!(got.json()["error"]["code"], -32602);
    let got = server.execute(json!({ "code": "fail" })).send().await;
    assert_eq!(got.json()["result"]["isError"], true);
    assert_eq!(got.json()["result"]["structuredContent"]["status"], "failed");
}

#[tokio::test]
async fn the_summary_line_leaves_the_result_out() {
    let server = Server::start().await;
    let ask = server.execute(json!({ "code": "a | b" })).path("/mcp?text=summary");
    let result = ask.send().await.json()["result"].take();
    assert_eq!(result["structuredContent"]["result"], "a | b");
    let line = "completed run_1 · 0 calls · 7 ms | note: mind this";
    assert_eq!(result["content"][0]["text"], line);
}

#[tokio::test]
async fn the_caller_is_who_the_key_says() {
    let server = Server::start().await;
    server.execute(json!({ "code": "1" })).with("Authorization", "Bearer token-b").send().await;
    let ask = server.execute(json!({ "code": "1" })).path("/mcp?elicitation_mode=browser");
    ask.send().await;
    let Script { callers, .. } = &*server.script;
    let callers = callers.lock().unwrap();
    assert_eq!(callers[0].owner, hub_testkit::fixtures::owner("b"));
    assert_eq!(callers[0].client, "b");
    assert_eq!(callers[0].mode, hub_core::owner::ElicitationMode::Auto);
    assert_eq!(callers[1].owner, hub_testkit::fixtures::owner("a"));
    assert_eq!(callers[1].mode, hub_core::owner::ElicitationMode::Browser);
}
