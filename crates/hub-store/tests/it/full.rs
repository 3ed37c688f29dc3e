use crate::{append, begin, open};
use hub_core::envelope::Status;
use hub_core::ports::{BlobStore, RunStore, StoreError};
use hub_store::{OpenError, Options, SqliteStore};
use hub_testkit::fixtures::{T0, state};

const SMALL: Options = Options {
    durability: hub_store::Durability::Process,
    readers: 1,
    max_bytes: Some(400 << 10),
    journals_bytes: u64::MAX,
};

#[tokio::test]
async fn a_full_disk_refuses_and_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path(), SMALL).unwrap();
    let run = begin(&store, "a").await;
    let entry = |n: u64| {
        let mut step = append(&run, n);
        step.events = vec![vec![n as u8; 10_000]; 2];
        step.after = 2 * n;
        step
    };
    let mut written = 0;
    let refused = loop {
        match store.commit(entry(written)).await {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
        assert!(written < 100, "it never filled up");
    };
    assert_eq!(refused, StoreError::Full);
    assert!(written > 5);
    // What came before is there, the refused step is not there in part, and refusing goes on.
    assert_eq!(store.journal(run.clone()).await.unwrap().len() as u64, 2 * written);
    assert_eq!(store.commit(entry(written)).await, Err(StoreError::Full));
    assert_eq!(store.put_blob(vec![1; 50_000]).await, Err(StoreError::Full));
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
    drop(store);
    // With room again, it goes on where it was.
    let store = open(dir.path());
    assert_eq!(store.journal(run.clone()).await.unwrap().len() as u64, 2 * written);
    store.commit(entry(written)).await.unwrap();
    assert_eq!(store.journal(run.clone()).await.unwrap().len() as u64, 2 * written + 2);
}

#[tokio::test]
async fn in_a_group_nobody_is_told_that_it_was_written() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path(), SMALL).unwrap();
    let mut runs = Vec::new();
    for n in 0..8 {
        runs.push(begin(&store, &n.to_string()).await);
    }
    let mut tasks = Vec::new();
    for run in runs.clone() {
        let store = store.clone();
        tasks.push(tokio::spawn(async move {
            let mut step = append(&run, 0);
            step.events = vec![vec![7; 90_000]];
            store.commit(step).await
        }));
    }
    let (mut full, mut written) = (0, 0);
    for (run, task) in runs.iter().zip(tasks) {
        let entries = store.journal(run.clone());
        match task.await.unwrap() {
            Ok(()) => {
                written += 1;
                assert_eq!(entries.await.unwrap().len(), 1);
            }
            Err(error) => {
                full += 1;
                assert_eq!(error, StoreError::Full);
                assert_eq!(entries.await.unwrap().len(), 0);
            }
        }
    }
    assert!(full > 0 && written + full == 8);
}

#[test]
fn a_store_that_cannot_even_begin_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let tiny = Options { max_bytes: Some(0), ..SMALL };
    // A bound below what is there already binds at what is there.
    match SqliteStore::open(dir.path(), tiny) {
        Ok(_) => {}
        Err(error) => assert!(matches!(error, OpenError::Full { .. }), "{error:?}"),
    }
}

#[tokio::test]
async fn journals_together_have_a_bound_beyond_which_runs_only_end() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { journals_bytes: 1_000, ..SMALL };
    let store = SqliteStore::open(dir.path(), options).unwrap();
    let (a, b) = (begin(&store, "a").await, begin(&store, "b").await);
    let entry = |run, after, bytes| {
        let mut step = append(run, after);
        step.events = vec![vec![0; bytes]];
        step
    };
    store.commit(entry(&a, 0, 600)).await.unwrap();
    assert_eq!(store.commit(entry(&b, 0, 401)).await, Err(StoreError::Full));
    store.commit(entry(&b, 0, 400)).await.unwrap();
    assert_eq!(store.commit(entry(&b, 1, 1)).await, Err(StoreError::Full));
    assert_eq!(store.journal_bytes().await.unwrap(), 1_000);
    let mut ends = entry(&a, 1, 10);
    ends.state = state(Status::Failed, T0);
    store.commit(ends).await.unwrap();
    assert_eq!(store.sweep(T0.plus(1)).await.unwrap(), 1);
    assert_eq!(store.journal_bytes().await.unwrap(), 400);
    store.commit(entry(&b, 1, 600)).await.unwrap();
}

#[tokio::test]
async fn what_a_sweep_frees_goes_back_to_the_disk() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path(), Options { max_bytes: None, ..SMALL }).unwrap();
    let pages = || -> i64 {
        let shell = crate::shell(dir.path());
        shell.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap()
    };
    let before = pages();
    for n in 0..20u8 {
        store.put_blob(vec![n; 100_000]).await.unwrap();
    }
    assert!(pages() > before + 400);
    assert_eq!(store.sweep(T0).await.unwrap(), 0);
    assert!(pages() < before + 20, "{} pages, {before} before", pages());
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
}
