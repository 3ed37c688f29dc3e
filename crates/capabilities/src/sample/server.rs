//! The tracker on the wire: MCP over standard input and output.

use super::{Tracker, tools};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The server. Clones share the tracker.
#[derive(Clone)]
struct SampleServer {
    /// Held for one call at a time; no call waits on anything.
    tracker: Arc<Mutex<Tracker>>,
    calls: Option<PathBuf>,
}

/// Serves until the client closes its end. Each call is appended to `calls` as a line of JSON
/// before it is done, so that a test can count what was really sent.
pub async fn serve(tracker: Tracker, calls: Option<PathBuf>) -> Result<(), String> {
    let server = SampleServer { tracker: Arc::new(Mutex::new(tracker)), calls };
    let running = server
        .serve(rmcp::transport::stdio())
        .await
        .map_err(|e| format!("no MCP client on standard input: {e}"))?;
    running.waiting().await.map_err(|e| e.to_string())?;
    Ok(())
}

impl ServerHandler for SampleServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("sample-tracker", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = tools::definitions().into_iter().map(tool).collect::<Result<_, _>>()?;
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        if let Some(path) = &self.calls {
            record(path, &request.name, &arguments)
                .map_err(|e| ErrorData::internal_error(e.to_string(), None))?;
        }
        // A panic of another call cannot leave an issue half written: changes are single steps.
        let mut tracker = self.tracker.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = tracker.call(&request.name, &arguments).ok_or_else(|| {
            ErrorData::invalid_params(format!("no tool is called {}", request.name), None)
        })?;
        Ok(match answer {
            Ok(value) => CallToolResult::structured(value).into(),
            Err(words) => CallToolResult::error(vec![ContentBlock::text(words)]).into(),
        })
    }
}

fn tool(definition: Value) -> Result<Tool, ErrorData> {
    serde_json::from_value(definition).map_err(|e| ErrorData::internal_error(e.to_string(), None))
}

fn record(path: &Path, tool: &str, arguments: &Value) -> std::io::Result<()> {
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path)?;
    // In one piece: other calls write at the same time.
    let line = format!("{}\n", serde_json::json!({ "tool": tool, "arguments": arguments }));
    file.write_all(line.as_bytes())
}
