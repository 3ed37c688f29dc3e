//! A program that does something else than its journal says ends, and sends nothing.

use crate::harness::Hub;
use hub_core::pending::Choice;
use serde_json::{Value, json};

/// Parks after a first call, becomes `then`, and is resumed.
async fn becomes(
    first: (&'static str, Value),
    then: Option<(&'static str, Value)>,
) -> (Hub, String, Vec<String>) {
    let hub = Hub::new().await;
    let program = |first: Option<(&'static str, Value)>| {
        move |api: hub_testkit::Api| {
            let first = first.clone();
            async move {
                if let Some((tool, arguments)) = first {
                    api.call(tool, arguments).await?;
                }
                api.call("demo.ask", json!({})).await
            }
        }
    };
    hub.driver.program("one", program(Some(first)));
    let parked = hub.run("one").await;
    hub.decide(&parked, Choice::AllowOnce).await;
    hub.driver.program("one", program(then));
    let done = hub.resume(parked.run()).await;
    let told = done.envelope.error.map_or(String::new(), |e| format!("{}: {}", e.code, e.message));
    (hub, told, done.envelope.calls.into_iter().map(|call| call.address).collect())
}

#[tokio::test]
async fn other_calls_and_other_arguments_diverge_and_send_nothing() {
    let recorded = || ("demo.write", json!({ "n": 1, "m": 2 }));
    for (then, reason) in [
        (Some(("demo.write", json!({ "n": 2, "m": 2 }))), "other arguments"),
        (Some(("demo.read", json!({ "n": 1, "m": 2 }))), "another way"),
        (None, "another way"),
    ] {
        let (hub, told, calls) = becomes(recorded(), then).await;
        assert!(told.starts_with("replay_diverged: operation 0"), "{told}");
        assert!(told.contains(reason), "{told}");
        let sent = ["write", "read", "ask"].map(|tool| hub.upstream.count("demo", tool));
        assert_eq!(sent, [1, 0, 0]);
        // Else an agent would take it for not done, and do it again.
        assert_eq!(calls, ["demo.write"]);
    }
}

#[tokio::test]
async fn the_order_of_keys_is_no_difference() {
    let then = Some(("demo.write", json!({ "m": 2, "n": 1 })));
    let (hub, told, _) = becomes(("demo.write", json!({ "n": 1, "m": 2 })), then).await;
    assert_eq!(told, "");
    assert_eq!((hub.upstream.count("demo", "write"), hub.upstream.count("demo", "ask")), (1, 1));
}
