//! Through the port: what the hub sees.

use super::*;
use hub_core::ports::{DeclareBlock, TokenCount};
use serde_json::json;
use std::sync::Arc;

/// Four bytes a token.
pub struct Quarter;

impl TokenCount for Quarter {
    fn count(&self, text: &str) -> usize {
        text.len().div_ceil(4)
    }
}

pub fn tool(name: &str, input: Value, output: Option<Value>) -> ToolDef {
    ToolDef {
        name: name.into(),
        title: None,
        description: Some(format!("Does {name}.")),
        input_schema: input,
        output_schema: output,
        annotations: Default::default(),
    }
}

pub fn declared(tools: Vec<ToolDef>, types: &[&str], budget: usize) -> Declared {
    let names = Schemas::new().type_names(&tools.iter().collect::<Vec<_>>());
    let tools: Vec<_> = tools.into_iter().map(|t| (t.name.clone(), Arc::new(t))).collect();
    let asked = if types.is_empty() { tools.clone() } else { Vec::new() };
    let block = DeclareBlock {
        namespace: "demo",
        connections: &["personal".to_owned(), "work".to_owned()],
        names: &names,
        tools: asked,
        types: types.iter().map(|name| (*name).to_owned()).collect(),
        all: tools,
    };
    let request = DeclareRequest { blocks: vec![block], token_budget: budget, tokens: &Quarter };
    Schemas::new().declare(&request)
}

#[test]
fn a_tool_is_declared_as_agreed() {
    let input = json!({
        "type": "object",
        "properties": {
            "page": { "type": "integer" },
            "q": { "type": "string", "description": "Search query." },
            "opts": { "type": "object", "properties": { "deep": { "type": "boolean" } } },
        },
        "required": ["q"],
    });
    let output = json!({
        "title": "IssueSearchResult",
        "type": "object",
        "properties": { "total": { "type": "number" } },
        "required": ["total"],
    });
    let found = declared(vec![tool("search_issues", input, Some(output))], &[], 2_500);
    let expected = "\
interface CallOptions { connection?: string }
/** Connections: personal (default), work */
declare const demo: {
\t/** Does search_issues. */
\tsearch_issues(input: {
\t\t/** Search query. */
\t\tq: string;
\t\tpage?: number;
\t\topts?: { deep?: boolean };
\t}, options?: CallOptions): Promise<demo.IssueSearchResult>;
};
declare namespace demo {
\tinterface IssueSearchResult {
\t\ttotal: number;
\t}
}
";
    assert_eq!(found.text, expected);
    assert!(found.omitted.is_empty());
}

mod apart;
mod budget;
mod compiled;
mod generated;
mod kinds;
mod reported;
mod signatures;
