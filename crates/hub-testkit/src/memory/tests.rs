use super::*;
use crate::fixtures::{new_run, run, step};
use hub_core::ports::RunStore;

#[tokio::test]
async fn a_crash_keeps_what_was_durable_and_what_came_before_it() {
    let store = MemoryStore::new();
    let record = run("a", "c", "1");
    store.open_run(new_run(record.clone())).await.unwrap();
    let append = |after, durable| {
        let mut step = step(&record.id, after);
        step.events = vec![vec![after as u8]];
        step.durable = durable;
        step
    };
    store.commit(append(0, false)).await.unwrap();
    store.commit(append(1, true)).await.unwrap();
    store.commit(append(2, false)).await.unwrap();
    let next = store.crash();
    assert_eq!(next.journal(record.id.clone()).await.unwrap(), [[0], [1]]);
    assert_eq!(store.commit(append(2, true)).await, Err(StoreError::Lost));
    next.commit(append(2, true)).await.unwrap();
}

#[tokio::test]
async fn faults_hit_the_commit_they_are_meant_for() {
    let store = MemoryStore::new();
    let record = run("a", "c", "1");
    store.open_run(new_run(record.clone())).await.unwrap();
    let append = |after| {
        let mut step = step(&record.id, after);
        step.events = vec![vec![0]];
        step
    };
    store.fail_commit(2, Fault::Full);
    store.fail_commit(3, Fault::After);
    store.commit(append(0)).await.unwrap();
    assert_eq!(store.commit(append(1)).await, Err(StoreError::Full));
    assert!(matches!(store.commit(append(1)).await, Err(StoreError::Failed(_))));
    assert_eq!(store.journal(record.id.clone()).await.unwrap().len(), 2);
    store.set_full(true);
    assert_eq!(store.commit(append(2)).await, Err(StoreError::Full));
    store.set_full(false);
    store.commit(append(2)).await.unwrap();
    assert_eq!(store.commits(), 5);
}

#[tokio::test]
async fn conforms() {
    crate::conformance::all(|| MemoryStore::new()).await;
}
