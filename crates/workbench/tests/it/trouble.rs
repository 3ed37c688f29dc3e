//! A full disk, a backup that was put back, another owner: the engine on SQLite.

use crate::hub::{Hub, driver};
use hub_core::envelope::Status;
use hub_core::pending::Choice;
use hub_store::{OpenError, Options, SqliteStore};
use hub_testkit::fixtures::T0;
use serde_json::json;
use std::sync::Arc;

fn each_once(received: &[String]) {
    for call in received.iter().filter(|c| c.starts_with("write") || c.starts_with("ask")) {
        assert_eq!(received.iter().filter(|c| *c == call).count(), 1, "{call}");
    }
}

#[tokio::test]
async fn a_full_disk_stops_a_run_before_its_next_effect_and_with_room_it_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let driver = driver();
    driver.program("fill", |api| async move {
        for i in 0..40 {
            let text = "x".repeat(4_000);
            let sent = api.call("demo.write", json!({ "i": i, "text": text })).await;
            if let Err(error) = sent {
                assert_eq!(error.tool.unwrap().code.as_str(), "outcome_unknown");
            }
        }
        Ok(json!("done"))
    });
    let small = Options { max_bytes: Some(300 << 10), ..Options::default() };
    let hub = Hub::open(folder.path(), small, driver.clone(), T0, Arc::new(|_| {})).await;
    hub.add_source().await;
    let told = hub.run("fill").await;
    assert_eq!(told.error.unwrap().code, "busy");
    assert_ne!(told.status, Status::Failed);
    assert!((1..38).contains(&hub.received().len()), "{}", hub.received().len());
    // Asked again, there may be room for a small step more, and then none again.
    assert_eq!(hub.run("fill").await.error.unwrap().code, "busy");
    let mut received = hub.received();
    drop(hub);
    let hub = Hub::quiet(folder.path(), driver, T0).await;
    let done = hub.run("fill").await;
    assert_eq!((done.run_id, done.result), (told.run_id, Some(json!("done"))));
    received.extend(hub.received());
    each_once(&received);
    assert!(received.len() >= 38, "{}", received.len());
}

#[tokio::test]
async fn a_backup_that_is_put_back_ends_its_open_runs_and_sends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let hub = Hub::quiet(folder.path(), driver(), T0).await;
    hub.add_source().await;
    let parked = hub.run("life").await;
    assert_eq!(parked.status, Status::AwaitingApproval);
    let received = hub.received();
    drop(hub);
    let database = folder.path().join("hub.db");
    let backup = std::fs::read(&database).unwrap();
    let hub = Hub::quiet(folder.path(), driver(), T0.plus(1_000)).await;
    for pending in parked.pending.unwrap() {
        hub.decide(&pending.id, Choice::AllowOnce).await;
    }
    assert_eq!(hub.run("life").await.status, Status::Completed);
    drop(hub);
    std::fs::write(&database, backup).unwrap();
    let hub = Hub::quiet(folder.path(), driver(), T0.plus(2_000)).await;
    let told = hub.resume(parked.run_id.as_str()).await;
    assert_eq!(told.error.unwrap().code, "store_restored");
    assert_eq!(told.status, Status::Failed);
    // The same code at once is that run, told of again.
    assert_eq!(hub.run("life").await.run_id, parked.run_id);
    assert!(hub.engine.waiting(None).await.unwrap().is_empty());
    assert_eq!(hub.received(), Vec::<String>::new());
    assert!(!received.is_empty());
}

#[tokio::test]
async fn a_second_owner_is_refused_and_one_that_was_taken_over_sends_nothing_more() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("hub.db");
    let taken = database.clone();
    // Somebody takes the store over while the third effect is on its way.
    let heard = move |call: &hub_core::ports::UpstreamCall| {
        if call.arguments.contains(":3}") {
            let shell = rusqlite::Connection::open(&taken).unwrap();
            shell.execute("UPDATE meta SET value = value + 1 WHERE name = 'epoch'", []).unwrap();
        }
    };
    let hub = Hub::open(folder.path(), Options::default(), driver(), T0, Arc::new(heard)).await;
    hub.add_source().await;
    match SqliteStore::open(folder.path(), Options::default()) {
        Err(OpenError::Locked { .. }) => {}
        other => panic!("{:?}", other.err()),
    }
    let told = hub.run("life").await;
    assert!(told.error.unwrap().message.contains("taken over"));
    let mut received = hub.received();
    assert_eq!(received.len(), 4, "{received:?}");
    drop(hub);
    let hub = Hub::quiet(folder.path(), driver(), T0.plus(1_000)).await;
    let parked = hub.run("life").await;
    assert_eq!(parked.run_id, told.run_id);
    for pending in parked.pending.unwrap() {
        hub.decide(&pending.id, Choice::AllowOnce).await;
    }
    let done = hub.run("life").await;
    let outcomes: Vec<(String, String)> = serde_json::from_value(done.result.unwrap()).unwrap();
    let unknown = outcomes.iter().filter(|o| o.1 == "outcome_unknown");
    assert_eq!(unknown.map(|o| o.0.as_str()).collect::<Vec<_>>(), [r#"write {"i":3}"#]);
    received.extend(hub.received());
    each_once(&received);
}
