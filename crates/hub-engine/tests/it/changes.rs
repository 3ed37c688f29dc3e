//! Catalogue, policy, schemas and accounts change while a run waits: what was answered is
//! repeated as it was, what was not sent is judged as things are now.

use crate::harness::{Hub, Outcome};
use hub_core::catalog::ToolDef;
use hub_core::pending::Choice;
use hub_core::policy::Verdict;
use hub_engine::NewRule;
use hub_testkit::{Step, fixtures};
use serde_json::json;

/// A read and an effect are answered, one call waits, and one comes after it.
async fn parked() -> (Hub, Outcome) {
    let hub = Hub::new().await;
    hub.driver.program("four", |api| async move {
        let read = api.call("demo.read", json!({ "n": 1 })).await?;
        let write = api.call("demo.write", json!({ "n": 2 })).await?;
        let code = |e: hub_core::ports::GuestError| json!(e.tool.unwrap().code.as_str());
        let asked = api.call("demo.ask", json!({ "n": 3 })).await.unwrap_or_else(code);
        let last = api.call("demo.write", json!({ "n": 4 })).await.unwrap_or_else(code);
        Ok(json!([read, write, asked, last]))
    });
    let parked = hub.run("four").await;
    assert_eq!(parked.status(), "awaiting_approval");
    (hub, parked)
}

fn rule(pattern: &str, decision: Verdict) -> NewRule {
    NewRule {
        pattern: pattern.into(),
        connection: None,
        arguments: Vec::new(),
        client: None,
        decision,
        note: String::new(),
    }
}

fn result(outcome: &Outcome) -> serde_json::Value {
    outcome.envelope.result.clone().unwrap_or_else(|| panic!("{:?}", outcome.envelope))
}

/// The first two were sent before the change, and never again.
fn once(hub: &Hub, asks: usize, writes: usize) {
    let counts = ["read", "ask", "write"].map(|tool| hub.upstream.count("demo", tool));
    assert_eq!(counts, [1, asks, writes]);
}

#[tokio::test]
async fn tools_that_went_away_stay_answered_and_are_gone_for_what_comes() {
    let (hub, parked) = parked().await;
    hub.upstream.lists("demo", fixtures::listing([fixtures::tool("other")]));
    hub.engine.refresh("demo").await.unwrap();
    hub.decide(&parked, Choice::AllowOnce).await;
    let done = hub.resume(parked.run()).await;
    assert_eq!(result(&done), json!([{"n": 1}, {"n": 2}, "tool_gone", "tool_gone"]));
    once(&hub, 0, 1);
}

#[tokio::test]
async fn a_changed_definition_asks_again_whoever_allowed_the_old_one() {
    for choice in [Choice::AllowOnce, Choice::AllowRun, Choice::AllowAlways] {
        let (hub, parked) = parked().await;
        hub.decide(&parked, choice).await;
        let changed = ToolDef { description: Some("Does more.".into()), ..fixtures::tool("ask") };
        hub.upstream.tool("demo", changed, Step::echo());
        hub.engine.refresh("demo").await.unwrap();
        let again = hub.resume(parked.run()).await;
        assert_eq!(again.status(), "awaiting_approval");
        assert_ne!(again.envelope.pending, parked.envelope.pending);
        once(&hub, 0, 1);
        hub.decide(&again, Choice::AllowOnce).await;
        let done = hub.resume(parked.run()).await;
        assert_eq!(result(&done)[2], json!({"n": 3}));
        once(&hub, 1, 2);
    }
}

#[tokio::test]
async fn a_source_that_moved_asks_again() {
    let (hub, parked) = parked().await;
    hub.decide(&parked, Choice::AllowOnce).await;
    let moved = hub_engine::NewSource {
        name: "demo".into(),
        transport: hub_core::catalog::Transport::Http { url: "https://moved.example/mcp".into() },
        trusted: true,
        effects: Default::default(),
        timeout_ms: None,
        concurrency: None,
        from_file: false,
    };
    hub.engine.update_source(moved).await.unwrap();
    assert_eq!(hub.resume(parked.run()).await.status(), "awaiting_approval");
    once(&hub, 0, 1);
}

#[tokio::test]
async fn a_rule_that_denies_by_now_holds_over_the_decision() {
    let (hub, parked) = parked().await;
    hub.decide(&parked, Choice::AllowOnce).await;
    hub.engine.put_rule(rule("demo.ask", Verdict::Deny), "test").await.unwrap();
    hub.engine.put_rule(rule("demo.write", Verdict::Deny), "test").await.unwrap();
    let done = hub.resume(parked.run()).await;
    assert_eq!(result(&done), json!([{"n": 1}, {"n": 2}, "denied", "denied"]));
    once(&hub, 0, 1);
}

#[tokio::test]
async fn a_rule_that_allows_by_now_needs_no_decision() {
    let (hub, parked) = parked().await;
    hub.engine.put_rule(rule("demo.ask", Verdict::Allow), "test").await.unwrap();
    // Its pending is still open: the person is asked what they were asked.
    assert_eq!(hub.resume(parked.run()).await.shown, parked.shown);
    hub.decide(&parked, Choice::AllowOnce).await;
    assert_eq!(result(&hub.resume(parked.run()).await)[3], json!({"n": 4}));
    once(&hub, 1, 2);
}

#[tokio::test]
async fn a_rule_that_wants_a_confirmation_is_not_met_by_a_milder_yes() {
    let (hub, parked) = parked().await;
    hub.decide(&parked, Choice::AllowRun).await;
    hub.engine.put_rule(rule("demo.ask", Verdict::Confirm), "test").await.unwrap();
    let again = hub.resume(parked.run()).await;
    assert_eq!(again.status(), "awaiting_approval");
    once(&hub, 0, 1);
    hub.decide(&again, Choice::AllowOnce).await;
    assert_eq!(result(&hub.resume(parked.run()).await)[2], json!({"n": 3}));
    once(&hub, 1, 2);
}

#[tokio::test]
async fn a_source_that_was_removed_is_gone_and_nothing_else_changes() {
    let (hub, parked) = parked().await;
    hub.engine.remove_source("demo").await.unwrap();
    hub.decide(&parked, Choice::AllowOnce).await;
    let done = hub.resume(parked.run()).await;
    assert_eq!(result(&done), json!([{"n": 1}, {"n": 2}, "tool_gone", "tool_gone"]));
    once(&hub, 0, 1);
}
