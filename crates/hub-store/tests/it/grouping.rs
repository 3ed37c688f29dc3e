use crate::{append, begin, open, shell};
use hub_core::ports::{RunStore, StoreError};
use hub_store::{Durability, Options, SqliteStore};

#[tokio::test]
async fn steps_that_wait_together_are_written_together() {
    const RUNS: usize = 40;
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut runs = Vec::new();
    for n in 0..RUNS {
        runs.push(begin(&store, &n.to_string()).await);
    }
    let (commits, synced) = (store.commits(), store.synced());
    // Another program holds the database, so that the writer waits and the steps with it.
    let other = shell(dir.path());
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut tasks = Vec::new();
    for (n, run) in runs.iter().enumerate() {
        let store = store.clone();
        // One of them is refused, and costs only itself.
        let step = append(run, u64::from(n == 17));
        tasks.push(tokio::spawn(async move { store.commit(step).await }));
    }
    tokio::task::yield_now().await;
    other.execute_batch("COMMIT").unwrap();
    for (n, task) in tasks.into_iter().enumerate() {
        let expected = if n == 17 { Err(StoreError::Lost) } else { Ok(()) };
        assert_eq!(task.await.unwrap(), expected);
    }
    // The first may have been taken before the others came.
    assert!(store.commits() - commits <= 2, "{}", store.commits() - commits);
    assert_eq!(store.synced() - synced, store.commits() - commits);
    for (n, run) in runs.into_iter().enumerate() {
        assert_eq!(store.journal(run).await.unwrap().len(), usize::from(n != 17));
    }
}

#[tokio::test]
async fn transactions_are_counted_and_synced_as_asked() {
    let table = [(Durability::Power, 2), (Durability::Process, 0)];
    for (durability, synced) in table {
        let dir = tempfile::tempdir().unwrap();
        let options = Options { durability, ..Options::default() };
        let store = SqliteStore::open(dir.path(), options).unwrap();
        let run = begin(&store, "a").await;
        for (after, durable) in [(0, false), (1, true), (2, false), (3, true)] {
            let mut step = append(&run, after);
            step.durable = durable;
            store.commit(step).await.unwrap();
        }
        assert_eq!(store.commit(append(&run, 9)).await, Err(StoreError::Lost));
        assert_eq!((store.commits(), store.synced()), (4, synced));
    }
}

#[tokio::test]
async fn a_step_is_written_though_nobody_waits_for_it_any_more() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let run = begin(&store, "a").await;
    let other = shell(dir.path());
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let waiting = tokio::spawn({
        let (store, step) = (store.clone(), append(&run, 0));
        async move { store.commit(step).await }
    });
    tokio::task::yield_now().await;
    waiting.abort();
    assert!(waiting.await.unwrap_err().is_cancelled());
    other.execute_batch("COMMIT").unwrap();
    // The next step stands behind it.
    store.commit(append(&run, 1)).await.unwrap();
    assert_eq!(store.journal(run).await.unwrap().len(), 2);
}
