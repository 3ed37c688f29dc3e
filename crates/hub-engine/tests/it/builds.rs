//! A run goes on in the build of the sandbox that it began in, whatever the hub has by now.

use crate::harness::Hub;
use hub_core::limits;
use hub_core::pending::Choice;
use hub_core::ports::{BlobStore, Driver};
use hub_core::run::engine_blobs;
use serde_json::json;

/// A program that differs from build to build, and asks in the middle.
async fn hub(builds: &[&'static str]) -> Hub {
    let mut hub = Hub::new().await;
    for &build in builds {
        let name = format!("{build}/ask");
        hub.driver.program(&name, move |api| async move {
            let before = api.call("demo.read", json!({ "build": build })).await?;
            api.call("demo.ask", json!({})).await?;
            Ok(json!([build, before["build"]]))
        });
    }
    hub.upgrade(builds[0]).await;
    hub
}

#[tokio::test]
async fn a_newer_hub_goes_on_with_an_older_run_in_its_own_build() {
    let mut hub = hub(&["v1", "v2"]).await;
    let parked = hub.run("ask").await;
    assert_eq!(parked.status(), "awaiting_approval");
    hub.upgrade("v2").await;
    hub.engine.keep_house().await.unwrap();
    let told = hub.engine.replay_run(parked.run()).await.unwrap();
    assert!(told.contains("1 deliveries repeated"), "{told}");
    hub.decide(&parked, Choice::AllowOnce).await;
    let done = hub.resume(parked.run()).await;
    assert_eq!(done.envelope.result, Some(json!(["v1", "v1"])), "{:?}", done.envelope);
    assert_eq!(hub.upstream.count("demo", "read"), 1);
    assert_eq!(hub.upstream.count("demo", "ask"), 1);
    // What begins now begins in the new build.
    let fresh = hub.run("ask#2").await;
    hub.decide(&fresh, Choice::AllowOnce).await;
    assert_eq!(hub.resume(fresh.run()).await.envelope.result, Some(json!(["v2", "v2"])));
}

#[tokio::test]
async fn a_build_is_kept_while_a_run_needs_it_and_then_goes() {
    let mut hub = hub(&["v1", "v2"]).await;
    let digest = engine_blobs(&hub.driver.engine_id()).next().unwrap();
    let there = async |hub: &Hub| hub.store.blob(digest).await.unwrap().is_some();
    assert!(!there(&hub).await, "no run, no build");
    let parked = hub.run("ask").await;
    hub.engine.keep_house().await.unwrap();
    assert!(there(&hub).await);
    hub.upgrade("v2").await;
    hub.engine.keep_house().await.unwrap();
    assert!(there(&hub).await, "a run that waits needs it");
    hub.decide(&parked, Choice::Deny).await;
    assert_eq!(hub.resume(parked.run()).await.status(), "failed");
    hub.clock.advance(limits::ENDED_RUN_KEPT_MS as u64 + 1);
    hub.engine.keep_house().await.unwrap();
    assert!(!there(&hub).await);
}

#[tokio::test]
async fn the_hubs_own_build_outlives_a_sweep() {
    let mut hub = hub(&["v1", "v2"]).await;
    hub.driver.program("one", |_| async { Ok(json!(1)) });
    hub.run("one").await;
    hub.clock.advance(limits::ENDED_RUN_KEPT_MS as u64 + 1);
    hub.engine.keep_house().await.unwrap();
    let parked = hub.run("ask").await;
    hub.upgrade("v2").await;
    hub.decide(&parked, Choice::AllowOnce).await;
    assert_eq!(hub.resume(parked.run()).await.envelope.result, Some(json!(["v1", "v1"])));
}

#[tokio::test]
async fn a_build_that_was_not_kept_is_a_mismatch_and_sends_nothing() {
    let mut hub = Hub::new().await;
    hub.driver.program("ask", |api| async move { api.call("demo.ask", json!({})).await });
    let parked = hub.run("ask").await;
    hub.upgrade("v2").await;
    hub.decide(&parked, Choice::AllowOnce).await;
    let told = hub.resume(parked.run()).await;
    assert_eq!((told.status(), told.error()), ("awaiting_approval", "engine_mismatch"));
    assert_eq!(hub.upstream.count("demo", "ask"), 0);
    // It is not lost: the hub it began on goes on with it.
    hub.driver = {
        let again = hub_testkit::RustDriver::new();
        again.program("ask", |api| async move { api.call("demo.ask", json!({})).await });
        again
    };
    hub.reopen().await;
    assert_eq!(hub.resume(parked.run()).await.status(), "completed");
}

#[tokio::test]
async fn more_older_builds_than_may_be_open_take_turns() {
    let builds = ["v1", "v2", "v3", "v4", "v5"];
    assert!(builds.len() > limits::OLDER_ENGINES + 1);
    let mut hub = hub(&builds).await;
    let mut parked = Vec::new();
    for (i, build) in builds.into_iter().enumerate() {
        hub.upgrade(build).await;
        let run = hub.run(&format!("ask#{i}")).await;
        hub.decide(&run, Choice::AllowOnce).await;
        parked.push((build, run));
    }
    let all = parked.iter().map(|(_, run)| hub.resume(run.run()));
    let done = futures_util::future::join_all(all).await;
    for ((build, _), done) in parked.iter().zip(done) {
        assert_eq!(done.envelope.result, Some(json!([build, build])), "{:?}", done.envelope);
    }
}
