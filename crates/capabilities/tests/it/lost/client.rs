//! Between the client and the hub: the client sends its request again.

use crate::support::{Agent, Fate, Relay, TestHub};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Lets everything pass.
const NOTHING_CUT: usize = usize::MAX;

fn code(title: &str) -> Value {
    json!({ "code": format!("return (await tracker.createIssue({{ title: '{title}' }})).title;") })
}

fn execute(agent: &Agent<'_>, title: &str) -> crate::support::Answer {
    agent.post(
        "tools/call",
        Some("execute"),
        json!({ "name": "execute", "arguments": code(title) }),
    )
}

/// A hub, and a relay to it that cuts each answer at the byte that `cut` holds.
fn relayed() -> (TestHub, Relay, Arc<AtomicUsize>) {
    let hub = TestHub::with_tracker();
    let cut = Arc::new(AtomicUsize::new(NOTHING_CUT));
    let at = cut.clone();
    let relay = Relay::start(hub.port, move |_| match at.load(Ordering::SeqCst) {
        NOTHING_CUT => Fate::Whole,
        at => Fate::Cut(at),
    });
    (hub, relay, cut)
}

/// How often each title was created: once, all of them.
#[track_caller]
fn each_once(hub: &TestHub, titles: usize) {
    let calls = hub.whole_calls();
    let mut created: Vec<String> =
        calls.iter().map(|call| call["arguments"]["title"].to_string()).collect();
    let all = created.len();
    created.sort();
    created.dedup();
    assert_eq!((created.len(), all), (titles, titles), "an effect was doubled or never came");
}

#[test]
fn an_answer_cut_at_each_byte_and_asked_for_again() {
    let (hub, relay, cut) = relayed();
    let (through, direct) =
        (Agent::with(&hub, hub.key()).through(relay.port), Agent::with(&hub, hub.key()));
    assert_eq!(execute(&through, "whole").status, 200);
    let whole = relay.longest();
    assert!(whole > 300, "{whole} bytes");
    for at in 0..whole {
        let title = format!("cut-{at}");
        cut.store(at, Ordering::SeqCst);
        execute(&through, &title);
        let envelope = direct.execute(code(&title));
        assert_eq!(
            (&envelope["status"], &envelope["result"]),
            (&json!("completed"), &json!(title))
        );
    }
    each_once(&hub, whole + 1);
}

#[test]
fn an_answer_that_is_lost_again_and_again() {
    let (hub, relay, cut) = relayed();
    let agent = Agent::with(&hub, hub.key()).through(relay.port);
    for (n, at) in [0, 1, 20, 200, 300].into_iter().enumerate() {
        let title = format!("again-{n}");
        cut.store(at, Ordering::SeqCst);
        for _ in 0..4 {
            execute(&agent, &title);
        }
        cut.store(NOTHING_CUT, Ordering::SeqCst);
        assert_eq!(agent.execute(code(&title))["result"], json!(title));
    }
    each_once(&hub, 5);
}
