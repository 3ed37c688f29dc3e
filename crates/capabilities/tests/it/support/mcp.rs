//! A stateless MCP client (2026-07-28) over plain HTTP.

use super::{Answer, TestHub, http};
use serde_json::{Value, json};

/// The revision it speaks.
const VERSION: &str = "2026-07-28";

/// An agent with a key.
pub struct Agent<'a> {
    hub: &'a TestHub,
    key: String,
    port: Option<u16>,
    forms: bool,
}

impl<'a> Agent<'a> {
    /// With this key.
    pub fn with(hub: &'a TestHub, key: impl Into<String>) -> Self {
        Self { hub, key: key.into(), port: None, forms: false }
    }

    /// The same, through what listens on `port`.
    pub fn through(self, port: u16) -> Self {
        Self { port: Some(port), ..self }
    }

    /// The same, showing forms.
    pub fn with_forms(self) -> Self {
        Self { forms: true, ..self }
    }

    /// Calls a tool and returns the result.
    #[track_caller]
    pub fn call(&self, tool: &str, arguments: Value) -> Value {
        let answer =
            self.post("tools/call", Some(tool), json!({ "name": tool, "arguments": arguments }));
        assert_eq!(answer.status, 200, "{answer:?}");
        message(&answer)["result"].clone()
    }

    /// The names of the tools.
    #[track_caller]
    pub fn tools(&self) -> Vec<String> {
        let answer = self.post("tools/list", None, json!({}));
        let result = message(&answer)["result"].clone();
        let tools = result["tools"].as_array().unwrap_or_else(|| panic!("{answer:?}"));
        tools.iter().map(|t| t["name"].as_str().unwrap().to_owned()).collect()
    }

    /// The envelope of `execute`.
    #[track_caller]
    pub fn execute(&self, arguments: Value) -> Value {
        self.call("execute", arguments)["structuredContent"].clone()
    }

    /// Posts one request.
    pub fn post(&self, method: &str, name: Option<&str>, mut params: Value) -> Answer {
        let capabilities =
            if self.forms { json!({ "elicitation": { "form": {} } }) } else { json!({}) };
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientCapabilities": capabilities,
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let key = format!("Bearer {}", self.key);
        let mut headers = vec![
            ("authorization", key.as_str()),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", VERSION),
            ("mcp-method", method),
        ];
        headers.extend(name.map(|name| ("mcp-name", name)));
        http(self.port.unwrap_or(self.hub.port), "POST", "/mcp", &headers, &body.to_string())
    }
}

/// The message in an answer, plain or as the last event of a stream.
pub fn message(answer: &Answer) -> Value {
    let mut events = answer.body.lines().filter_map(|line| line.strip_prefix("data:"));
    let last = events.rfind(|data| data.contains("jsonrpc"));
    let text = last.unwrap_or(&answer.body);
    serde_json::from_str(text.trim()).unwrap_or_else(|e| panic!("{e}: {answer:?}"))
}
