//! Output commit: nothing is sent before its intent is durable, and no commit too many.

use crate::harness::Hub;
use hub_core::pending::Choice;
use hub_core::ports::{LateFn, Sent, UpstreamError, UpstreamErrorKind};
use hub_testkit::Step;
use serde_json::json;
use std::sync::{Arc, Mutex};

#[tokio::test]
async fn a_hundred_reads_in_a_row_cost_one_commit() {
    let hub = Hub::new().await;
    hub.driver.program("reads", |api| async move {
        for i in 0..100 {
            api.call("demo.read", json!({ "i": i })).await?;
        }
        Ok(json!(null))
    });
    let before = hub.store.commits();
    hub.run("reads").await;
    assert_eq!(hub.store.commits() - before, 1);
}

#[tokio::test]
async fn a_hundred_effects_in_a_row_cost_one_commit_each() {
    let hub = Hub::new().await;
    hub.driver.program("effects", |api| async move {
        for i in 0..100 {
            api.call("demo.write", json!({ "i": i })).await?;
        }
        Ok(json!(null))
    });
    let before = hub.store.commits();
    hub.run("effects").await;
    let commits = hub.store.commits() - before;
    // Each intent, with the answer before it; then the end.
    assert_eq!(commits, 101);
}

#[tokio::test]
async fn a_hundred_effects_at_once_cost_a_handful() {
    let hub = Hub::new().await;
    hub.driver.program("burst", |api| async move {
        let calls: Vec<_> = (0..100).map(|i| api.call("demo.write", json!({ "i": i }))).collect();
        for call in calls {
            call.await?;
        }
        Ok(json!(null))
    });
    let before = hub.store.commits();
    let outcome = hub.run("burst").await;
    assert_eq!(outcome.envelope.calls.len(), 100);
    let commits = hub.store.commits() - before;
    assert!(commits <= 20, "{commits}");
}

#[tokio::test]
async fn an_answer_that_comes_too_late_is_recorded_and_never_delivered() {
    let hub = Hub::new().await;
    hub.driver.program("late", |api| async move {
        let lost = api.call("demo.write", json!({})).await.unwrap_err();
        api.call("demo.read", json!({})).await?;
        Ok(json!(lost.tool.unwrap().code.as_str()))
    });
    let late: Arc<Mutex<Option<LateFn>>> = Arc::default();
    let keeps = late.clone();
    let times_out = Step::with(move |call| {
        (*keeps.lock().unwrap()).clone_from(&call.late);
        Err(UpstreamError {
            kind: UpstreamErrorKind::Timeout,
            sent: Sent::Maybe,
            message: "no answer".into(),
            status: None,
            data: None,
        })
    });
    hub.upstream.next("demo", "write", times_out);
    hub.upstream.next("demo", "read", Step::echo().gate("read"));
    let asked = hub.run("late");
    let answers = async {
        hub.upstream.until_received(2).await;
        let late = late.lock().unwrap().clone().unwrap();
        late();
        hub.upstream.open("read");
    };
    let (done, ()) = tokio::join!(asked, answers);
    assert_eq!(done.envelope.result, Some(json!("outcome_unknown")));
    let timeline = hub.engine.run(done.run()).await.unwrap().timeline;
    let told: Vec<_> = timeline.iter().filter(|entry| entry.kind == "late").collect();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].subject, "demo.write");
    assert!(told[0].text.starts_with("call 0: its answer came after"), "{}", told[0].text);
    // A replay passes it by, and whoever is late once more changes nothing.
    assert!(hub.engine.replay_run(done.run()).await.unwrap().contains("2 deliveries"));
    let late = late.lock().unwrap().clone().unwrap();
    late();
    assert_eq!(hub.upstream.count("demo", "write"), 1);
}

#[tokio::test]
async fn a_timeline_tells_calls_waits_passes_and_who_decided_how() {
    let mut hub = Hub::new().await;
    hub.driver.program("life", |api| async move {
        api.call("demo.read", json!({})).await?;
        api.call("demo.ask", json!({})).await?;
        let lost = api.call("demo.write", json!({})).await.unwrap_err();
        Ok(json!(lost.tool.unwrap().code.as_str()))
    });
    let parked = hub.run("life").await;
    hub.clock.advance(60_000);
    hub.decide(&parked, Choice::AllowOnce).await;
    hub.upstream.next("demo", "write", Step::echo().gate("never"));
    hub.give_up("life", 3).await;
    hub.crash().await;
    let told = async |hub: &Hub| -> Vec<String> {
        let timeline = hub.engine.run(parked.run()).await.unwrap().timeline;
        assert!(timeline.windows(2).all(|pair| pair[0].at <= pair[1].at));
        timeline.iter().map(|e| format!("{} {} {}", e.kind, e.subject, e.text)).collect()
    };
    let begins = [
        "started agent program sent",
        "settled demo.read call 0 answered, 2 bytes, 0 ms",
        "waits demo.ask call 1 waits for a person",
        "halted  at rest after 0 ms at work",
        "decided demo.ask allowed once by test in a terminal",
        "resumed  went on from its journal",
        "intent demo.ask call 1 sent",
        "settled demo.ask call 1 answered, 2 bytes, 0 ms",
        "intent demo.write call 2 sent",
    ];
    let mut timeline = told(&hub).await;
    let lost = "; no answer came, and nobody knows whether it took effect";
    assert_eq!(timeline.pop().unwrap(), format!("{}{lost}", begins[8]));
    assert_eq!(timeline, begins[..8]);
    assert_eq!(hub.run("life").await.status(), "completed");
    let unknown = "call 2 has no known outcome: it was sent and may have taken effect, 0 ms";
    let ends = [
        "resumed  went on from its journal".into(),
        format!("settled demo.write {unknown}"),
        "ended completed ".into(),
    ];
    let timeline = told(&hub).await;
    assert_eq!(timeline[..9], begins);
    assert_eq!(timeline[9..], ends);
}
