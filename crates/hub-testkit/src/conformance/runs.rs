//! Runs as they are added and listed.

use super::ok;
use crate::fixtures::{T0, new_run, owner, pins, run, state, step};
use hub_core::envelope::Status;
use hub_core::id::RunId;
use hub_core::ports::{Opened, RunFilter, Store, StoreError};
use std::sync::Arc;

pub(super) async fn a_run_is_read_as_it_was_written(store: Arc<dyn Store>) {
    let mut record = run("a", "c", "return 1 // \u{0}é");
    record.pins = Some(pins(b"p", b"n"));
    record.envelope = Some("{ }".to_owned());
    record.line = Some("line".to_owned());
    record.effects = 3;
    assert_eq!(ok!(store.open_run(new_run(record.clone()))), Opened::Created);
    assert_eq!(ok!(store.run(record.id.clone())), Some(record.clone()));
    let again = store.open_run(new_run(record.clone())).await;
    assert!(matches!(again, Err(StoreError::Conflict(_))), "{again:?}");
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
    let filter =
        |owner, status: &[Status], limit| RunFilter { owner, status: status.to_vec(), limit };
    assert_eq!(listed(RunFilter::default()).await, "maz");
    assert_eq!(listed(filter(Some(owner("c")), &[], 0)).await, "mz");
    assert_eq!(listed(filter(None, &[Status::Running], 0)).await, "ma");
    assert_eq!(listed(filter(Some(owner("c")), &[Status::Failed], 0)).await, "z");
    assert_eq!(listed(filter(None, &[Status::Failed, Status::Running], 2)).await, "ma");
    assert_eq!(listed(filter(Some(owner("c")), &[], 1)).await, "m");
}
