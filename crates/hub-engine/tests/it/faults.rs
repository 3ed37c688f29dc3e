//! What the hub survives: a power cut, a full disk, another owner, its own faults. Nothing is
//! sent twice, and nothing that was recorded is lost.

use crate::harness::Hub;
use hub_core::envelope::Status;
use hub_core::id::RunId;
use hub_core::pending::Choice;
use hub_core::ports::{GuestFault, RunCommit, RunStore};
use hub_testkit::{Fault, Step, fixtures};
use serde_json::json;

/// Three effects in a row; those of unknown outcome are named.
fn three(hub: &Hub) {
    hub.driver.program("three", |api| async move {
        let mut out = Vec::new();
        for i in 0..3 {
            match api.call("demo.write", json!({ "i": i })).await {
                Ok(_) => out.push("ok"),
                Err(error) => out.push(error.tool.unwrap().code.as_str()),
            }
        }
        Ok(json!(out))
    });
}

#[tokio::test]
async fn a_power_cut_at_every_commit_sends_nothing_twice() {
    for number in 1..=5 {
        for fault in [Fault::Before, Fault::After, Fault::Full] {
            let mut hub = Hub::new().await;
            three(&hub);
            hub.store.fail_commit(number, fault);
            let told = hub.run("three").await;
            if told.status() != "completed" {
                let error = if fault == Fault::Full { "busy" } else { "internal" };
                assert_eq!((told.status(), told.error()), ("interrupted", error));
            }
            hub.crash().await;
            let done = hub.run("three").await;
            assert_eq!(done.status(), "completed", "{number} {fault:?}: {:?}", done.envelope);
            let sent = hub.upstream.count("demo", "write");
            let unknown = done.envelope.calls.iter().filter(|c| c.outcome.is_some()).count();
            let mut seen: Vec<_> = hub.upstream.calls().into_iter().map(|c| c.arguments).collect();
            seen.sort();
            seen.dedup();
            assert_eq!(seen.len(), sent, "{number} {fault:?}: each once");
            assert_eq!(sent + unknown.min(3 - sent), 3, "{number} {fault:?}");
        }
    }
}

#[tokio::test]
async fn a_full_disk_stops_the_run_before_its_next_effect_and_it_goes_on_with_room() {
    let hub = Hub::new().await;
    three(&hub);
    hub.upstream.next("demo", "write", Step::echo().gate("first"));
    {
        let request = hub.run("three");
        tokio::pin!(request);
        tokio::select! {
            _ = &mut request => panic!("not yet"),
            () = hub.upstream.until_received(1) => {}
        }
        hub.store.set_full(true);
        hub.upstream.open("first");
        let told = request.await;
        assert_eq!((told.status(), told.error()), ("interrupted", "busy"));
        assert!(told.envelope.error.unwrap().message.contains("full"));
    }
    assert_eq!(hub.upstream.count("demo", "write"), 1);
    hub.store.set_full(false);
    let done = hub.run("three").await;
    // The first answer never reached the disk: nobody may say that it did.
    assert_eq!(done.envelope.result, Some(json!(["outcome_unknown", "ok", "ok"])));
    assert_eq!(hub.upstream.count("demo", "write"), 3);
}

#[tokio::test]
async fn whoever_lost_the_store_sends_nothing_more() {
    let mut hub = Hub::new().await;
    three(&hub);
    hub.upstream.next("demo", "write", Step::echo().gate("first"));
    let (told, other) = {
        let request = hub.run("three");
        tokio::pin!(request);
        tokio::select! {
            _ = &mut request => panic!("not yet"),
            () = hub.upstream.until_received(1) => {}
        }
        let other = hub.store.take_over();
        hub.upstream.open("first");
        (request.await, other)
    };
    assert!(told.envelope.error.unwrap().message.contains("taken over"));
    assert_eq!(hub.upstream.count("demo", "write"), 1);
    hub.store = other;
    hub.reopen().await;
    let done = hub.run("three").await;
    assert_eq!(done.envelope.result, Some(json!(["outcome_unknown", "ok", "ok"])));
    assert_eq!(hub.upstream.count("demo", "write"), 3);
}

#[tokio::test]
async fn a_call_that_breaks_its_task_does_not_hang_the_run() {
    let hub = Hub::new().await;
    hub.driver.program("both", |api| async move {
        let (write, read) = (api.call("demo.write", json!({})), api.call("demo.read", json!({})));
        let write = write.await.unwrap_err().tool.unwrap().code.as_str();
        let read = read.await.unwrap_err().tool.unwrap().code.as_str();
        Ok(json!([write, read]))
    });
    let breaks = || Step::with(|_| panic!("a fault of the hub, as the test wants it"));
    hub.upstream.next("demo", "write", breaks());
    hub.upstream.next("demo", "read", breaks());
    let outcome = hub.run("both").await;
    assert_eq!(outcome.envelope.result, Some(json!(["outcome_unknown", "unavailable"])));
    assert_eq!(outcome.envelope.calls[0].outcome.as_deref(), Some("unknown"));
    assert_eq!(hub.engine.status().await.unwrap().live_runs, 0);
}

#[tokio::test]
async fn an_interrupted_run_shows_the_calls_of_its_journal() {
    let mut hub = Hub::new().await;
    hub.driver.program("five", |api| async move {
        api.call("demo.read", json!({})).await?;
        api.search("write").await?;
        api.call("demo.write", json!({ "i": 1 })).await?;
        let _ = api.call("demo.write", json!([1])).await;
        api.call("demo.write", json!({ "i": 2 })).await
    });
    hub.upstream.next("demo", "write", Step::echo());
    hub.upstream.next("demo", "write", Step::echo().gate("never"));
    hub.give_up("five", 3).await;
    hub.crash().await;
    let record = hub.engine.runs(1).await.unwrap().remove(0);
    let envelope: hub_core::envelope::ExecuteEnvelope =
        serde_json::from_str(record.envelope.as_ref().unwrap()).unwrap();
    assert_eq!(envelope.status.as_str(), "interrupted");
    let calls: Vec<_> =
        envelope.calls.iter().map(|c| (c.address.as_str(), c.ok, c.outcome.as_deref())).collect();
    assert_eq!(
        calls,
        [
            ("demo.read", true, None),
            ("demo.write", true, None),
            ("demo.write", false, None),
            ("demo.write", false, Some("unknown")),
        ]
    );
    assert!(record.line.unwrap().contains("4 calls"));
}

#[tokio::test]
async fn a_question_whose_call_died_waits_for_nobody() {
    for resumed in [false, true] {
        let mut hub = Hub::new().await;
        hub.driver.program("asked", |api| async move {
            match api.call("demo.write", json!({})).await {
                Ok(value) => Ok(value),
                Err(error) => Ok(json!(error.tool.unwrap().code.as_str())),
            }
        });
        let params = json!({ "message": "Which one?", "requestedSchema": { "type": "object" } });
        hub.upstream.next("demo", "write", Step::asks(params));
        let asked = hub.run("asked").await;
        assert_eq!(asked.status(), "awaiting_input");
        assert_eq!(hub.engine.waiting(None).await.unwrap().len(), 1);
        hub.crash().await;
        if resumed {
            let done = hub.run("asked").await;
            assert_eq!(done.envelope.result, Some(json!("outcome_unknown")));
        }
        assert!(hub.engine.waiting(None).await.unwrap().is_empty());
        let answer = Choice::Answer(json!({}).to_string());
        let late = hub.decide(&asked, answer).await;
        let hub_engine::DecidedView::Already(decision) = late else { panic!("{late:?}") };
        assert_eq!(decision.choice, Choice::Withdrawn);
        assert_eq!(hub.upstream.count("demo", "write"), 1);
    }
}

#[tokio::test]
async fn a_pass_that_cannot_be_repeated_now_leaves_the_run_as_it_was() {
    let hub = Hub::new().await;
    hub.driver.program("ask", |api| async move {
        api.call("demo.read", json!({})).await?;
        api.call("demo.ask", json!({})).await
    });
    let parked = hub.run("ask").await;
    hub.decide(&parked, Choice::AllowOnce).await;
    for fault in [hub_core::ports::GuestFault::Busy, hub_core::ports::GuestFault::Memory(1)] {
        hub.driver.fail_next(fault);
        let told = hub.resume(parked.run()).await;
        assert_eq!((told.status(), told.error()), ("awaiting_approval", "replay_unavailable"));
    }
    assert_eq!(hub.upstream.count("demo", "ask"), 0);
    assert_eq!(hub.resume(parked.run()).await.status(), "completed");
    assert_eq!(hub.upstream.count("demo", "ask"), 1);
}

/// An entry that no hub wrote, and the state of a run that was at work.
async fn damage(hub: &Hub, run: &str) {
    let run = RunId::new(run);
    let after = hub.store.journal(run.clone()).await.unwrap().len() as u64;
    let damaged = RunCommit {
        events: vec![b"{".to_vec()],
        state: fixtures::state(Status::Running, fixtures::T0),
        ..fixtures::step(&run, after)
    };
    hub.store.commit(damaged).await.unwrap();
}

#[tokio::test]
async fn a_journal_that_cannot_be_read_costs_its_run_and_no_approval() {
    let mut hub = Hub::new().await;
    three(&hub);
    hub.driver.program("ask", |api| async move { api.call("demo.ask", json!({})).await });
    hub.upstream.next("demo", "write", Step::echo().gate("never"));
    hub.give_up("three", 1).await;
    let parked = hub.run("ask").await;
    damage(&hub, parked.run()).await;
    hub.crash().await;
    // The hub opens, the other run is told of, and what waited for a person still does.
    assert_eq!(hub.engine.waiting(None).await.unwrap().len(), 1);
    assert_eq!(hub.run("three").await.status(), "completed");
    let told = hub.resume(parked.run()).await;
    assert_eq!(told.error(), "journal_unreadable");
    hub.decide(&parked, Choice::AllowOnce).await;
    assert_eq!(hub.resume(parked.run()).await.error(), "journal_unreadable");
    assert_eq!(hub.upstream.count("demo", "ask"), 0);
}

#[tokio::test]
async fn what_expired_is_over_even_where_its_run_cannot_begin() {
    let mut hub = Hub::new().await;
    hub.driver.program("ask", |api| async move { api.call("demo.ask", json!({})).await });
    let parked = hub.run("ask").await;
    damage(&hub, parked.run()).await;
    hub.crash().await;
    hub.clock.advance(hub_core::limits::PENDING_LIFE_MS.unsigned_abs());
    let told = hub.resume(parked.run()).await;
    assert_eq!((told.status(), told.error()), ("cancelled", "approval_expired"));
    let detail = hub.engine.run(parked.run()).await.unwrap();
    assert_eq!(detail.record.status, Status::Cancelled);
    let decision = detail.pendings[0].pending.decision.clone().unwrap();
    assert_eq!((decision.choice, decision.by.as_str()), (Choice::Expired, "hub"));
}

/// The guest's process is ended from outside, at each of its steps: the run goes on when it is
/// asked for again, and nothing is sent twice or lost.
#[tokio::test]
async fn a_guest_that_was_lost_leaves_a_run_that_goes_on() {
    for after in 0..=3 {
        let hub = Hub::new().await;
        three(&hub);
        hub.driver.lose_next_after(after);
        let told = hub.run("three").await;
        assert_eq!(told.status(), "interrupted", "{after}: {:?}", told.envelope);
        let sent = hub.upstream.count("demo", "write");
        assert_eq!(sent, (after + 1).min(3), "{after}");
        let done = hub.run("three").await;
        assert_eq!(done.status(), "completed", "{after}: {:?}", done.envelope);
        assert_eq!(done.envelope.result, Some(json!(["ok", "ok", "ok"])), "{after}");
        assert_eq!(hub.upstream.count("demo", "write"), 3, "{after}");
    }
}

#[tokio::test]
async fn a_guest_that_is_lost_at_its_start_or_in_a_replay_leaves_the_run() {
    let hub = Hub::new().await;
    three(&hub);
    hub.driver.fail_next(GuestFault::Lost);
    assert_eq!(hub.run("three").await.status(), "interrupted");
    assert_eq!(hub.upstream.count("demo", "write"), 0);
    hub.driver.lose_next_after(1);
    assert_eq!(hub.run("three").await.status(), "interrupted");
    hub.driver.lose_next_after(0);
    let told = hub.run("three").await;
    assert_eq!((told.status(), told.error()), ("interrupted", "replay_unavailable"));
    let done = hub.run("three").await;
    assert_eq!(done.envelope.result, Some(json!(["ok", "ok", "ok"])));
    assert_eq!(hub.upstream.count("demo", "write"), 3);
}

/// Calls that are on their way when the guest is lost are recorded, not made unknown.
#[tokio::test]
async fn what_is_on_its_way_when_a_guest_is_lost_is_recorded() {
    let hub = Hub::new().await;
    hub.driver.program("both", |api| async move {
        let (slow, quick) =
            (api.call("demo.write", json!({ "i": 0 })), api.call("demo.write", json!({ "i": 1 })));
        let quick = quick.await.is_ok();
        Ok(json!([slow.await.is_ok(), quick]))
    });
    hub.upstream.next("demo", "write", Step::echo().gate("slow"));
    hub.driver.lose_next_after(0);
    let told = {
        let request = hub.run("both");
        tokio::pin!(request);
        tokio::select! {
            _ = &mut request => panic!("not yet"),
            () = hub.upstream.until_received(2) => {}
        }
        hub.upstream.open("slow");
        request.await
    };
    assert_eq!(told.status(), "interrupted", "{:?}", told.envelope);
    let done = hub.run("both").await;
    assert_eq!(done.envelope.result, Some(json!([true, true])), "{:?}", done.envelope);
    assert_eq!(hub.upstream.count("demo", "write"), 2);
}
