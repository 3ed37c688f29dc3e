//! The scripted source: reads, effects, effects that ask, fail, want a credential or a person.

use hub_core::catalog::ToolDef;
use hub_core::digest::Digest;
use hub_core::ports::{Answer, Clock, Sent, UpstreamCall, UpstreamError, UpstreamErrorKind};
use hub_testkit::{ScriptedUpstream, SeededRandom, Step, fixtures};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Name of the source.
pub const NAME: &str = "demo";
/// Tools that may be called twice with the same arguments: reads, and idempotent ones.
pub const REPEATABLE: [&str; 3] = ["read", "page", "put"];

/// How often each call was refused for want of a credential: it may come again then.
pub type Refused = Arc<Mutex<BTreeMap<String, usize>>>;

type Answered = Result<Answer, UpstreamError>;

/// The source of a world.
pub fn open(clock: Arc<dyn Clock>, seed: u64, refused: &Refused) -> Arc<ScriptedUpstream> {
    let upstream = ScriptedUpstream::new(clock);
    let latency = SeededRandom::new(seed ^ 0x1a7e);
    let plain = move |call: &UpstreamCall| value(seed, call);
    let tools: [(&str, Step); 11] = [
        ("read", Step::with(counting())),
        ("page", Step::with(plain)),
        ("write", Step::with(plain)),
        ("put", Step::with(plain)),
        ("ask", Step::with(plain)),
        ("fail", failing(seed)),
        ("flaky", Step::with(move |call| flaky(seed, call))),
        ("elicit", Step::with(move |call| elicits(seed, call))),
        ("live", Step::asks(json!({ "message": "Which?", "requestedSchema": {} }))),
        ("locked", Step::with(locked(seed, refused.clone()))),
        ("other", Step::echo()),
    ];
    for (name, step) in tools {
        upstream.tool(NAME, definition(name), step.after(latency.below(200)));
    }
    upstream
}

/// What a tool says of itself. `ask` says nothing, so policy asks.
pub fn definition(name: &str) -> ToolDef {
    let mut tool = match name {
        "read" | "page" => return fixtures::read_tool(name),
        "ask" => return fixtures::tool(name),
        name => fixtures::tool(name),
    };
    tool.annotations.destructive_hint = Some(false);
    tool.annotations.open_world_hint = Some(false);
    tool.annotations.idempotent_hint = Some(name == "put");
    tool
}

/// A number for this call that is the same however often it comes.
fn dice(seed: u64, call: &UpstreamCall, sides: u64) -> u64 {
    let digest = Digest::of_parts([&seed.to_le_bytes()[..], call.arguments.as_bytes()]);
    u64::from(digest.0[0]) % sides
}

fn value(seed: u64, call: &UpstreamCall) -> Answered {
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
    let yes = dice(seed, call, 2) == 0;
    Ok(Answer::Value(json!({ "id": arguments["id"], "yes": yes }).to_string()))
}

/// Says something else each time: a read that is repeated may tell the program another story.
fn counting() -> impl Fn(&UpstreamCall) -> Answered {
    let count = AtomicU64::new(0);
    move |_| {
        let n = count.fetch_add(1, Ordering::SeqCst);
        Ok(Answer::Value(json!({ "n": n, "yes": n.is_multiple_of(2) }).to_string()))
    }
}

fn failing(seed: u64) -> Step {
    match seed % 3 {
        0 => Step::tool_error("it failed"),
        1 => Step::error(UpstreamErrorKind::Timeout, Sent::Maybe),
        _ => Step::never(),
    }
}

fn flaky(seed: u64, call: &UpstreamCall) -> Answered {
    let error = |kind, sent| {
        let message = format!("flaky {kind:?}");
        Err(UpstreamError { kind, sent, message, status: None, data: None })
    };
    match dice(seed, call, 6) {
        0 => Ok(Answer::ToolError("flaky".into())),
        1 => error(UpstreamErrorKind::Unavailable, Sent::No),
        2 => error(UpstreamErrorKind::Unavailable, Sent::Maybe),
        3 => error(UpstreamErrorKind::RateLimited(Some(1_000)), Sent::Refused),
        _ => value(seed, call),
    }
}

/// Asks the person once or twice before it acts.
fn elicits(seed: u64, call: &UpstreamCall) -> Answered {
    let asked = call.continuation.as_ref().and_then(|c| c.request_state.clone());
    let ask = |state: &str| {
        let request = json!({ "method": "elicitation/create", "params": { "message": state } });
        let requests = json!({ "name": request }).to_string();
        Ok(Answer::InputRequired { request_state: Some(state.to_owned()), requests })
    };
    match asked.as_deref() {
        None => ask("first"),
        Some("first") if dice(seed, call, 2) == 0 => ask("second"),
        Some(_) => value(seed, call),
    }
}

/// Every second call wants a credential first.
fn locked(seed: u64, refused: Refused) -> impl Fn(&UpstreamCall) -> Answered {
    move |call| {
        let mut refused = refused.lock().unwrap_or_else(PoisonError::into_inner);
        if dice(seed, call, 2) == 1 || refused.contains_key(&call.arguments) {
            return value(seed, call);
        }
        *refused.entry(call.arguments.clone()).or_default() += 1;
        let kind = UpstreamErrorKind::Unauthorized;
        Err(UpstreamError {
            kind,
            sent: Sent::Refused,
            message: "401".into(),
            status: Some(401),
            data: None,
        })
    }
}
