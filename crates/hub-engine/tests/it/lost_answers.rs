//! Lost answers: the same code sent again joins, and no effect goes while nobody waits.

use crate::harness::Hub;
use hub_core::pending::Choice;
use hub_testkit::Step;
use serde_json::json;

#[tokio::test]
async fn the_same_code_joins_a_parked_run() {
    let hub = Hub::new().await;
    hub.driver.program("one", |api| async move { api.call("demo.ask", json!({})).await });
    let first = hub.run("one").await;
    let second = hub.run("one").await;
    assert_eq!(first.run(), second.run());
    assert!(second.envelope.notices.unwrap()[0].contains("joined"));
}

#[tokio::test]
async fn the_same_code_joins_a_run_that_just_ended_after_an_effect() {
    let hub = Hub::new().await;
    hub.driver.program("one", |api| async move { api.call("demo.write", json!({})).await });
    let first = hub.run("one").await;
    let second = hub.run("one").await;
    assert_eq!(first.run(), second.run());
    assert_eq!(hub.upstream.count("demo", "write"), 1);
    hub.clock.advance(hub_core::limits::ATTACH_AFTER_END_MS as u64 + 1);
    let third = hub.run("one").await;
    assert_ne!(first.run(), third.run());
}

#[tokio::test]
async fn an_answer_lost_again_and_again_repeats_nothing() {
    let hub = Hub::new().await;
    hub.driver.program("one", |api| async move { api.call("demo.write", json!({})).await });
    hub.driver.program("two", |api| async move { api.call("demo.read", json!({})).await });
    let first = hub.run("one").await;
    for _ in 0..5 {
        hub.clock.advance(1_000);
        assert_eq!(hub.run("one").await.run(), first.run());
    }
    assert_eq!(hub.upstream.count("demo", "write"), 1);
    // Something else in between: the client has moved on, and means it.
    hub.run("two").await;
    hub.clock.advance(1_000);
    assert_ne!(hub.run("one").await.run(), first.run());
    assert_eq!(hub.upstream.count("demo", "write"), 2);
}

#[tokio::test]
async fn the_same_code_without_effects_runs_anew() {
    let hub = Hub::new().await;
    hub.driver.program("one", |api| async move { api.call("demo.read", json!({})).await });
    let first = hub.run("one").await;
    let second = hub.run("one").await;
    assert_ne!(first.run(), second.run());
}

#[tokio::test]
async fn nobody_waits_so_the_fourth_effect_does_not_go() {
    let hub = Hub::new().await;
    hub.driver.program("ten", |api| async move {
        for i in 0..10 {
            api.call("demo.write", json!({ "i": i })).await?;
        }
        Ok(json!("done"))
    });
    hub.upstream.next("demo", "write", Step::echo());
    hub.upstream.next("demo", "write", Step::echo());
    hub.upstream.next("demo", "write", Step::echo().gate("third"));
    {
        let request = hub.run("ten");
        tokio::pin!(request);
        let third = hub.upstream.until_received(3);
        tokio::select! {
            _ = &mut request => panic!("not yet"),
            () = third => {}
        }
    }
    hub.upstream.open("third");
    hub.engine.shut_down().await;
    assert_eq!(hub.upstream.count("demo", "write"), 3);
    let mut hub = hub;
    hub.reopen().await;
    let done = hub.run("ten").await;
    assert_eq!(done.status(), "completed");
    assert_eq!(hub.upstream.count("demo", "write"), 10);
}

#[tokio::test]
async fn an_effect_without_an_answer_is_unknown_after_a_crash() {
    let mut hub = Hub::new().await;
    hub.driver.program("one", |api| async move {
        match api.call("demo.write", json!({})).await {
            Ok(_) => Ok(json!("sent")),
            Err(error) => Ok(json!(error.tool.unwrap().code.as_str())),
        }
    });
    hub.upstream.next("demo", "write", Step::echo().gate("never"));
    {
        let request = hub.run("one");
        tokio::pin!(request);
        let sent = hub.upstream.until_received(1);
        tokio::select! {
            _ = &mut request => panic!("not yet"),
            () = sent => {}
        }
    }
    hub.crash().await;
    let done = hub.run("one").await;
    assert_eq!(done.envelope.result, Some(json!("outcome_unknown")));
    assert_eq!(done.envelope.calls[0].outcome.as_deref(), Some("unknown"));
    assert_eq!(hub.upstream.count("demo", "write"), 1);
}

#[tokio::test]
async fn a_timeout_around_an_ask_does_not_fire_while_the_person_thinks() {
    let hub = Hub::new().await;
    hub.driver.program("timeout", |api| async move {
        let (call, timer) = (api.call("demo.ask", json!({})), api.sleep(30_000));
        match futures_util::future::select(call, timer).await {
            futures_util::future::Either::Left((value, _)) => value,
            futures_util::future::Either::Right(_) => Ok(json!("timed out")),
        }
    });
    let parked = hub.run("timeout").await;
    assert_eq!(parked.status(), "awaiting_approval");
    hub.clock.advance(10 * 60_000);
    hub.decide(&parked, Choice::AllowOnce).await;
    let done = hub.resume(parked.run()).await;
    assert_eq!(done.envelope.result, Some(json!({})));
    assert_eq!(hub.upstream.count("demo", "ask"), 1);
}

#[tokio::test]
async fn a_request_dropped_while_its_run_is_opened_leaks_nothing() {
    let hub = Hub::new().await;
    hub.driver.program("one", |api| async move { api.call("demo.write", json!({})).await });
    for polls in 0..40 {
        let request = hub.run("one");
        tokio::pin!(request);
        for _ in 0..polls {
            if futures_util::poll!(request.as_mut()).is_ready() {
                break;
            }
            tokio::task::yield_now().await;
        }
    }
    let done = hub.run("one").await;
    assert_eq!(done.status(), "completed", "{:?}", done.envelope);
    assert_eq!(hub.engine.status().await.unwrap().live_runs, 0);
    assert_eq!(hub.upstream.count("demo", "write"), 1);
}

#[tokio::test]
async fn a_failing_call_in_a_loop_ends_the_run() {
    let hub = Hub::new().await;
    hub.driver.program("flood", |api| async move {
        loop {
            let _ = api.call("demo.read", json!({})).await;
        }
    });
    let outcome = hub.run("flood").await;
    assert_eq!((outcome.status(), outcome.error()), ("failed", "limit_calls"));
    assert!(outcome.envelope.calls.len() <= 101, "{}", outcome.envelope.calls.len());
}

#[tokio::test]
async fn the_same_code_joins_a_run_at_work_on_which_nobody_waits() {
    let hub = Hub::new().await;
    hub.driver.program("one", |api| async move { api.call("demo.write", json!({})).await });
    hub.upstream.next("demo", "write", Step::echo().gate("held"));
    hub.give_up("one", 1).await;
    for _ in 0..32 {
        tokio::task::yield_now().await;
    }
    let at_rest = hub.clock.sleepers();
    let again = async {
        let again = hub.run("one");
        tokio::pin!(again);
        tokio::select! {
            biased;
            () = hub.clock.until_sleeping(at_rest + 1) => {}
            outcome = &mut again => panic!("not yet: {outcome:?}"),
        }
        // It waits now: a third request with the same code is a program of its own.
        let third = hub.run("one").await;
        hub.upstream.open("held");
        (again.await, third)
    };
    let (again, third) = again.await;
    assert!(again.envelope.notices.as_ref().unwrap()[0].contains("joined"));
    assert_ne!(again.run(), third.run());
    assert_eq!(hub.upstream.count("demo", "write"), 2);
}

#[tokio::test]
async fn the_same_code_joins_an_interrupted_run_and_goes_on() {
    let mut hub = Hub::new().await;
    hub.driver.program("two", |api| async move {
        let first = api.call("demo.write", json!({ "i": 1 })).await;
        api.call("demo.write", json!({ "i": 2 })).await?;
        Ok(json!(first.map_or_else(|e| e.tool.unwrap().code.as_str(), |_| "ok")))
    });
    hub.upstream.next("demo", "write", Step::echo().gate("held"));
    hub.give_up("two", 1).await;
    hub.crash().await;
    let joined = hub.run("two").await;
    assert_eq!(joined.envelope.result, Some(json!("outcome_unknown")));
    assert_eq!(hub.engine.runs(9).await.unwrap().len(), 1);
    assert_eq!(hub.upstream.count("demo", "write"), 2);
}

#[tokio::test]
async fn a_person_ends_a_run_during_its_third_effect_and_the_fourth_never_goes() {
    let hub = Hub::new().await;
    hub.driver.program("ten", |api| async move {
        for i in 0..10 {
            api.call("demo.write", json!({ "i": i })).await?;
        }
        Ok(json!("done"))
    });
    hub.upstream.next("demo", "write", Step::echo());
    hub.upstream.next("demo", "write", Step::echo());
    hub.upstream.next("demo", "write", Step::echo().gate("third"));
    let request = hub.run("ten");
    tokio::pin!(request);
    tokio::select! {
        _ = &mut request => panic!("not yet"),
        () = hub.upstream.until_received(3) => {}
    }
    let ends = hub.engine.cancel_run("last", "test");
    let answers = async {
        for _ in 0..32 {
            tokio::task::yield_now().await;
        }
        hub.upstream.open("third");
    };
    let (told, ended, ()) = tokio::join!(request, ends, answers);
    ended.unwrap();
    assert_eq!((told.status(), told.error()), ("cancelled", "cancelled"));
    assert_eq!(told.envelope.calls.len(), 3);
    assert!(told.envelope.calls.iter().all(|c| c.ok), "what was on its way is recorded");
    for again in [hub.resume(told.run()).await, hub.run("ten").await] {
        assert_eq!((again.status(), again.run()), ("cancelled", told.run()));
    }
    assert_eq!(hub.upstream.count("demo", "write"), 3);
}
