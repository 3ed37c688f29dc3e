//! The limits of runs, each at its edge.

use crate::harness::{Hub, Outcome, caller};
use hub_core::limits;
use hub_core::pending::Choice;
use hub_engine::{EngineConfig, Execute, FormReply, Wait};
use hub_testkit::Step;
use serde_json::json;
use std::future::Future;

async fn refusal(hub: &Hub, code: &str) -> String {
    let code = Execute::Code(code.into());
    let agent = caller("agent");
    let asked = hub.engine.execute(&agent, code, FormReply::default(), Wait::default());
    asked.await.unwrap_err().to_string()
}

#[tokio::test]
async fn so_many_runs_of_a_principal_may_wait() {
    assert_eq!(EngineConfig::default().parked_runs, limits::PARKED_RUNS);
    let hub = Hub::with(EngineConfig { parked_runs: 2, ..EngineConfig::default() }).await;
    hub.driver.program("ask", |api| async move { api.call("demo.ask", json!({})).await });
    hub.driver.program("one", |_| async { Ok(json!(1)) });
    let first = hub.run("ask#1").await;
    assert_eq!(hub.run("one").await.status(), "completed", "ended ones do not count");
    let second = hub.ask(&caller("other"), Execute::Code("ask".into())).await;
    assert_eq!(second.status(), "awaiting_approval");
    let error = refusal(&hub, "one#2").await;
    assert!(error.starts_with("busy: 2 runs") && error.contains("run list"), "{error}");
    // The same code joins its run; one that ends makes room.
    assert_eq!(hub.run("ask#1").await.run(), first.run());
    hub.decide(&first, Choice::AllowOnce).await;
    assert_eq!(hub.resume(first.run()).await.status(), "completed");
    assert_eq!(hub.run("one#3").await.status(), "completed");
    assert_eq!(hub.engine.status().await.unwrap().live_runs, 0);
}

#[tokio::test]
async fn so_many_runs_may_be_at_work() {
    assert_eq!(EngineConfig::default().live_runs, 64);
    let hub = Hub::with(EngineConfig { live_runs: 2, ..EngineConfig::default() }).await;
    hub.driver.program("read", |api| async move { api.call("demo.read", json!({})).await });
    hub.driver.program("ask", |api| async move { api.call("demo.ask", json!({})).await });
    let parked = hub.run("ask").await;
    hub.decide(&parked, Choice::AllowOnce).await;
    hub.upstream.always("demo", "read", Step::echo().gate("held"));
    let (one, two) = (hub.run("read#1"), hub.run("read#2"));
    tokio::pin!(one, two);
    tokio::select! {
        _ = &mut one => panic!("not yet"),
        _ = &mut two => panic!("not yet"),
        () = hub.upstream.until_received(2) => {}
    }
    assert!(refusal(&hub, "read#3").await.starts_with("busy: "));
    let resume = Execute::Resume(parked.run().into());
    let agent = caller("agent");
    let busy = hub.engine.execute(&agent, resume, FormReply::default(), Wait::default());
    assert!(busy.await.is_err_and(|e| e.to_string().starts_with("busy: ")));
    hub.upstream.open("held");
    hub.upstream.open("held");
    assert_eq!((one.await.status(), two.await.status()), ("completed", "completed"));
    assert_eq!(hub.resume(parked.run()).await.status(), "completed");
}

#[tokio::test]
async fn a_journal_takes_so_many_bytes_of_answers_over_all_passes() {
    assert_eq!(EngineConfig::default().journal_bytes, limits::JOURNAL_BYTES);
    let hub = Hub::with(EngineConfig { journal_bytes: 4_000, ..EngineConfig::default() }).await;
    hub.upstream.always("demo", "read", Step::value(json!("x".repeat(998))));
    hub.driver.program("reads", |api| async move {
        api.call("demo.read", json!({})).await?;
        api.call("demo.ask", json!({})).await?;
        let mut codes = Vec::new();
        for _ in 0..4 {
            let read = api.call("demo.read", json!({})).await;
            codes.push(read.map_or_else(|e| e.tool.unwrap().code.as_str(), |_| "ok"));
        }
        Ok(json!(codes))
    });
    let parked = hub.run("reads").await;
    hub.decide(&parked, Choice::AllowOnce).await;
    let done = hub.resume(parked.run()).await;
    // Of the second pass, what the entries around the answers take counts as well.
    let got: Vec<String> = serde_json::from_value(done.envelope.result.unwrap()).unwrap();
    let fitted = got.iter().take_while(|code| *code == "ok").count();
    assert!((1..=2).contains(&fitted), "{got:?}");
    assert!(got[fitted..].iter().all(|code| code == "result_too_large"), "{got:?}");
}

#[tokio::test]
async fn a_source_that_asks_with_too_much_is_refused() {
    let hub = Hub::with(EngineConfig { journal_bytes: 100, ..EngineConfig::default() }).await;
    hub.driver.program("asked", |api| async move {
        let asked = api.call("demo.write", json!({})).await;
        Ok(json!(asked.unwrap_err().tool.unwrap().code.as_str()))
    });
    let requests = json!({ "name": { "method": "elicitation/create", "params": {} } });
    hub.upstream.next("demo", "write", Step::input_required(&"s".repeat(100), requests));
    let outcome = hub.run("asked").await;
    assert_eq!(outcome.envelope.result, Some(json!("result_too_large")));
}

#[tokio::test]
async fn sixteen_pendings_are_offered_and_the_next_ones_after_them() {
    assert_eq!(limits::PENDINGS_OFFERED, 16);
    let hub = Hub::new().await;
    hub.driver.program("many", |api| async move {
        let calls: Vec<_> = (0..20).map(|i| api.call("demo.ask", json!({ "i": i }))).collect();
        for call in calls {
            call.await?;
        }
        Ok(json!("done"))
    });
    let first = hub.run("many").await;
    let ids = |outcome: &Outcome| {
        outcome.envelope.pending.iter().flatten().map(|p| p.id.clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&first).len(), 16);
    for id in &ids(&first)[..3] {
        hub.decide_id(id, Choice::AllowOnce).await;
    }
    assert_eq!(hub.resume(first.run()).await.shown, first.shown, "thirteen still wait");
    for id in &ids(&first)[3..] {
        hub.decide_id(id, Choice::AllowOnce).await;
    }
    let second = hub.resume(first.run()).await;
    assert_eq!(ids(&second).len(), 4);
    for id in ids(&second) {
        hub.decide_id(&id, Choice::AllowOnce).await;
    }
    assert_eq!(hub.resume(first.run()).await.status(), "completed");
    assert_eq!(hub.upstream.count("demo", "ask"), 20);
}

#[tokio::test]
async fn sixteen_calls_are_on_their_way_at_once() {
    assert_eq!(limits::CALLS_IN_FLIGHT, 16);
    let hub = Hub::new().await;
    hub.driver.program("burst", |api| async move {
        let calls: Vec<_> = (0..20).map(|i| api.call("demo.write", json!({ "i": i }))).collect();
        for call in calls {
            call.await?;
        }
        Ok(json!("done"))
    });
    hub.upstream.always("demo", "write", Step::echo().gate("held"));
    let run = hub.run("burst");
    tokio::pin!(run);
    tokio::select! {
        _ = &mut run => panic!("not yet"),
        () = hub.upstream.until_received(16) => {}
    }
    for _ in 0..64 {
        tokio::select! {
            biased;
            _ = &mut run => panic!("not yet"),
            () = tokio::task::yield_now() => {}
        }
    }
    assert_eq!(hub.upstream.count("demo", "write"), 16);
    (0..20).for_each(|_| hub.upstream.open("held"));
    assert_eq!(run.await.status(), "completed");
    assert_eq!(hub.upstream.count("demo", "write"), 20);
}

#[tokio::test]
async fn a_run_is_active_for_five_minutes_sleeps_included_and_waits_free() {
    assert_eq!(limits::ACTIVE_MS, 5 * 60_000);
    let hub = Hub::new().await;
    hub.driver.program("sleeps", |api| async move {
        for _ in 0..10 {
            api.sleep(30_000).await;
        }
        api.call("demo.ask", json!({})).await?;
        api.sleep(1).await;
        Ok(json!("done"))
    });
    let mut outcome = moving(&hub, hub.run("sleeps")).await;
    let run = outcome.run().to_owned();
    // An answer of `running` comes after 50 s; the run itself goes on to where it waits.
    while outcome.status() == "running" {
        outcome = moving(&hub, hub.resume(&run)).await;
    }
    assert_eq!(outcome.status(), "awaiting_approval", "exactly five minutes: {outcome:?}");
    hub.clock.advance(60 * 60_000);
    hub.decide(&outcome, Choice::AllowOnce).await;
    let done = moving(&hub, hub.resume(&run)).await;
    assert_eq!((done.status(), done.error()), ("failed", "limit_time"));
}

/// Moves the clock whenever nothing else moves.
async fn moving(hub: &Hub, request: impl Future<Output = Outcome>) -> Outcome {
    tokio::pin!(request);
    loop {
        tokio::select! {
            biased;
            outcome = &mut request => return outcome,
            () = quiet() => drop(hub.clock.advance_to_next()),
        }
    }
}

async fn quiet() {
    for _ in 0..32 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_forgotten_run_ends_and_then_goes() {
    let mut hub = Hub::new().await;
    hub.driver.program("write", |api| async move { api.call("demo.write", json!({})).await });
    hub.upstream.next("demo", "write", Step::echo().gate("never"));
    hub.give_up("write", 1).await;
    hub.crash().await;
    hub.clock.advance(limits::FORGOTTEN_RUN_MS as u64);
    hub.engine.keep_house().await.unwrap();
    assert_eq!(hub.engine.runs(9).await.unwrap()[0].status.as_str(), "interrupted");
    hub.clock.advance(1);
    hub.engine.keep_house().await.unwrap();
    let told = hub.resume("last").await;
    assert_eq!((told.status(), told.error()), ("cancelled", "cancelled"));
    assert_eq!(told.envelope.calls[0].outcome.as_deref(), Some("unknown"));
    hub.clock.advance(limits::ENDED_RUN_KEPT_MS as u64 + 1);
    hub.engine.keep_house().await.unwrap();
    assert!(hub.engine.runs(9).await.unwrap().is_empty());
}
