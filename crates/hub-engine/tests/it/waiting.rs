//! How a request waits: what it is told, and when it is answered at the latest (SPEC §2.3).

use crate::harness::{Hub, caller};
use hub_core::limits;
use hub_engine::{Execute, ExecuteAnswer, FormReply, RunProgress, Wait};
use hub_testkit::Step;
use serde_json::json;
use std::sync::{Arc, Mutex};
use tokio::task::JoinHandle;

/// A program of one read that comes back once the gate is opened.
async fn hub(step: Step) -> Hub {
    let hub = Hub::new().await;
    hub.upstream.always("demo", "read", step.gate("open"));
    hub.driver.program("reads", |api| async move {
        Ok(api.call("demo.read", json!({})).await.unwrap_or_default())
    });
    hub
}

fn ask(hub: &Hub, what: Execute, wait: Wait) -> JoinHandle<ExecuteAnswer> {
    let engine = hub.engine.clone();
    tokio::spawn(async move {
        let answer = engine.execute(&caller("agent"), what, FormReply::default(), wait).await;
        answer.expect("an answer")
    })
}

/// Lets time pass in steps until `there`; milliseconds that passed.
async fn pass(hub: &Hub, step: u64, there: impl Fn() -> bool) -> u64 {
    let mut passed = 0;
    while !there() {
        assert!(passed < limits::ACTIVE_MS, "it never came");
        hub.clock.advance(step);
        passed += step;
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
    }
    passed
}

fn status(answer: ExecuteAnswer) -> String {
    match answer {
        ExecuteAnswer::Envelope(shown) => shown.envelope().unwrap().status.as_str().to_owned(),
        ExecuteAnswer::AskForms { .. } => panic!("asked"),
    }
}

#[tokio::test]
async fn who_cannot_be_told_is_answered_running_and_comes_back() {
    let hub = hub(Step::value(json!(1))).await;
    let asked = ask(&hub, Execute::Code("reads".into()), Wait::default());
    hub.upstream.until_received(1).await;
    let passed = pass(&hub, 1_000, || asked.is_finished()).await;
    assert!(passed.abs_diff(limits::ANSWER_RUNNING_MS) <= 1_000, "{passed}");
    assert_eq!(status(asked.await.unwrap()), "running");
    let again = ask(&hub, Execute::Resume("last".into()), Wait::default());
    hub.upstream.open("open");
    assert_eq!(status(again.await.unwrap()), "completed");
    assert_eq!(hub.upstream.count("demo", "read"), 1);
}

#[tokio::test]
async fn who_can_be_told_is_told_the_run_at_once_and_never_left_in_silence() {
    let hub = hub(Step::value(json!(1)).tells(40.0, Some(100.0))).await;
    let told: Arc<Mutex<Vec<(u64, RunProgress)>>> = Arc::default();
    let (sink, clock) = (told.clone(), hub.clock.clone());
    let wait = Wait {
        progress: Some(Arc::new(move |progress| {
            let now = hub_core::ports::Clock::monotonic_ms(&clock);
            sink.lock().unwrap().push((now, progress));
        })),
    };
    let asked = ask(&hub, Execute::Code("reads".into()), wait);
    hub.upstream.until_received(1).await;
    let last = told.clone();
    let long = limits::ANSWER_RUNNING_MS * 2;
    pass(&hub, 1_000, || last.lock().unwrap().last().is_some_and(|(at, _)| *at >= long)).await;
    hub.upstream.open("open");
    assert_eq!(status(asked.await.unwrap()), "completed");
    let told = told.lock().unwrap();
    assert!(told[0].1.run.as_str().starts_with("run_"), "{:?}", told[0]);
    for pair in told.windows(2) {
        let gap = pair[1].0 - pair[0].0;
        let fits = limits::PROGRESS_GAP_MS..=limits::PROGRESS_EVERY_MS + 1_000;
        assert!(fits.contains(&gap), "{gap}");
    }
    let call = told.iter().find_map(|(_, p)| p.call.clone()).expect("the source's own progress");
    assert_eq!((call.address.as_str(), call.done, call.of), ("demo.read", 40.0, Some(100.0)));
    assert!(told.iter().all(|(_, p)| p.calls_done == 0));
}

#[tokio::test]
async fn who_was_told_of_a_run_finds_it_after_the_hub_was_killed() {
    for told in ["nothing", "progress", "running"] {
        let mut hub = hub(Step::value(json!(1))).await;
        let mut wait = Wait::default();
        if told == "progress" {
            wait.progress = Some(Arc::new(|_| {}));
        }
        let asked = ask(&hub, Execute::Code("reads".into()), wait);
        hub.upstream.until_received(1).await;
        if told == "running" {
            pass(&hub, 1_000, || asked.is_finished()).await;
        }
        asked.abort();
        // It is there for the person, whether or not it is written.
        let run = hub.engine.runs(1).await.unwrap()[0].id.clone();
        assert_eq!(hub.engine.run(run.as_str()).await.unwrap().record.id, run);
        hub.reopen().await;
        // The call of the hub that is gone, and the one to come.
        hub.upstream.open("open");
        hub.upstream.open("open");
        let resume = Execute::Resume(run.to_string());
        let caller = caller("agent");
        let wait = Wait::default();
        let found = hub.engine.execute(&caller, resume, FormReply::default(), wait).await;
        match told {
            "nothing" => {
                let why = found.unwrap_err().to_string();
                assert!(why.starts_with("run_not_found") && why.contains("send the code"), "{why}");
                let anew = hub.run("reads").await;
                assert_ne!(anew.run(), run.as_str());
                assert_eq!(anew.status(), "completed");
            }
            _ => assert_eq!(status(found.unwrap()), "completed", "{told}"),
        }
    }
}
