//! Blobs, and what a sweep takes.

use super::ok;
use crate::fixtures::{T0, new_run, pending, pins, run, state, step};
use hub_core::digest::Digest;
use hub_core::envelope::Status;
use hub_core::id::PendingId;
use hub_core::ports::{NewRun, Store, StoreError};
use hub_core::run::Blob;
use std::sync::Arc;

pub(super) async fn blobs_are_found_by_their_digest(store: Arc<dyn Store>) {
    for bytes in [b"".to_vec(), b"one".to_vec(), vec![0; 100_000]] {
        assert!(!ok!(store.has_blob(Digest::of(&bytes))));
        let digest = ok!(store.put_blob(bytes.clone()));
        assert!(ok!(store.has_blob(digest)));
        assert_eq!(digest, Digest::of(&bytes));
        assert_eq!(ok!(store.put_blob(bytes.clone())), digest);
        assert_eq!(ok!(store.blob(digest)), Some(bytes));
    }
    assert_eq!(ok!(store.blob(Digest::of(b"none"))), None);
}

pub(super) async fn sweeping_takes_old_ended_runs_and_their_blobs(store: Arc<dyn Store>) {
    let there = async |bytes: &[u8]| store.blob(Digest::of(bytes)).await.expect("read").is_some();
    let open = async |id: &str, program: &[u8]| {
        let mut record = run(id, "c", id);
        record.pins = Some(pins(program, b"names"));
        let blobs = [program.to_vec(), b"names".to_vec(), format!("own {id}").into_bytes()];
        let blobs = blobs.into_iter().map(Blob::from).collect();
        store
            .open_run(NewRun { record, blobs, attach: None, at_most: None })
            .await
            .expect("opened");
    };
    // The engine's blob is kept by name, and may come after the run.
    open("old", b"shared").await;
    open("parked", b"shared").await;
    open("young", b"young").await;
    ok!(store.put_blob(b"engine".to_vec()));
    ok!(store.put_blob(b"nobody's".to_vec()));
    let end = async |id: &str, status, at| {
        let mut ends = step(&run(id, "c", "").id, 0);
        ends.events = vec![vec![1]];
        ends.waits = vec![pending(id, &ends.run)];
        ends.state = state(status, T0.plus(at));
        store.commit(ends).await.expect("written");
    };
    end("old", Status::Completed, 9).await;
    end("parked", Status::AwaitingApproval, 1).await;
    end("young", Status::Failed, 10).await;
    assert_eq!(ok!(store.sweep(T0.plus(10))), 1);
    let old = run("old", "c", "").id;
    assert_eq!(ok!(store.run(old.clone())), None);
    assert_eq!(store.journal(old.clone()).await, Err(StoreError::NotFound));
    assert_eq!(ok!(store.pendings(old)), []);
    assert_eq!(ok!(store.pending(PendingId::new("pend_old"))), None);
    assert!(ok!(store.pending(PendingId::new("pend_parked"))).is_some());
    assert!(!there(b"own old").await && !there(b"nobody's").await);
    assert!(there(b"own parked").await && there(b"shared").await && there(b"engine").await);
    assert_eq!(ok!(store.sweep(T0.plus(11))), 1);
    assert!(!there(b"young").await && there(b"names").await);
    end_all(&store).await;
    for bytes in [&b"shared"[..], b"names", b"engine", b"own parked"] {
        assert!(!there(bytes).await);
    }
    // A run that is added later begins at its own first entry.
    ok!(store.open_run(new_run(run("old", "c", "old"))));
    assert_eq!(ok!(store.journal(run("old", "c", "").id)), Vec::<Vec<u8>>::new());
}

async fn end_all(store: &Arc<dyn Store>) {
    let mut ends = step(&run("parked", "c", "").id, 1);
    ends.state = state(Status::Cancelled, T0);
    store.commit(ends).await.expect("written");
    assert_eq!(store.sweep(T0.plus(1)).await, Ok(1));
}
