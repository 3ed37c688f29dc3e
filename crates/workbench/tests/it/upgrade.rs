//! A newer hub opens what an older one left: its runs are shown, go on where they can, and
//! nothing of them is sent again.
//!
//! `tests/fixtures/runs-v<n>.sql` is a store of version n as SQL text, written by the engine of
//! that time when it was killed. A new version of the store, or of the journal, adds the fixture
//! of the one before it and leaves older ones alone. Their program is [`program`].

use crate::hub::Hub;
use hub_core::envelope::{ExecuteEnvelope, Status};
use hub_core::pending::Choice;
use hub_core::ports::{RunFilter, RunStore};
use hub_core::run::RunRecord;
use hub_testkit::RustDriver;
use hub_testkit::fixtures::T0;
use serde_json::{Value, json};
use std::path::Path;

fn program(driver: &RustDriver) {
    driver.program("old", |api| async move {
        let mut seen = vec![
            code(api.call("demo.read", json!({ "i": 0 })).await),
            code(api.call("demo.write", json!({ "i": 1 })).await),
        ];
        api.sleep(50).await;
        let asked = [2, 3].map(|i| api.call("demo.ask", json!({ "i": i })));
        for call in asked {
            seen.push(code(call.await));
        }
        seen.push(code(api.call("demo.write", json!({ "i": 4 })).await));
        Ok(json!(seen))
    });
}

fn code(came: Result<Value, hub_core::ports::GuestError>) -> &'static str {
    came.map_or_else(|error| error.tool.unwrap().code.as_str(), |_| "ok")
}

fn fixtures() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

/// The folder as the older hub left it. The database knows its marker by place, which no text can
/// hold: it is told of this one, else all would be taken for a copy.
fn left(sql: &str) -> tempfile::TempDir {
    use std::os::unix::fs::MetadataExt;
    let folder = tempfile::tempdir().unwrap();
    let db = rusqlite::Connection::open(folder.path().join("hub.db")).unwrap();
    db.execute_batch(sql).unwrap();
    let one = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let identity: String = db.query_row("SELECT id FROM identity", [], |row| row.get(0)).unwrap();
    let epoch = one("SELECT value FROM meta WHERE name = 'epoch'");
    let mark = one("SELECT value FROM meta WHERE name = 'mark'");
    let marker = folder.path().join("hub.mark");
    std::fs::write(&marker, format!("{identity} {epoch:020} {mark:020}\n")).unwrap();
    let inode = std::fs::metadata(&marker).unwrap().ino().cast_signed();
    let place = "UPDATE meta SET value = ?2 WHERE name = ?1";
    db.execute(place, ("marker_inode", inode)).unwrap();
    db.execute(place, ("marker_born", 0)).unwrap();
    folder
}

async fn named(hub: &Hub, name: &str) -> RunRecord {
    let runs = hub.store.runs(RunFilter::default()).await.unwrap();
    runs.into_iter().find(|run| run.code == format!("old#{name}")).unwrap()
}

/// The person allows what the agent is told of, until the run has ended.
async fn to_the_end(hub: &Hub, run: &str) -> ExecuteEnvelope {
    loop {
        let told = hub.resume(run).await;
        if told.status.is_ended() || told.error.is_some() {
            return told;
        }
        for pending in told.pending.unwrap_or_default() {
            hub.decide(&pending.id, Choice::AllowOnce).await;
        }
    }
}

#[tokio::test]
async fn runs_of_an_older_hub_are_shown_and_go_on_and_send_nothing_twice() {
    for sql in fixtures() {
        let folder = left(&sql);
        let driver = RustDriver::new();
        program(&driver);
        let hub = Hub::quiet(folder.path(), driver, T0.plus(1_000)).await;
        assert_eq!(hub.store.restored(), None);
        let states: Vec<_> = hub.engine.runs(9).await.unwrap();
        assert_eq!(states.len(), 5);
        for record in &states {
            let shown = hub.engine.run(record.id.as_str()).await.unwrap();
            let kinds: Vec<_> = shown.timeline.iter().map(|e| e.kind.as_str()).collect();
            assert_eq!(kinds[0], "started");
            assert!(kinds.contains(&"intent") && !kinds.contains(&"unreadable"), "{kinds:?}");
        }
        // Two that wait, with two calls each.
        assert_eq!(hub.engine.waiting(None).await.unwrap().len(), 4);
        let ended = named(&hub, "ended").await;
        let told = hub.resume(ended.id.as_str()).await;
        assert_eq!(
            (told.status, told.result),
            (Status::Completed, Some(json!(["ok", "ok", "ok", "ok", "ok"])))
        );
        for name in ["parked", "decided"] {
            let run = named(&hub, name).await;
            let told = to_the_end(&hub, run.id.as_str()).await;
            assert_eq!(told.result, Some(json!(["ok", "ok", "ok", "ok", "ok"])), "{name}");
        }
        let run = named(&hub, "interrupted").await;
        assert_eq!(run.status, Status::Interrupted);
        let told = to_the_end(&hub, run.id.as_str()).await;
        assert_eq!(told.result, Some(json!(["ok", "outcome_unknown", "ok", "ok", "ok"])));
        // What the older hub sent is not sent again: three runs had two calls and an effect left.
        let mut received = hub.received();
        received.sort();
        let three = |call: &str| vec![call.to_owned(); 3];
        let expected = [r#"ask {"i":2}"#, r#"ask {"i":3}"#, r#"write {"i":4}"#].map(three).concat();
        assert_eq!(received, expected);
        let late = named(&hub, "expiring").await;
        assert_eq!(late.status, Status::AwaitingApproval);
    }
}

#[tokio::test]
async fn a_hub_without_the_older_build_refuses_its_runs_and_loses_none() {
    for sql in fixtures() {
        let folder = left(&sql);
        let driver = RustDriver::new();
        program(&driver);
        let newer = driver.build("newer");
        let hub = Hub::quiet(folder.path(), newer, T0.plus(1_000)).await;
        for name in ["parked", "decided", "interrupted"] {
            let run = named(&hub, name).await;
            let told = to_the_end(&hub, run.id.as_str()).await;
            assert_eq!(told.error.unwrap().code, "engine_mismatch", "{name}");
            assert!(!told.status.is_ended());
        }
        assert_eq!(hub.received(), Vec::<String>::new());
        let ended = named(&hub, "ended").await;
        assert_eq!(hub.resume(ended.id.as_str()).await.status, Status::Completed);
        drop(hub);
        let hub = Hub::quiet(folder.path(), driver, T0.plus(2_000)).await;
        let run = named(&hub, "decided").await;
        assert_eq!(to_the_end(&hub, run.id.as_str()).await.status, Status::Completed);
    }
}
