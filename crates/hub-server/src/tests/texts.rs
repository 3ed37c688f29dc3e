//! The three tools' own texts, and what they cost.

use crate::mcp::caller::{Asking, Behind};
use crate::mcp::tools;
use crate::mcp::url::UrlChoice;
use crate::tests::listening::{Unused, engine_on};
use crate::tests::support::{Server, source};
use hub_core::owner::ElicitationMode;
use hub_testkit::{FakeClock, MemoryStore, ScriptedUpstream, fixtures};
use serde_json::{Value, json};
use std::sync::Arc;

/// Tokens that definitions and instructions may cost together.
const CEILING: usize = 1_500;
/// Tokens that they are meant to cost.
const GOAL: usize = 1_000;

#[tokio::test]
async fn three_tools_with_titles_annotations_and_schemas() {
    let server = Server::start().await;
    let got = server.modern("tools/list", json!({}), json!({})).send().await;
    let listed = got.json()["result"]["tools"].take();
    let reads = json!({ "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false });
    let acts = json!({ "readOnlyHint": false, "openWorldHint": true });
    for (at, name, title, hints) in [
        (0, "search", "Search tools", &reads),
        (1, "describe", "Describe tools", &reads),
        (2, "execute", "Execute code", &acts),
    ] {
        let tool = &listed[at];
        assert_eq!(tool["name"], name);
        assert_eq!(tool["title"], title);
        assert_eq!(&tool["annotations"], hints);
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert_eq!(tool.get("outputSchema").is_some(), name == "execute");
    }
    assert_eq!(listed.as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn definitions_and_instructions_cost_little() {
    let clock = Arc::new(FakeClock::default());
    let upstream = ScriptedUpstream::new(clock.clone());
    let engine = engine_on(MemoryStore::new(), upstream.clone(), clock, Arc::new(Unused)).await;
    for n in 1..=25 {
        let name = format!("someService{n}");
        upstream.lists(&name, fixtures::listing([fixtures::tool("send")]));
        engine.add_source(source(&name)).await.unwrap();
    }
    let key = engine.issue_key("claude", ElicitationMode::Auto, true).await.unwrap().key;
    let behind = Behind { key, choice: UrlChoice::default(), streams: true };
    let instructions = engine.instructions(&Asking::of(behind).caller());
    let named = instructions.matches("someService").count();
    assert!(named >= 20, "{instructions}");
    let listed = serde_json::to_string(&json!({ "tools": tools::all() })).unwrap();
    let counter = tiktoken_rs::o200k_base_singleton();
    let count = |text: &str| counter.encode_ordinary(text).len();
    let (definitions, rest) = (count(&listed), count(&instructions));
    println!("definitions {definitions}, instructions {rest} tokens");
    assert!(definitions + rest <= CEILING);
    assert!(definitions + rest <= GOAL, "{definitions} + {rest}");
}

#[test]
fn an_envelope_of_every_status_fits_the_output_schema() {
    let schema = Value::Object(
        tools::named("execute").unwrap().output_schema.clone().unwrap().as_ref().clone(),
    );
    let allowed: Vec<&str> = schema["properties"]["status"]["enum"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    use hub_core::envelope::Status as S;
    let every = [
        S::Completed,
        S::Failed,
        S::AwaitingApproval,
        S::AwaitingConnection,
        S::AwaitingInput,
        S::Running,
        S::Interrupted,
        S::Cancelled,
    ];
    assert_eq!(allowed, every.map(S::as_str));
    assert_eq!(schema["required"], json!(["runId", "status", "calls"]));
}
