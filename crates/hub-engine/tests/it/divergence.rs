//! A program that does something else than its journal says ends, and sends nothing.

use crate::harness::{Hub, Outcome};
use hub_core::pending::Choice;
use hub_core::ports::Answer;
use hub_testkit::Step;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

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

/// Numbers of the calls that answer, in an order of its own.
async fn answers(hub: &Hub, order: [u32; 3], winner: &str) -> Outcome {
    for tool in ["slow", "fast"] {
        let mut racing = hub_testkit::fixtures::read_tool(tool);
        racing.annotations.open_world_hint = Some(false);
        hub.upstream.tool("demo", racing, Step::echo().gate(tool));
    }
    hub.engine.refresh("demo").await.unwrap();
    let minted = AtomicU32::new(0);
    let mint = Arc::new(move || minted.fetch_add(1, Ordering::SeqCst));
    for n in 1..4 {
        let mint = mint.clone();
        let step = Step::with(move |call| {
            let made: serde_json::Value = serde_json::from_str(&call.arguments).unwrap();
            Ok(Answer::Value(json!({ "n": made["n"], "id": mint() }).to_string()))
        });
        hub.upstream.next("demo", "write", step.gate(&format!("write {n}")));
    }
    let asked = hub.run("race");
    let opened = async {
        hub.upstream.until_received(3).await;
        for n in order {
            hub.upstream.open(&format!("write {n}"));
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
        }
        hub.upstream.until_received(5).await;
        hub.upstream.open(winner);
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        for tool in ["slow", "fast"] {
            hub.upstream.open(tool);
        }
    };
    tokio::join!(asked, opened).0
}

#[tokio::test]
async fn answers_in_any_order_return_to_their_own_calls_and_a_race_keeps_its_winner() {
    for (order, winner) in [([3, 1, 2], "slow"), ([1, 2, 3], "fast"), ([2, 3, 1], "slow")] {
        let mut hub = Hub::new().await;
        hub.driver.program("race", |api| async move {
            let made: Vec<_> = (1..4).map(|n| api.call("demo.write", json!({ "n": n }))).collect();
            let made = futures_util::future::try_join_all(made).await?;
            let both = ["slow", "fast"].map(|t| api.call(&format!("demo.{t}"), json!({ "t": t })));
            let (first, ..) = futures_util::future::select_all(both).await;
            api.call("demo.ask", json!({ "first": first?["t"], "made": made.clone() })).await
        });
        let parked = answers(&hub, order, winner).await;
        assert_eq!(parked.status(), "awaiting_approval", "{:?}", parked.envelope);
        hub.crash().await;
        hub.decide(&parked, Choice::AllowOnce).await;
        let done = hub.resume(parked.run()).await.envelope.result.unwrap();
        assert_eq!(done["first"], winner);
        for (n, made) in (1..).zip(done["made"].as_array().unwrap()) {
            let place = order.iter().position(|o| *o == n).unwrap();
            assert_eq!(*made, json!({ "n": n, "id": place }), "{order:?}");
        }
        assert_eq!(hub.upstream.count("demo", "write"), 3);
        assert_eq!(hub.upstream.count("demo", "ask"), 1);
    }
}
