//! What agents are shown: three tools (code), or each tool by itself (direct).

use crate::direct::Direct;
use crate::door::{Code, Door};
use crate::mcp::{answer, tools};
use hub_core::catalog::ToolDef;
use rmcp::model::{JsonObject, ServerCapabilities, ServerConfig, Tool, ToolAnnotations};
use serde_json::Value;
use std::sync::Arc;

/// One endpoint shows one surface.
#[derive(Clone)]
pub enum Surface {
    /// search, describe, execute.
    Code(Arc<dyn Code>),
    /// Each tool.
    Direct(Arc<dyn Direct>),
}

impl Surface {
    /// Who may come in.
    pub fn door(&self) -> Arc<dyn Door> {
        match self {
            Self::Code(code) => code.clone(),
            Self::Direct(direct) => direct.clone(),
        }
    }

    /// What the server can do. Prompts and resources are empty, but clients ask for them all
    /// the same.
    pub fn config(&self) -> ServerConfig {
        let mut able = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .build();
        // The three tools never change while the hub runs, so no change of them is announced;
        // and programs log into their envelope.
        if let Self::Direct(_) = self {
            able.tools.get_or_insert_default().list_changed = Some(true);
            able.logging = Some(JsonObject::new());
        }
        ServerConfig::new(able).with_server_info(answer::server_info())
    }

    /// All tools, in their order.
    pub fn tools(&self) -> Vec<Tool> {
        match self {
            Self::Code(_) => tools::all().to_vec(),
            Self::Direct(direct) => direct.tools().iter().map(tool).collect(),
        }
    }

    /// The tool of that name.
    pub fn tool(&self, name: &str) -> Option<Tool> {
        match self {
            Self::Code(_) => tools::named(name).cloned(),
            Self::Direct(direct) => direct.tools().iter().find(|t| t.name == name).map(tool),
        }
    }
}

/// A tool as its source defined it, in the SDK's words.
fn tool(of: &ToolDef) -> Tool {
    let mut tool = Tool::new(of.name.clone(), "", object(&of.input_schema));
    tool.description = of.description.clone().map(Into::into);
    tool.title = of.title.clone();
    tool.output_schema = of.output_schema.as_ref().map(|schema| Arc::new(object(schema)));
    let said = of.annotations;
    let mut annotations = ToolAnnotations::default();
    annotations.read_only_hint = said.read_only_hint;
    annotations.destructive_hint = said.destructive_hint;
    annotations.idempotent_hint = said.idempotent_hint;
    annotations.open_world_hint = said.open_world_hint;
    tool.annotations = (annotations != ToolAnnotations::default()).then_some(annotations);
    tool
}

fn object(schema: &Value) -> JsonObject {
    schema.as_object().cloned().unwrap_or_default()
}
