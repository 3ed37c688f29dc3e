//! What importing, rendering and checking cost per tool: `cargo bench -p hub-schema`. The best
//! of several, over 1,000 tools of one source that share types and contest some of their names.

use hub_core::catalog::ToolDef;
use hub_core::limits::DESCRIBE_TOKENS;
use hub_core::ports::{DeclareBlock, DeclareRequest, TokenCount, Types};
use hub_schema::Schemas;
use serde_json::json;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

const TOOLS: usize = 1_000;
/// Repetitions of which the best counts.
const ROUNDS: u32 = 5;
/// Tools of one answer of `describe`.
const DESCRIBED: usize = 10;

/// Four bytes a token: the tokenizer is another crate's.
struct Quarter;

impl TokenCount for Quarter {
    fn count(&self, text: &str) -> usize {
        text.len().div_ceil(4)
    }
}

fn main() {
    let schemas = Schemas::new();
    let tools: Vec<ToolDef> = (0..TOOLS).map(tool).collect();
    let all: Vec<&ToolDef> = tools.iter().collect();
    let names = schemas.type_names(&all);
    println!("| over {TOOLS} tools | each |");
    println!("|---|---|");
    let each =
        |what: &str, count: u32, time: Duration| println!("| {what} | {:.1?} |", time / count);
    let count = TOOLS as u32;
    each("settle names of types", count, best(|| schemas.type_names(&all)));
    each(
        "parameters",
        count,
        best(|| all.iter().map(|t| schemas.parameters(t)).collect::<Vec<_>>()),
    );
    let signatures = || all.iter().map(|t| schemas.signature(t, &names)).collect::<Vec<_>>();
    each("signature", count, best(signatures));
    each(
        "diagnostics, compiled",
        count,
        best(|| all.iter().map(|t| Schemas::new().diagnostics(t)).collect::<Vec<_>>()),
    );
    let arguments =
        json!({ "owner": "o", "title": "t", "issue": { "state": "open", "labels": [] } });
    schemas.check(&tools[0].input_schema, &arguments);
    each(
        "check of arguments, again",
        1,
        best(|| schemas.check(&tools[0].input_schema, &arguments)),
    );
    let named: Vec<(String, Arc<ToolDef>)> =
        tools.into_iter().map(|tool| (tool.name.clone(), Arc::new(tool))).collect();
    let describe = |tools: &[(String, Arc<ToolDef>)], types: &[String]| {
        let all = if types.is_empty() { Vec::new() } else { named.clone() };
        let block = DeclareBlock {
            namespace: "demo",
            connections: &[],
            names: &names,
            tools: tools.to_vec(),
            types: types.to_vec(),
            all,
        };
        let blocks = vec![block];
        let request = DeclareRequest { blocks, token_budget: DESCRIBE_TOKENS, tokens: &Quarter };
        black_box(schemas.declare(&request));
    };
    each("describe one tool", 1, best(|| describe(&named[..1], &[])));
    each("describe ten tools", 1, best(|| describe(&named[..DESCRIBED], &[])));
    each("describe a namespace", 1, best(|| describe(&named, &[])));
    each("describe a type", 1, best(|| describe(&[], &["Issue".to_owned()])));
}

fn best<R>(mut act: impl FnMut() -> R) -> Duration {
    let once = |_| {
        let began = Instant::now();
        black_box(act());
        began.elapsed()
    };
    (0..ROUNDS).map(once).min().unwrap_or_default()
}

/// One tool of many: twelve parameters, types that neighbours share, one that a few contest.
fn tool(at: usize) -> ToolDef {
    let person = json!({
        "type": "object",
        "properties": { "login": { "type": "string" }, "id": { "type": "integer" } },
        "required": ["login"]
    });
    let state = json!({ "enum": ["open", "closed", format!("kind{}", at % 7)] });
    let issue = json!({
        "type": "object",
        "description": "An issue with its labels and who it is assigned to.",
        "properties": {
            "state": { "$ref": "#/$defs/State" },
            "labels": { "type": "array", "items": { "type": "string" } },
            "assignee": { "$ref": "#/$defs/Person" },
            "closedBy": { "anyOf": [{ "$ref": "#/$defs/Person" }, { "type": "null" }] }
        },
        "required": ["state"]
    });
    let defs = json!({ "Person": person, "State": state, "Issue": issue });
    let mut properties = serde_json::Map::new();
    for n in 0..8 {
        let description = format!("Parameter {n} of the tool, in a sentence of usual length.");
        properties
            .insert(format!("field{n}"), json!({ "type": "string", "description": description }));
    }
    properties.insert("owner".into(), json!({ "type": "string" }));
    properties.insert("title".into(), json!({ "type": "string", "maxLength": 200 }));
    properties.insert("issue".into(), json!({ "$ref": "#/$defs/Issue" }));
    properties.insert("perPage".into(), json!({ "type": "integer", "minimum": 1 }));
    ToolDef {
        name: format!("update_issue_{at}"),
        title: None,
        description: Some("Changes an issue. Answers with the issue as it is then.".into()),
        input_schema: json!({
            "type": "object", "$defs": &defs, "properties": properties,
            "required": ["owner", "title", "issue"], "additionalProperties": false
        }),
        output_schema: Some(json!({
            "type": "object", "$defs": &defs, "title": "Issue",
            "properties": { "issue": { "$ref": "#/$defs/Issue" }, "etag": { "type": "string" } },
            "required": ["issue"]
        })),
        annotations: Default::default(),
    }
}
