use super::*;
use crate::FakeClock;
use crate::fixtures::{source, tool};
use serde_json::json;

fn call(name: &str, arguments: &str) -> UpstreamCall {
    UpstreamCall {
        source: Arc::new(source("mail")),
        connection: None,
        tool: name.to_owned(),
        arguments: arguments.to_owned(),
        has_output_schema: false,
        timeout_ms: 1_000,
        continuation: None,
        progress: None,
        asks: None,
        may_wait: true,
        late: None,
        hand_on: None,
    }
}

#[tokio::test]
async fn scripted_answers_come_before_the_standing_one() {
    let up = ScriptedUpstream::new(Arc::new(FakeClock::default()));
    up.tool("mail", tool("send"), Step::echo());
    up.next("mail", "send", Step::tool_error("no"));
    let first = up.call(call("send", "1")).await;
    assert_eq!(first, Ok(Answer::ToolError("no".into())));
    assert_eq!(up.call(call("send", "2")).await, Ok(Answer::Value("2".into())));
    assert_eq!(up.count("mail", "send"), 2);
    assert_eq!(up.calls()[1].arguments, "2");
    assert!(up.call(call("other", "")).await.is_err());
    assert_eq!(up.list(&source("mail"), None).await.unwrap().tools, [tool("send")]);
}

#[tokio::test]
async fn latency_is_the_clocks_and_ends_at_the_timeout() {
    let clock = FakeClock::default();
    let up = ScriptedUpstream::new(Arc::new(clock.clone()));
    up.next("mail", "send", Step::value(json!(1)).after(999));
    up.next("mail", "send", Step::value(json!(1)).after(1_000));
    let calls = tokio::spawn({
        let up = up.clone();
        async move { (up.call(call("send", "")).await, up.call(call("send", "")).await) }
    });
    for _ in 0..2 {
        clock.until_sleeping(1).await;
        clock.advance_to_next();
        tokio::task::yield_now().await;
    }
    let (first, second) = calls.await.unwrap();
    assert_eq!(first, Ok(Answer::Value("1".into())));
    assert_eq!(second.unwrap_err().sent, Sent::Maybe);
}

#[tokio::test]
async fn a_gate_holds_a_call_and_offline_lets_nothing_through() {
    let up = ScriptedUpstream::new(Arc::new(FakeClock::default()));
    up.always("mail", "send", Step::value(json!(1)).gate("g"));
    let held = tokio::spawn({
        let up = up.clone();
        async move { up.call(call("send", "")).await }
    });
    up.until_received(1).await;
    assert!(!up.calls()[0].answered);
    up.open("g");
    assert!(held.await.unwrap().is_ok());
    assert!(up.calls()[0].answered);
    up.offline("mail", true);
    assert_eq!(up.call(call("send", "")).await.unwrap_err().sent, Sent::No);
    assert_eq!(up.calls().len(), 1);
}
