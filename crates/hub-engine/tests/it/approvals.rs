//! Calls that ask: parked, decided, replayed, sent once.

use crate::harness::{Hub, caller};
use hub_core::pending::Choice;
use hub_engine::{DecidedView, Execute};
use serde_json::json;

async fn asking() -> Hub {
    let hub = Hub::new().await;
    hub.driver.program("third", |api| async move {
        let a = api.call("demo.read", json!({"n": 1})).await?;
        let b = api.call("demo.write", json!({"n": 2})).await?;
        let c = api.call("demo.ask", json!({"n": 3})).await?;
        Ok(json!([a, b, c]))
    });
    hub
}

#[tokio::test]
async fn the_third_call_asks_and_each_is_sent_once_across_a_crash() {
    let mut hub = asking().await;
    let parked = hub.run("third").await;
    assert_eq!(parked.status(), "awaiting_approval");
    assert_eq!(hub.upstream.count("demo", "ask"), 0);

    hub.crash().await;
    let again = hub.resume(parked.run()).await;
    assert_eq!(again.shown, parked.shown, "nothing decided: the same bytes");

    assert_eq!(hub.decide(&parked, Choice::AllowOnce).await, DecidedView::Now);
    let done = hub.resume("last").await;
    assert_eq!(done.envelope.result, Some(json!([{"n": 1}, {"n": 2}, {"n": 3}])));
    for tool in ["read", "write", "ask"] {
        assert_eq!(hub.upstream.count("demo", tool), 1, "{tool}");
    }
    let same = hub.resume(parked.run()).await;
    assert_eq!(same.shown, done.shown, "an ended run answers byte for byte");
}

#[tokio::test]
async fn a_denied_call_throws_and_the_program_goes_on() {
    let hub = Hub::new().await;
    hub.driver.program("try", |api| async move {
        match api.call("demo.ask", json!({})).await {
            Ok(_) => Ok(json!("sent")),
            Err(error) => Ok(json!(error.tool.unwrap().code.as_str())),
        }
    });
    let parked = hub.run("try").await;
    hub.decide(&parked, Choice::Deny).await;
    let done = hub.resume(parked.run()).await;
    assert_eq!(done.envelope.result, Some(json!("denied")));
    assert_eq!(hub.upstream.count("demo", "ask"), 0);
}

#[tokio::test]
async fn the_first_decision_holds() {
    let hub = asking().await;
    let parked = hub.run("third").await;
    assert_eq!(hub.decide(&parked, Choice::Deny).await, DecidedView::Now);
    let second = hub.decide(&parked, Choice::AllowOnce).await;
    assert!(matches!(second, DecidedView::Already(d) if d.choice == Choice::Deny));
}

#[tokio::test]
async fn eight_requests_resume_one_run_and_get_the_same_bytes() {
    let hub = asking().await;
    let parked = hub.run("third").await;
    hub.decide(&parked, Choice::AllowOnce).await;
    let all = futures_util::future::join_all((0..8).map(|_| hub.resume(parked.run()))).await;
    assert!(all.iter().all(|o| o.shown == all[0].shown), "{all:?}");
    assert_eq!(hub.upstream.count("demo", "ask"), 1);
}

#[tokio::test]
async fn a_run_belongs_to_its_owner() {
    let hub = asking().await;
    let parked = hub.run("third").await;
    let other = caller("somebody");
    let resume = Execute::Resume(parked.run().into());
    let answer = hub.engine.execute(&other, resume, Default::default(), Default::default()).await;
    assert!(answer.is_err_and(|e| e.to_string().starts_with("run_not_found")));
}

#[tokio::test]
async fn a_pending_that_nobody_decides_ends_the_run() {
    let hub = asking().await;
    let parked = hub.run("third").await;
    hub.clock.advance(hub_core::limits::PENDING_LIFE_MS as u64);
    let done = hub.resume(parked.run()).await;
    assert_eq!((done.status(), done.error()), ("cancelled", "approval_expired"));
    assert_eq!(hub.upstream.count("demo", "ask"), 0);
}

#[tokio::test]
async fn allowed_for_this_run_covers_twenty_more() {
    let hub = Hub::new().await;
    hub.driver.program("loop", |api| async move {
        for i in 0..22 {
            api.call("demo.ask", json!({ "i": i })).await?;
        }
        Ok(json!("done"))
    });
    let first = hub.run("loop").await;
    hub.decide(&first, Choice::AllowRun).await;
    let second = hub.resume(first.run()).await;
    assert_eq!(second.status(), "awaiting_approval", "number 22 asks again");
    assert_eq!(hub.upstream.count("demo", "ask"), 21);
    hub.decide(&second, Choice::AllowOnce).await;
    assert_eq!(hub.resume(first.run()).await.status(), "completed");
    assert_eq!(hub.upstream.count("demo", "ask"), 22);
}

#[tokio::test]
async fn always_holds_for_the_next_run() {
    let mut hub = Hub::new().await;
    hub.driver.program("one", |api| async move { api.call("demo.ask", json!({})).await });
    let parked = hub.run("one").await;
    hub.decide(&parked, Choice::AllowAlways).await;
    assert_eq!(hub.resume(parked.run()).await.status(), "completed");
    let found = hub.engine.search(&caller("agent"), "ask", None).await.unwrap();
    assert!(!found.contains("[asks]"), "search tells what holds now: {found}");
    let other = hub.engine.search(&caller("somebody"), "ask", None).await.unwrap();
    assert!(other.contains("[asks]"), "another client is asked as before: {other}");
    hub.reopen().await;
    assert_eq!(hub.run("one#2").await.status(), "completed");
    assert_eq!(hub.upstream.count("demo", "ask"), 2);
}

#[tokio::test]
async fn a_store_put_back_from_a_backup_sends_nothing_of_its_open_runs() {
    let hub = asking().await;
    let parked = hub.run("third").await;
    assert_eq!(hub.engine.end_restored_runs().await, Ok(1));
    let told = hub.resume(parked.run()).await;
    assert_eq!((told.status(), told.error()), ("failed", "store_restored"));
    assert!(matches!(hub.decide(&parked, Choice::AllowOnce).await, DecidedView::Already(_)));
    assert_eq!(hub.upstream.count("demo", "ask"), 0);
}

#[tokio::test]
async fn a_no_holds_also_where_policy_allows_by_now() {
    let hub = Hub::new().await;
    hub.driver.program("two", |api| async move {
        let (a, b) = (api.call("demo.ask", json!({"n": 1})), api.call("demo.ask", json!({"n": 2})));
        let a = a.await.map_err(|e| e.tool.unwrap().code.as_str());
        let b = b.await.map_err(|e| e.tool.unwrap().code.as_str());
        Ok(json!([a.err(), b.err()]))
    });
    let parked = hub.run("two").await;
    let ids: Vec<String> =
        parked.envelope.pending.as_ref().unwrap().iter().map(|p| p.id.clone()).collect();
    hub.decide_id(&ids[0], Choice::Deny).await;
    hub.decide_id(&ids[1], Choice::AllowAlways).await;
    let done = hub.resume(parked.run()).await;
    assert_eq!(done.envelope.result, Some(json!(["denied", null])));
    assert_eq!(hub.upstream.count("demo", "ask"), 1);
}

#[tokio::test]
async fn a_confirm_is_never_covered_by_a_grant() {
    let hub = Hub::new().await;
    let rule = hub_engine::NewRule {
        pattern: "demo.ask".into(),
        connection: None,
        arguments: vec![hub_core::policy::ArgumentCondition {
            pointer: "/amount".into(),
            test: hub_core::policy::ArgumentTest::Range { min: Some(100.0), max: None },
        }],
        client: None,
        decision: hub_core::policy::Verdict::Confirm,
        note: String::new(),
    };
    hub.engine.put_rule(rule, "test").await.unwrap();
    hub.driver.program("pay", |api| async move {
        api.call("demo.ask", json!({"amount": 5})).await?;
        api.call("demo.ask", json!({"amount": 6})).await?;
        api.call("demo.ask", json!({"amount": 5000})).await
    });
    let parked = hub.run("pay").await;
    hub.decide(&parked, Choice::AllowRun).await;
    let again = hub.resume(parked.run()).await;
    assert_eq!(again.status(), "awaiting_approval");
    assert_eq!(hub.upstream.count("demo", "ask"), 2, "the small ones only");
}

#[tokio::test]
async fn a_cancelled_connection_is_an_error_of_its_own() {
    let hub = Hub::new().await;
    hub.driver.program("one", |api| async move {
        match api.call("demo.write", json!({})).await {
            Ok(_) => Ok(json!("sent")),
            Err(error) => Ok(json!(error.tool.unwrap().code.as_str())),
        }
    });
    hub.upstream.next("demo", "write", hub_testkit::Step::unauthorized());
    let parked = hub.run("one").await;
    assert_eq!(parked.status(), "awaiting_connection");
    hub.decide(&parked, Choice::Deny).await;
    let done = hub.resume(parked.run()).await;
    assert_eq!(done.envelope.result, Some(json!("connection_required")));
    assert_eq!(hub.upstream.count("demo", "write"), 1);
}

#[tokio::test]
async fn what_nobody_comes_back_for_ends_and_is_removed() {
    let hub = asking().await;
    let parked = hub.run("third").await;
    hub.clock.advance(hub_core::limits::PENDING_LIFE_MS as u64);
    hub.engine.keep_house().await.unwrap();
    let told = hub.resume(parked.run()).await;
    assert_eq!((told.status(), told.error()), ("cancelled", "approval_expired"));
    hub.clock.advance(hub_core::limits::ENDED_RUN_KEPT_MS as u64 + 1);
    hub.engine.keep_house().await.unwrap();
    assert!(hub.engine.run(parked.run()).await.is_err());
}

#[tokio::test]
async fn of_channels_that_decide_at_once_one_decides_and_the_effect_goes_once() {
    use hub_core::pending::Channel;
    for yes_first in [true, false] {
        let hub = asking().await;
        let parked = hub.run("third").await;
        let id = parked.envelope.pending.as_ref().unwrap()[0].id.clone();
        let decide = |choice, channel| hub_engine::Decide {
            pending: hub_core::id::PendingId::new(id.clone()),
            choice,
            channel,
            by: "test".into(),
            narrow: Vec::new(),
        };
        let yes = hub.engine.decide(decide(Choice::AllowOnce, Channel::Page));
        let no = hub.engine.decide(decide(Choice::Deny, Channel::Terminal));
        // Resumed in the same moment, too: whoever comes before the decision is told to wait.
        let resumes = futures_util::future::join_all((0..4).map(|_| hub.resume(parked.run())));
        let (yes, no) = match yes_first {
            true => {
                let (yes, no, _) = tokio::join!(yes, no, resumes);
                (yes, no)
            }
            false => {
                let (no, yes, _) = tokio::join!(no, yes, resumes);
                (yes, no)
            }
        };
        let held = [yes.unwrap(), no.unwrap()];
        let first = held.iter().position(|d| *d == DecidedView::Now).unwrap();
        let DecidedView::Already(told) = &held[1 - first] else { panic!("{held:?}") };
        let choice = [Choice::AllowOnce, Choice::Deny][first].clone();
        assert_eq!(told.choice, choice, "the other learns who decided");
        let all = futures_util::future::join_all((0..8).map(|_| hub.resume(parked.run()))).await;
        assert!(all.iter().all(|o| o.shown == all[0].shown), "{all:?}");
        let sent = usize::from(choice == Choice::AllowOnce);
        assert_eq!(hub.upstream.count("demo", "ask"), sent);
        assert_eq!(all[0].status(), ["failed", "completed"][sent]);
    }
}
