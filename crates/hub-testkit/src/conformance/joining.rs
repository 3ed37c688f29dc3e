//! When a new run joins an earlier one.

use crate::fixtures::{T0, run, state, step};
use hub_core::envelope::Status;
use hub_core::ports::{Attach, NewRun, Opened, Store};
use hub_core::run::RunRecord;
use std::sync::Arc;

fn attach() -> Attach {
    Attach { ended_after: T0, attended: Vec::new(), ended_counts: true }
}

async fn open(store: &Arc<dyn Store>, record: RunRecord, attach: Option<Attach>) -> Opened {
    store
        .open_run(NewRun { record, blobs: Vec::new(), attach, at_most: None })
        .await
        .expect("opened")
}

async fn set(store: &Arc<dyn Store>, record: &RunRecord, status: Status, effects: u32, ms: i64) {
    let mut change = step(&record.id, 0);
    change.effects = effects;
    change.state = state(status, T0.plus(ms));
    store.commit(change).await.expect("written");
}

pub(super) async fn parked_and_unattended_runs_are_joined(store: Arc<dyn Store>) {
    let table = [
        // At work, and nobody waits on it.
        (Status::Running, true),
        (Status::AwaitingApproval, true),
        (Status::AwaitingConnection, true),
        (Status::AwaitingInput, true),
        (Status::Interrupted, true),
    ];
    for (n, (status, joins)) in table.into_iter().enumerate() {
        let code = format!("code {n}");
        let earlier = run(&format!("{n}"), "c", &code);
        assert_eq!(open(&store, earlier.clone(), None).await, Opened::Created);
        set(&store, &earlier, status, 0, 0).await;
        let found = open(&store, run(&format!("{n}b"), "c", &code), Some(attach())).await;
        let expected = if joins { Opened::Joins(earlier.id.clone()) } else { Opened::Created };
        assert_eq!(found, expected, "{status:?}");
        assert_eq!(
            store.run(run(&format!("{n}b"), "c", "").id).await.is_ok_and(|r| r.is_none()),
            joins
        );
    }
    let live = run("live", "c", "live");
    open(&store, live.clone(), None).await;
    let attended = Attach { attended: vec![live.id.clone()], ..attach() };
    let found = open(&store, run("live1", "c", "live"), Some(attended)).await;
    assert_eq!(found, Opened::Created, "somebody waits on the other");
    set(&store, &run("live1", "c", "live"), Status::Failed, 0, 0).await;
    let found = open(&store, run("live2", "c", "live"), Some(attach())).await;
    assert_eq!(found, Opened::Joins(live.id.clone()));
    // Without being asked to, nothing joins; of several, the newest is joined.
    set(&store, &live, Status::Interrupted, 0, 0).await;
    let second = run("live3", "c", "live");
    assert_eq!(open(&store, second.clone(), None).await, Opened::Created);
    set(&store, &second, Status::AwaitingInput, 0, 0).await;
    let found = open(&store, run("live4", "c", "live"), Some(attach())).await;
    assert_eq!(found, Opened::Joins(second.id));
}

pub(super) async fn ended_runs_are_joined_only_shortly_and_after_effects(store: Arc<dyn Store>) {
    // effects, ended at, counts, another run since, joins
    let table = [
        (1, 0, true, false, true),
        (1, 5, true, false, true),
        (0, 0, true, false, false),
        (1, -1, true, false, false),
        (1, 0, false, false, false),
        (1, 0, true, true, false),
    ];
    let ended = [Status::Completed, Status::Failed, Status::Cancelled];
    for (n, (effects, at, counts, since, joins)) in table.into_iter().enumerate() {
        for (m, status) in ended.into_iter().enumerate() {
            let code = format!("code {n} {m}");
            let earlier = run(&format!("{n}{m}"), "c", &code);
            open(&store, earlier.clone(), None).await;
            set(&store, &earlier, status, effects, at).await;
            if since {
                open(&store, run(&format!("{n}{m}s"), "c", "something else"), None).await;
            }
            let mut attach = attach();
            attach.ended_counts = counts;
            let found = open(&store, run(&format!("{n}{m}b"), "c", &code), Some(attach)).await;
            let expected = if joins { Opened::Joins(earlier.id) } else { Opened::Created };
            assert_eq!(found, expected, "{n} {status:?}");
        }
    }
}

pub(super) async fn others_runs_are_never_joined(store: Arc<dyn Store>) {
    let earlier = run("a", "c", "code");
    open(&store, earlier.clone(), None).await;
    set(&store, &earlier, Status::AwaitingApproval, 0, 0).await;
    let mut profile = run("b", "c", "code");
    profile.owner.profile = "other".to_owned();
    let mut principal = run("d", "c", "code");
    principal.owner.principal = hub_core::id::PrincipalId::new("user_other");
    for other in [run("e", "d", "code"), run("f", "c", "code "), profile, principal] {
        assert_eq!(open(&store, other, Some(attach())).await, Opened::Created);
    }
    let found = open(&store, run("g", "c", "code"), Some(attach())).await;
    assert_eq!(found, Opened::Joins(earlier.id));
}
