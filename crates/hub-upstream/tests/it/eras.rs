//! Which revision a server speaks, found out without losing a slow or fragile one.

use crate::scripts::{scripted_source, scripted_with};
use crate::support::*;
use hub_core::ports::{Answer, AskPerson, BoxFuture, Sent, Upstream, UpstreamErrorKind as Kind};
use hub_upstream::{Options, SourceStatus};
use serde_json::{Value, json};
use std::sync::Arc;

async fn version(script: &str, options: Options) -> String {
    let (upstream, source) = (upstream(options), scripted_source(script));
    let listing = upstream.list(&source, None).await.unwrap();
    assert_eq!(listing.tools.len(), 1);
    listing.protocol_version
}

#[tokio::test]
async fn each_kind_of_server_is_spoken_to_in_its_own_way() {
    let quick = || Options { probe_ms: 200, start_ms: 1_500, ..options() };
    assert_eq!(version("modern", options()).await, "2026-07-28");
    assert_eq!(version("plain", options()).await, "2025-11-25");
    assert_eq!(version("ladder", options()).await, "2024-11-05");
    assert_eq!(version("exits_on_probe", options()).await, "2025-11-25");
    assert_eq!(version("silent_on_probe", quick()).await, "2025-11-25");
    assert_eq!(version("wedged_by_probe", quick()).await, "2025-11-25");
}

#[tokio::test]
async fn what_the_server_says_of_itself_is_listed() {
    let (upstream, source) = (upstream(options()), scripted_source("plain"));
    let listing = upstream.list(&source, None).await.unwrap();
    assert_eq!(listing.server, "demo 1");
    assert_eq!(listing.instructions.as_deref(), Some("Be kind."));
}

#[tokio::test]
async fn a_remembered_era_saves_the_second_start() {
    // With the probe it would need a second process, which this budget does not allow.
    let upstream = upstream(Options { start_ms: 60_000, ..options() });
    let source = scripted_source("wedged_by_probe");
    upstream.remember(&source.id, "2025-06-18");
    assert_eq!(tools(&upstream, &source).await.unwrap(), ["t"]);
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up_with_what_it_said() {
    let upstream = upstream(Options { probe_ms: 50, start_ms: 300, ..options() });
    let source = scripted_source("deaf");
    let error = tools(&upstream, &source).await.unwrap_err();
    assert_eq!(error.kind, Kind::Unavailable);
    let SourceStatus::Failed { reason, .. } = upstream.status(&source.id) else { panic!() };
    assert!(reason.contains("no MCP answer"), "{reason}");
}

#[tokio::test]
async fn every_modern_request_carries_who_asks_and_what_it_can() {
    let upstream = upstream(options());
    let source = scripted_with("modern", &[]);
    let answer = upstream.call(call(&source, "modern_ask", "{\"x\":1}")).await.unwrap();
    let Answer::InputRequired { request_state, requests } = answer else { panic!("{answer:?}") };
    assert_eq!(request_state.as_deref(), Some("st"));
    let requests: Value = serde_json::from_str(&requests).unwrap();
    assert_eq!(requests["sure"]["method"], json!("elicitation/create"));
    let can_ask = json!({"elicitation": {"form": {}, "url": {}}});
    for (asks, capabilities) in [(Some(Arc::new(Nobody) as _), can_ask), (None, json!({}))] {
        let mut again = call(&source, "modern_ask", "{\"x\":1}");
        again.asks = asks;
        again.continuation = Some(hub_core::ports::Continuation {
            request_state: request_state.clone(),
            responses: json!({"sure": {"action": "accept", "content": {}}}).to_string(),
        });
        let Answer::Value(params) = upstream.call(again).await.unwrap() else { panic!() };
        let params: Value = serde_json::from_str(&params).unwrap();
        assert_eq!(params["requestState"], json!("st"));
        assert_eq!(params["inputResponses"]["sure"]["action"], json!("accept"));
        assert_eq!(params["arguments"], json!({"x": 1}));
        let meta = |name: &str| &params["_meta"][format!("io.modelcontextprotocol/{name}")];
        assert_eq!(meta("protocolVersion"), "2026-07-28");
        assert_eq!(meta("clientInfo")["name"], "capabilities");
        assert_eq!(meta("clientCapabilities"), &capabilities);
    }
}

#[tokio::test]
async fn a_call_begun_in_another_era_is_not_begun_again() {
    let upstream = upstream(options());
    let source = scripted_source("plain");
    for (request_state, key) in [(Some("st".to_owned()), "page_1"), (None, "sure")] {
        let mut again = call(&source, "echo", "{}");
        again.continuation = Some(hub_core::ports::Continuation {
            request_state,
            responses: json!({key: {"action": "accept", "content": {}}}).to_string(),
        });
        let error = upstream.call(again).await.unwrap_err();
        assert_eq!((error.kind, error.sent), (Kind::BadResponse, Sent::Maybe));
        assert!(error.message.contains("not known"), "{}", error.message);
    }
}

/// Is never asked: a modern server's question comes as an answer.
struct Nobody;

impl AskPerson for Nobody {
    fn ask<'a>(&'a self, params: &'a str) -> BoxFuture<'a, String> {
        panic!("asked {params}")
    }
}
