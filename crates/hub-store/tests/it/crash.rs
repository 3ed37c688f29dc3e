//! The process or the power goes: images of the files as they lay at that moment are opened.

use crate::{append, begin, open};
use hub_core::envelope::Status;
use hub_core::id::RunId;
use hub_core::ports::{NewRun, RunCommit, RunFilter, RunStore};
use hub_testkit::fixtures::{T0, new_run, pending, pins, run, state, step};
use std::fs;
use std::path::Path;

/// A copy of database and log, the log cut to `log` bytes.
fn image(dir: &Path, log: Option<usize>) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    fs::copy(dir.join("hub.db"), copy.path().join("hub.db")).unwrap();
    let bytes = fs::read(dir.join("hub.db-wal")).unwrap();
    let kept = log.unwrap_or(bytes.len());
    fs::write(copy.path().join("hub.db-wal"), &bytes[..kept]).unwrap();
    copy
}

#[tokio::test]
async fn whatever_was_answered_survives_the_end_of_the_process() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let run = begin(&store, "a").await;
    for n in 0..10 {
        let mut step = append(&run, n);
        step.durable = n % 2 == 0;
        store.commit(step).await.unwrap();
        let found = open(image(dir.path(), None).path()).journal(run.clone()).await.unwrap();
        assert_eq!(found.len() as u64, n + 1);
    }
}

#[tokio::test]
async fn a_power_cut_at_any_byte_leaves_whole_steps_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let run = begin(&store, "a").await;
    store.keep_run(run.clone()).await.unwrap();
    // Each step writes two entries, a pending and a state; all or none may be found.
    for n in 0..4 {
        let whole = RunCommit {
            events: vec![vec![n as u8; 3_000], vec![n as u8]],
            waits: vec![pending(&n.to_string(), &run)],
            state: state(Status::AwaitingApproval, T0.plus(n)),
            effects: 1,
            durable: n % 2 == 0,
            ..step(&run, 2 * n as u64)
        };
        store.commit(whole).await.unwrap();
    }
    let log = fs::metadata(dir.path().join("hub.db-wal")).unwrap().len() as usize;
    let mut seen = std::collections::BTreeSet::new();
    for cut in (0..=log).step_by(997).chain([log]) {
        let copy = image(dir.path(), Some(cut));
        let store = open(copy.path());
        let id = RunId::new("run_a");
        let Some(record) = store.run(id.clone()).await.unwrap() else { continue };
        let steps = record.effects as usize;
        seen.insert(steps);
        assert_eq!(store.journal(id.clone()).await.unwrap().len(), 2 * steps);
        assert_eq!(store.pendings(id.clone()).await.unwrap().len(), steps);
        let at = if steps == 0 { T0 } else { T0.plus(steps as i64 - 1) };
        assert_eq!(record.changed_at, at);
        // And it goes on from there.
        store.commit(append(&id, 2 * steps as u64)).await.unwrap();
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
}

#[tokio::test]
async fn a_run_of_which_nobody_was_told_is_gone_with_the_process() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let (told, untold) = (begin(&store, "told").await, begin(&store, "untold").await);
    store.keep_run(told.clone()).await.unwrap();
    store.keep_run(RunId::new("run_none")).await.unwrap();
    let found = async |store: &hub_store::SqliteStore| {
        let all = store.runs(RunFilter::default()).await.unwrap();
        all.into_iter().map(|run| run.id).collect::<Vec<_>>()
    };
    assert_eq!(found(&store).await, [untold.clone(), told.clone()]);
    let copy = image(dir.path(), None);
    let killed = open(copy.path());
    assert_eq!(found(&killed).await, std::slice::from_ref(&told));
    assert_eq!(killed.run(untold.clone()).await.unwrap(), None);
    // A hub that is stopped keeps both.
    drop(store);
    assert_eq!(found(&open(dir.path())).await, [untold, told]);
}

#[tokio::test]
async fn a_run_that_ends_in_its_first_step_is_one_transaction() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let before = store.commits();
    let run = begin(&store, "a").await;
    let ends = RunCommit { state: state(Status::Completed, T0.plus(1)), ..append(&run, 0) };
    store.commit(ends).await.unwrap();
    assert_eq!(store.commits() - before, 1);
    let record = store.run(run.clone()).await.unwrap().unwrap();
    assert_eq!((record.status, record.changed_at), (Status::Completed, T0.plus(1)));
    assert_eq!(store.journal(run).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_run_that_ends_in_its_first_step_writes_few_pages() {
    const RUNS: u64 = 40;
    // A page of the log with its head.
    const PAGE: u64 = 4096 + 24;
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let size = || fs::metadata(dir.path().join("hub.db-wal")).unwrap().len();
    let mut before = 0;
    for n in 0..RUNS {
        let mut record = run(&n.to_string(), "c", &n.to_string());
        record.pins = Some(pins(b"program", b"names"));
        let id = record.id.clone();
        let blobs = vec![b"program".to_vec().into(), b"names".to_vec().into()];
        let new = NewRun { blobs, ..new_run(record) };
        store.open_run(new).await.unwrap();
        let mut ends = append(&id, 0);
        ends.state = state(Status::Completed, T0);
        ends.durable = false;
        store.commit(ends).await.unwrap();
        if n == 0 {
            before = size();
        }
    }
    // Runs, two indices, code, envelope, journal, pins, the counter of journals; and now and then
    // a page that is full.
    let pages = (size() - before) / PAGE;
    assert!(pages <= 9 * (RUNS - 1), "{pages} pages for {} runs", RUNS - 1);
    assert_eq!(store.synced(), 0);
}
