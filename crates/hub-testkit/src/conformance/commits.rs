//! Steps of runs and what they are guarded by.

use super::ok;
use crate::fixtures::{T0, connection, decision, new_run, pending, rule, run, source, state, step};
use hub_core::digest::Digest;
use hub_core::envelope::Status;
use hub_core::id::{PendingId, RunId};
use hub_core::pending::Choice;
use hub_core::policy::Verdict;
use hub_core::ports::{Decided, RunCommit, RunState, SendGuard, Store, StoreError};
use std::sync::Arc;

async fn guard(store: &Arc<dyn Store>) -> SendGuard {
    let (rules_version, _) = store.rules().await.expect("read");
    let sources_version = store.sources_version().await.expect("read");
    SendGuard { rules_version, sources_version, decision: None }
}

async fn begin(store: &Arc<dyn Store>, id: &str) -> RunId {
    let record = run(id, "c", id);
    store.open_run(new_run(record.clone())).await.expect("opened");
    record.id
}

pub(super) async fn a_step_is_written_whole(store: Arc<dyn Store>) {
    let id = begin(&store, "a").await;
    let mut first = step(&id, 0);
    first.events = vec![b"one".to_vec(), Vec::new(), vec![0, 255]];
    first.waits = vec![pending("p", &id)];
    first.effects = 2;
    first.state = Some(RunState {
        status: Status::AwaitingApproval,
        envelope: Some(("{\"a\": 1}".to_owned(), "line".to_owned())),
        at: T0.plus(3),
    });
    ok!(store.commit(first.clone()));
    assert_eq!(ok!(store.journal(id.clone())), first.events);
    assert_eq!(ok!(store.pendings(id.clone())), [pending("p", &id)]);
    let record = ok!(store.run(id.clone())).expect("there");
    assert_eq!((record.status, record.changed_at), (Status::AwaitingApproval, T0.plus(3)));
    assert_eq!((record.effects, record.envelope.as_deref()), (2, Some("{\"a\": 1}")));
    let mut second = step(&id, 3);
    second.events = vec![b"four".to_vec()];
    second.effects = 1;
    second.durable = false;
    second.withdraw = vec![(PendingId::new("pend_p"), decision(Choice::Expired, T0))];
    second.state = state(Status::Completed, T0.plus(4));
    ok!(store.commit(second));
    let record = ok!(store.run(id.clone())).expect("there");
    assert_eq!((record.effects, record.line.as_deref()), (3, Some("line")));
    assert_eq!(ok!(store.journal(id.clone())).len(), 4);
    let closed = ok!(store.pending(PendingId::new("pend_p"))).expect("there");
    assert_eq!(closed.decision, Some(decision(Choice::Expired, T0)));
    // Ended is ended: whoever still holds the run has lost it.
    assert_eq!(store.commit(step(&id, 4)).await, Err(StoreError::Lost));
    assert_eq!(ok!(store.run(id)), Some(record));
}

pub(super) async fn a_step_after_another_place_is_lost(store: Arc<dyn Store>) {
    let id = begin(&store, "a").await;
    let append = |after| {
        let mut step = step(&id, after);
        step.events = vec![vec![1]];
        step
    };
    ok!(store.commit(append(0)));
    assert_eq!(store.commit(append(0)).await, Err(StoreError::Lost));
    assert_eq!(store.commit(append(2)).await, Err(StoreError::Lost));
    ok!(store.commit(append(1)));
    assert_eq!(ok!(store.journal(id)).len(), 2);
    let nowhere = store.commit(step(&RunId::new("run_none"), 0)).await;
    assert_eq!(nowhere, Err(StoreError::NotFound));
}

pub(super) async fn a_refused_step_writes_nothing(store: Arc<dyn Store>) {
    let id = begin(&store, "a").await;
    let mut first = step(&id, 0);
    first.waits = vec![pending("p", &id)];
    ok!(store.commit(first));
    let before = ok!(store.run(id.clone()));
    let mut bad = step(&id, 0);
    bad.events = vec![vec![1]];
    bad.effects = 1;
    bad.state = state(Status::Completed, T0.plus(9));
    bad.waits = vec![pending("q", &id), pending("p", &id)];
    let refused = store.commit(bad.clone()).await;
    assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
    bad.waits = vec![pending("q", &id)];
    bad.withdraw = vec![(PendingId::new("pend_none"), decision(Choice::Expired, T0))];
    assert_eq!(store.commit(bad).await, Err(StoreError::NotFound));
    assert_eq!(ok!(store.run(id.clone())), before);
    assert_eq!(ok!(store.journal(id.clone())), Vec::<Vec<u8>>::new());
    assert_eq!(ok!(store.pendings(id)).len(), 1);
}

pub(super) async fn guards_hold_versions(store: Arc<dyn Store>) {
    let id = begin(&store, "a").await;
    ok!(store.put_source(source("a")));
    let stale = guard(&store).await;
    let send = |guard: &SendGuard, after| RunCommit {
        guards: vec![guard.clone()],
        events: vec![vec![1]],
        ..step(&id, after)
    };
    ok!(store.commit(send(&stale, 0)));
    ok!(store.put_connection(connection("a", "w")));
    assert_eq!(store.commit(send(&stale, 1)).await, Err(StoreError::GuardFailed));
    let stale = guard(&store).await;
    ok!(store.commit(send(&stale, 1)));
    let put = vec![rule("r", "**", Verdict::Deny)];
    ok!(store.change_rules(put, Vec::new(), "me".to_owned(), T0));
    assert_eq!(store.commit(send(&stale, 2)).await, Err(StoreError::GuardFailed));
    // One guard that fails is enough, and nothing is written.
    let fresh = guard(&store).await;
    let mut both = send(&fresh, 2);
    both.guards.push(stale);
    assert_eq!(store.commit(both).await, Err(StoreError::GuardFailed));
    assert_eq!(ok!(store.journal(id.clone())).len(), 2);
    ok!(store.commit(send(&fresh, 2)));
}

pub(super) async fn guards_hold_decisions(store: Arc<dyn Store>) {
    let (id, other) = (begin(&store, "a").await, begin(&store, "b").await);
    let table = [
        ("once", Choice::AllowOnce, true, false),
        ("run", Choice::AllowRun, true, true),
        ("always", Choice::AllowAlways, true, false),
        ("connected", Choice::Connected, true, false),
        ("answer", Choice::Answer("{}".to_owned()), true, false),
        ("deny", Choice::Deny, false, false),
        ("expired", Choice::Expired, false, false),
        ("withdrawn", Choice::Withdrawn, false, false),
    ];
    let mut waits = step(&id, 0);
    waits.waits = table.iter().map(|row| pending(row.0, &id)).collect();
    ok!(store.commit(waits));
    let judged = guard(&store).await;
    let sends = async |run: &RunId, pending: &str, digest: &[u8]| {
        let decision = Some((PendingId::new(format!("pend_{pending}")), Digest::of(digest)));
        let guards = vec![SendGuard { decision, ..judged.clone() }];
        match store.commit(RunCommit { guards, ..step(run, 0) }).await {
            Ok(()) => true,
            Err(StoreError::GuardFailed) => false,
            Err(other) => panic!("{other:?}"),
        }
    };
    for (name, choice, call, scope) in table {
        assert!(!sends(&id, name, b"call").await, "{name} before it is decided");
        let pending = PendingId::new(format!("pend_{name}"));
        assert_eq!(ok!(store.decide(pending, decision(choice, T0))), Decided::Now);
        assert_eq!(sends(&id, name, b"call").await, call, "{name}");
        assert_eq!(sends(&id, name, b"scope").await, scope, "{name} in scope");
        assert!(!sends(&id, name, b"another call").await, "{name} for another call");
        assert!(!sends(&other, name, b"call").await, "{name} in another run");
    }
    assert!(!sends(&id, "none", b"call").await);
}

pub(super) async fn many_runs_at_once(store: Arc<dyn Store>) {
    const RUNS: usize = 20;
    const STEPS: u64 = 10;
    let mut tasks = Vec::new();
    for n in 0..RUNS {
        let store = store.clone();
        tasks.push(tokio::spawn(async move {
            let id = begin(&store, &n.to_string()).await;
            for after in 0..STEPS {
                let mut step = step(&id, after);
                step.events = vec![after.to_be_bytes().to_vec()];
                step.durable = after % 3 == 0;
                store.commit(step).await.expect("written");
            }
            id
        }));
    }
    for task in tasks {
        let id = task.await.expect("ended");
        let expected: Vec<_> = (0..STEPS).map(|n| n.to_be_bytes().to_vec()).collect();
        assert_eq!(ok!(store.journal(id)), expected);
    }
}
