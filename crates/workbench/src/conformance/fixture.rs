//! The source behind the relay: an MCP server with the tools that the suite asks for by name, on
//! the official SDK, both eras. What its tools ask stands in [`super::questions`].

use crate::conformance::questions::{self, Question};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities,
    CustomNotification, ErrorData, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig,
    ServerNotification, SubscriptionFilter, Tool,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// A picture of one pixel, and a sound of no length.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

/// Between what a tool says on its way, as the suite wants it.
const PAUSE: Duration = Duration::from_millis(50);

/// Served by [`service`].
#[derive(Clone)]
pub struct Fixture {
    /// Counts changes of the list; an odd count lists one tool more.
    changes: Arc<watch::Sender<u64>>,
}

/// The fixture as an HTTP service.
pub fn service() -> StreamableHttpService<Fixture, LocalSessionManager> {
    let fixture = Fixture { changes: Arc::new(watch::Sender::new(0)) };
    let config = StreamableHttpServerConfig::default();
    StreamableHttpService::new(move || Ok(fixture.clone()), Arc::default(), config)
}

const TOOLS: &[&str] = &[
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_progress",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_missing_capability",
    "test_trigger_tool_change",
    "test_reconnection",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_streaming_elicitation",
    "test_input_required_result_elicitation",
    "test_input_required_result_request_state",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
];

impl Fixture {
    fn tools(&self) -> Vec<Tool> {
        let plain = json!({ "type": "object" });
        let mut tools: Vec<Tool> = TOOLS.iter().map(|name| tool(name, &plain)).collect();
        tools.push(tool("json_schema_2020_12_tool", &wide_schema()));
        let header = json!({
            "type": "object",
            "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
            "required": ["region"]
        });
        tools.push(tool("test_custom_header", &header));
        if *self.changes.borrow() % 2 == 1 {
            tools.push(tool("test_one_more", &plain));
        }
        tools
    }

    async fn plain(
        &self,
        name: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<Value, ErrorData> {
        let text = |text: &str| json!({ "type": "text", "text": text });
        let image = json!({ "type": "image", "data": PNG, "mimeType": "image/png" });
        let page = |uri: &str, kind: &str, text: &str| {
            let resource = json!({ "uri": uri, "mimeType": kind, "text": text });
            json!({ "type": "resource", "resource": resource })
        };
        let blocks = match name {
            "test_simple_text" => vec![text("This is a simple text response for testing.")],
            "test_image_content" => vec![image],
            "test_audio_content" => {
                vec![json!({ "type": "audio", "data": WAV, "mimeType": "audio/wav" })]
            }
            "test_embedded_resource" => {
                let says = "This is an embedded resource content.";
                vec![page("test://embedded-resource", "text/plain", says)]
            }
            "test_multiple_content_types" => {
                let data = page(
                    "test://mixed-content-resource",
                    "application/json",
                    "{\"test\":\"data\",\"value\":123}",
                );
                vec![text("Multiple content types test:"), image, data]
            }
            "test_error_handling" => {
                let says = text("This tool intentionally returns an error for testing");
                return Ok(json!({ "isError": true, "content": [says] }));
            }
            "test_tool_with_progress" => {
                self.progress(context).await;
                vec![text("done, with progress")]
            }
            "test_tool_with_logging" | "test_logging_tool" => {
                self.log(context).await;
                vec![text("done, with a log")]
            }
            "test_missing_capability" => {
                self.wants_sampling(context)?;
                vec![text("the client offers sampling")]
            }
            "test_trigger_tool_change" => {
                self.changes.send_modify(|count| *count += 1);
                vec![text("the list of tools changed")]
            }
            "json_schema_2020_12_tool"
            | "test_custom_header"
            | "test_one_more"
            | "test_reconnection" => vec![text("called")],
            _ => return Err(ErrorData::invalid_params(format!("unknown tool: {name}"), None)),
        };
        Ok(json!({ "content": blocks }))
    }

    async fn progress(&self, context: &RequestContext<RoleServer>) {
        let Some(token) = context.meta.get_progress_token() else { return };
        for done in [0.0, 50.0, 100.0] {
            let mut tick = ProgressNotificationParam::new(token.clone(), done);
            tick.total = Some(100.0);
            context.peer.notify_progress(tick).await.ok();
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn log(&self, context: &RequestContext<RoleServer>) {
        if !questions::is_legacy(context) && context.meta.log_level().is_none() {
            return;
        }
        for says in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
            let params = json!({ "level": "info", "data": says });
            let log = CustomNotification::new("notifications/message", Some(params));
            let log = ServerNotification::CustomNotification(log);
            context.peer.send_notification(log).await.ok();
            tokio::time::sleep(PAUSE).await;
        }
    }

    #[expect(deprecated, reason = "sampling goes, but is tested as long as it is there")]
    fn wants_sampling(&self, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let declared = context.client_capabilities().unwrap_or_default();
        if declared.sampling.is_some() {
            return Ok(());
        }
        let wanted = ClientCapabilities::builder().enable_sampling().build();
        Err(ErrorData::missing_required_client_capability(wanted))
    }
}

fn tool(name: &str, schema: &Value) -> Tool {
    let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
    Tool::new(name.to_owned(), format!("{name}, for the conformance suite"), schema)
}

/// Everything that a schema of 2020-12 may hold and a relay could lose.
fn wide_schema() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": { "street": text, "city": text }
        } },
        "properties": {
            "name": text,
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": text,
            "email": text
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": {
            "properties": { "contactMethod": { "const": "phone" } },
            "required": ["contactMethod"]
        },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false
    })
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let able = ServerCapabilities::builder().enable_tools().enable_tool_list_changed();
        ServerConfig::new(able.build()).with_server_info(Implementation::new("fixture", "1"))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(question) = Question::of(&request.name) {
            return question.put(request, &context).await;
        }
        let result = self.plain(&request.name, &context).await?;
        read(result).map(Into::into)
    }

    fn accepted_subscription_filter(
        &self,
        asked: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(asked.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.subscribe();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                _ = changes.changed() => {
                    context.sink().notify_tool_list_changed().await.ok();
                }
            }
        }
    }
}

/// A result in the SDK's words.
pub fn read(result: Value) -> Result<CallToolResult, ErrorData> {
    serde_json::from_value(result)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}
