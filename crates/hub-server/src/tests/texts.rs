//! The three tools' own texts, and what they cost.

use crate::mcp::tools;
use crate::tests::support::Server;
use serde_json::{Value, json};

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

#[test]
fn definitions_and_instructions_cost_little() {
    // Instructions as the engine writes them name at most 20 namespaces and a few words more.
    let namespaces: Vec<String> = (1..=20).map(|n| format!("someService{n}")).collect();
    let instructions = format!(
        "Tools of connected services, reached through search, describe and execute. Connected: {} \
         and 4 more. Search for what you need before saying that it is not there.",
        namespaces.join(", ")
    );
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
