//! Forms: `input_required` for stateless clients, `elicitation/create` for older ones.

use crate::tests::attendance::read_until;
use crate::tests::eras::{arguments, lifecycle, transport};
use crate::tests::support::{PENDING, Server, rpc};
use hub_engine::Forms;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationCapability, FormElicitationCapability, Implementation,
    ProtocolVersion,
};
use rmcp::service::{ClientServiceExt, RequestContext};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde_json::{Value, json};

fn ask() -> Value {
    json!({ "code": "ask" })
}

#[tokio::test]
async fn a_stateless_client_that_declares_forms_gets_them() {
    let server = Server::start().await;
    for (capabilities, forms) in [
        (json!({}), false),
        (json!({ "elicitation": {} }), true),
        (json!({ "elicitation": { "form": {} } }), true),
        (json!({ "elicitation": { "form": {}, "url": {} } }), true),
        (json!({ "elicitation": { "url": {} } }), false),
        (json!({ "sampling": {}, "roots": {} }), false),
    ] {
        let got = server.call("execute", ask(), capabilities.clone()).send().await;
        let result = &got.json()["result"];
        if !forms {
            assert_eq!(result["structuredContent"]["status"], "awaiting_approval");
            continue;
        }
        assert_eq!(result["resultType"], "input_required", "{capabilities}");
        assert_eq!(result["requestState"], "sealed");
        let request = &result["inputRequests"][PENDING];
        assert_eq!(request["method"], "elicitation/create");
        assert_eq!(request["params"]["mode"], "form");
        assert_eq!(request["params"]["message"], "May this be sent?");
        let choices = &request["params"]["requestedSchema"]["properties"]["choice"]["oneOf"];
        assert_eq!(choices[1], json!({ "const": "deny", "title": "Deny" }));
        let said = &result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"];
        assert_eq!(said, "capabilities");
    }
}

#[tokio::test]
async fn answers_come_back_with_the_state() {
    let server = Server::start().await;
    let retry = |state: &str| {
        let params = json!({
            "name": "execute",
            "arguments": ask(),
            "requestState": state,
            "inputResponses": { PENDING: { "action": "decline" }, "unknown": 1 }
        });
        server.modern("tools/call", params, json!({})).with("Mcp-Name", "execute")
    };
    let got = retry("sealed").send().await;
    let result = &got.json()["result"]["structuredContent"]["result"];
    assert_eq!(result[PENDING]["action"], "decline");
    let got = retry("broken").send().await;
    assert_eq!(got.json()["error"]["code"], -32602);
    let says = "the request state does not belong to this request; start over";
    assert_eq!(got.json()["error"]["message"], says);
}

/// A client whose person accepts.
#[derive(Clone)]
struct Accepts(ProtocolVersion);

impl ClientHandler for Accepts {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        let forms = ElicitationCapability::new().with_form(FormElicitationCapability::new());
        capabilities.elicitation = Some(forms);
        ClientConfig::new(capabilities, Implementation::new("accepts", "1"))
            .with_protocol_version(self.0.clone())
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        assert!(matches!(request, ElicitRequestParams::FormElicitationParams { .. }));
        let chosen = json!({ "choice": "allow once" });
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(chosen))
    }
}

#[tokio::test]
async fn the_official_client_answers_forms_in_both_eras() {
    let server = Server::start().await;
    for version in [ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2026_07_28] {
        let mode = lifecycle(&version);
        let client = Accepts(version.clone());
        let client = client.serve_with_lifecycle(transport(&server), mode).await.unwrap();
        let call = CallToolRequestParams::new("execute").with_arguments(arguments(ask()));
        let result = client.call_tool(call).await.unwrap();
        let answer = result.structured_content.unwrap()["result"].take();
        let answer = if version.has_initialize() { &answer } else { &answer[PENDING] };
        assert_eq!(answer["action"], "accept", "{version}");
        assert_eq!(answer["content"]["choice"], "allow once", "{version}");
        client.cancel().await.unwrap();
    }
    let callers = server.script.callers.lock().unwrap();
    assert!(matches!(callers[0].forms, Forms::Live(_)));
    assert!(matches!(callers[1].forms, Forms::InputRequired));
}

#[tokio::test]
async fn an_older_client_is_asked_on_the_stream_of_its_request() {
    let server = Server::start().await;
    let session = server.session("2025-11-25", json!({ "elicitation": {} })).await;
    let params = json!({ "name": "execute", "arguments": ask() });
    let call = server.post(rpc(1, "tools/call", params)).with("Mcp-Session-Id", &session);
    let mut stream = call.open().await;
    let seen = read_until(&mut stream, "requestedSchema").await;
    let asked: Value = seen
        .lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .find_map(|data| serde_json::from_str(data.trim()).ok())
        .unwrap();
    assert_eq!(asked["method"], "elicitation/create");
    let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "action": "cancel" } });
    server.post(answer.to_string()).with("Mcp-Session-Id", &session).send().await;
    let seen = read_until(&mut stream, "structuredContent").await;
    assert!(seen.contains("\"action\":\"cancel\""), "{seen}");
}
