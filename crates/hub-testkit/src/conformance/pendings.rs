//! Single use: a pending is decided once.

use super::ok;
use crate::fixtures::{T0, decision, new_run, pending, run, step};
use hub_core::id::{PendingId, RunId};
use hub_core::pending::{Choice, Pending};
use hub_core::ports::{Decided, Store, StoreError};
use std::sync::Arc;

async fn wait(store: &Arc<dyn Store>, run_id: &str, ids: &[&str]) -> RunId {
    let record = run(run_id, "c", run_id);
    store.open_run(new_run(record.clone())).await.expect("opened");
    let mut waits = step(&record.id, 0);
    waits.waits = ids.iter().map(|id| pending(id, &record.id)).collect();
    store.commit(waits).await.expect("written");
    record.id
}

pub(super) async fn a_pending_is_decided_once(store: Arc<dyn Store>) {
    wait(&store, "a", &["p"]).await;
    let id = PendingId::new("pend_p");
    let first = decision(Choice::Deny, T0.plus(1));
    assert_eq!(ok!(store.decide(id.clone(), first.clone())), Decided::Now);
    for later in [first.clone(), decision(Choice::AllowOnce, T0.plus(2))] {
        assert_eq!(ok!(store.decide(id.clone(), later)), Decided::Already(first.clone()));
    }
    assert_eq!(ok!(store.pending(id)).and_then(|p| p.decision), Some(first));
    let unknown = store.decide(PendingId::new("pend_x"), decision(Choice::Deny, T0)).await;
    assert_eq!(unknown, Err(StoreError::NotFound));
    assert_eq!(ok!(store.pending(PendingId::new("pend_x"))), None);
}

pub(super) async fn of_many_deciders_one_wins(store: Arc<dyn Store>) {
    wait(&store, "a", &["p"]).await;
    let mut tasks = Vec::new();
    for n in 0..16 {
        let store = store.clone();
        let choice = if n % 2 == 0 { Choice::AllowOnce } else { Choice::Deny };
        let mine = decision(choice, T0.plus(n));
        tasks.push(tokio::spawn(async move {
            let found = store.decide(PendingId::new("pend_p"), mine.clone()).await;
            (mine, found.expect("decided"))
        }));
    }
    let mut winners = Vec::new();
    let mut told = Vec::new();
    for task in tasks {
        match task.await.expect("ended") {
            (mine, Decided::Now) => winners.push(mine),
            (_, Decided::Already(first)) => told.push(first),
            (_, Decided::Expired) => panic!("it had not expired"),
        }
    }
    assert_eq!((winners.len(), told.len()), (1, 15));
    assert!(told.iter().all(|d| *d == winners[0]));
}

pub(super) async fn an_expired_pending_is_only_closed(store: Arc<dyn Store>) {
    let run = wait(&store, "a", &["p", "q"]).await;
    let end = pending("p", &run).expires_at;
    let (p, q) = (PendingId::new("pend_p"), PendingId::new("pend_q"));
    let late = decision(Choice::AllowOnce, end);
    assert_eq!(ok!(store.decide(p.clone(), late)), Decided::Expired);
    assert_eq!(ok!(store.pending(p.clone())).and_then(|p| p.decision), None);
    let closes = decision(Choice::Expired, end.plus(1));
    assert_eq!(ok!(store.decide(p.clone(), closes.clone())), Decided::Now);
    let again = ok!(store.decide(p, decision(Choice::AllowOnce, T0)));
    assert_eq!(again, Decided::Already(closes));
    let in_time = decision(Choice::AllowOnce, end.plus(-1));
    assert_eq!(ok!(store.decide(q, in_time)), Decided::Now);
}

pub(super) async fn open_ones_are_listed_oldest_first(store: Arc<dyn Store>) {
    let a = wait(&store, "a", &["z", "m"]).await;
    wait(&store, "b", &["c", "a"]).await;
    let open = async || {
        let found = store.open_pendings().await.expect("listed");
        found.iter().map(|p| p.id.as_str()[5..].to_owned()).collect::<String>()
    };
    assert_eq!(open().await, "zmca");
    ok!(store.decide(PendingId::new("pend_m"), decision(Choice::Deny, T0)));
    assert_eq!(open().await, "zca");
    // Withdrawing leaves a decision that was there.
    let mut ends = step(&a, 0);
    let gone = decision(Choice::Expired, T0.plus(1));
    ends.withdraw = ["pend_z", "pend_m"].map(|id| (PendingId::new(id), gone.clone())).to_vec();
    ok!(store.commit(ends));
    assert_eq!(open().await, "ca");
    let mine = ok!(store.pendings(a));
    let decisions: Vec<_> = mine.into_iter().filter_map(|p| p.decision).collect();
    assert_eq!(decisions, [gone, decision(Choice::Deny, T0)]);
}

pub(super) async fn overdue_ones_are_those_at_their_end(store: Arc<dyn Store>) {
    let record = run("a", "c", "a");
    ok!(store.open_run(new_run(record.clone())));
    let mut waits = step(&record.id, 0);
    let at = |id: &str, ms| Pending { expires_at: T0.plus(ms), ..pending(id, &record.id) };
    waits.waits = vec![at("late", 20), at("soon", 10), at("decided", 5)];
    ok!(store.commit(waits));
    ok!(store.decide(PendingId::new("pend_decided"), decision(Choice::Deny, T0)));
    let overdue = async |ms| {
        let found = store.overdue_pendings(T0.plus(ms)).await.expect("listed");
        found.iter().map(|p| p.id.as_str()[5..].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(overdue(9).await, Vec::<String>::new());
    assert_eq!(overdue(10).await, ["soon"]);
    assert_eq!(overdue(20).await, ["late", "soon"]);
}
