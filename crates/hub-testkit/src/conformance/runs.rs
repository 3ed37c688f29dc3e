//! Runs as they are added and listed.

use super::ok;
use crate::fixtures::{T0, new_run, owner, pins, run, state, step};
use hub_core::envelope::Status;
use hub_core::id::{PrincipalId, RunId};
use hub_core::ports::{Attach, NewRun, Opened, RunFilter, Store, StoreError};
use std::sync::Arc;

pub(super) async fn a_run_is_read_as_it_was_written(store: Arc<dyn Store>) {
    let mut record = run("a", "c", "return 1 // \u{0}é");
    record.pins = Some(pins(b"p", b"n"));
    record.envelope = Some("{ }".to_owned());
    record.line = Some("line".to_owned());
    record.effects = 3;
    assert_eq!(ok!(store.open_run(new_run(record.clone()))), Opened::Created);
    assert_eq!(ok!(store.run(record.id.clone())), Some(record.clone()));
    ok!(store.keep_run(record.id.clone()));
    assert_eq!(ok!(store.run(record.id.clone())), Some(record.clone()));
    assert_eq!(ok!(store.run(RunId::new("run_none"))), None);
    assert_eq!(store.journal(RunId::new("run_none")).await, Err(StoreError::NotFound));
    assert_eq!(ok!(store.journal(record.id)), Vec::<Vec<u8>>::new());
}

pub(super) async fn runs_are_listed_newest_first(store: Arc<dyn Store>) {
    for (id, client) in [("z", "c"), ("a", "d"), ("m", "c")] {
        ok!(store.open_run(new_run(run(id, client, id))));
    }
    let mut ends = step(&RunId::new("run_z"), 0);
    ends.state = state(Status::Failed, T0.plus(9));
    ok!(store.commit(ends));
    let listed = async |filter: RunFilter| {
        let found = store.runs(filter).await.expect("listed");
        found.iter().map(|r| r.id.as_str()[4..].to_owned()).collect::<String>()
    };
    let filter = |owner, status: &[Status], limit| RunFilter {
        owner,
        status: status.to_vec(),
        limit,
        ..RunFilter::default()
    };
    assert_eq!(listed(RunFilter::default()).await, "maz");
    assert_eq!(listed(filter(Some(owner("c")), &[], 0)).await, "mz");
    assert_eq!(listed(filter(None, &[Status::Running], 0)).await, "ma");
    assert_eq!(listed(filter(Some(owner("c")), &[Status::Failed], 0)).await, "z");
    assert_eq!(listed(filter(None, &[Status::Failed, Status::Running], 2)).await, "ma");
    assert_eq!(listed(filter(Some(owner("c")), &[], 1)).await, "m");
    let before = |at| RunFilter { changed_before: Some(at), ..RunFilter::default() };
    assert_eq!(listed(before(T0)).await, "");
    assert_eq!(listed(before(T0.plus(1))).await, "ma");
    assert_eq!(listed(before(T0.plus(10))).await, "maz");
}

pub(super) async fn so_many_runs_of_a_principal_may_be_open(store: Arc<dyn Store>) {
    let open = async |id: &str, client: &str, most| {
        let new = NewRun { at_most: most, ..new_run(run(id, client, id)) };
        store.open_run(new).await.expect("answered")
    };
    let at = async |id: &str, status| {
        let mut step = step(&run(id, "c", "").id, 0);
        step.state = state(status, T0);
        store.commit(step).await.expect("written");
    };
    assert_eq!(open("a", "c", Some(2)).await, Opened::Created);
    // Another client, the same principal.
    assert_eq!(open("b", "d", Some(2)).await, Opened::Created);
    for status in [Status::AwaitingApproval, Status::AwaitingConnection, Status::Interrupted] {
        at("a", status).await;
        assert_eq!(open("c", "c", Some(2)).await, Opened::TooMany);
    }
    assert_eq!(ok!(store.run(run("c", "c", "").id)), None);
    assert_eq!(open("c", "c", Some(3)).await, Opened::Created);
    assert_eq!(open("d", "c", None).await, Opened::Created);
    for (id, ended) in [("a", Status::Completed), ("b", Status::Failed), ("c", Status::Cancelled)] {
        assert_eq!(open("e", "c", Some(2)).await, Opened::TooMany);
        at(id, ended).await;
    }
    assert_eq!(open("e", "c", Some(2)).await, Opened::Created);
    let mut other = run("f", "c", "f");
    other.owner.principal = PrincipalId::new("somebody");
    let new = NewRun { at_most: Some(1), ..new_run(other) };
    assert_eq!(ok!(store.open_run(new)), Opened::Created);
    // Where it joins, nothing is added.
    let attach = Some(Attach { ended_after: T0, attended: vec![], ended_counts: true });
    let again = NewRun { attach, at_most: Some(1), ..new_run(run("g", "c", "e")) };
    assert_eq!(ok!(store.open_run(again)), Opened::Joins(run("e", "c", "").id));
}
