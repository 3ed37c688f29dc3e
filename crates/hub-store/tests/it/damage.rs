use crate::{append, begin, open};
use hub_core::id::RunId;
use hub_core::ports::{RunFilter, RunStore, SourceStore, StoreError};
use hub_store::{OpenError, Options, SqliteStore};
use std::fs;
use std::path::Path;

fn opened_with(dir: &Path, bytes: &[u8]) -> Result<std::sync::Arc<SqliteStore>, OpenError> {
    fs::write(dir.join("hub.db"), bytes).unwrap();
    SqliteStore::open(dir, Options::default())
}

#[tokio::test]
async fn a_damaged_or_foreign_file_is_refused_and_not_touched() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    let good = fs::read(dir.path().join("hub.db")).unwrap();
    let foreign = tempfile::tempdir().unwrap();
    let other = rusqlite::Connection::open(foreign.path().join("x")).unwrap();
    other.execute_batch("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)").unwrap();
    drop(other);
    let foreign = fs::read(foreign.path().join("x")).unwrap();
    let mut scratched = good.clone();
    scratched[100..4096].fill(0x5a);
    for bytes in
        [&b"this is no database, but long enough to be read as one"[..], &scratched, &foreign]
    {
        let error = opened_with(dir.path(), bytes).err().unwrap();
        assert!(matches!(error, OpenError::Damaged { .. }), "{error:?}");
        assert!(error.to_string().contains("restore a backup"));
        assert_eq!(fs::read(dir.path().join("hub.db")).unwrap(), bytes);
    }
    assert!(opened_with(dir.path(), &good).is_ok());
}

#[tokio::test]
async fn damage_found_later_is_said_and_nothing_is_made_up() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    for n in 0..200 {
        let run = begin(&store, &n.to_string()).await;
        store.commit(append(&run, 0)).await.unwrap();
    }
    let whole = store.runs(RunFilter::default()).await.unwrap();
    drop(store);
    let good = fs::read(dir.path().join("hub.db")).unwrap();
    let (mut refused, mut said) = (0, 0);
    for page in 1..good.len() / 4096 {
        let mut bad = good.clone();
        bad[page * 4096..][..4096].fill(0x5a);
        let store = match opened_with(dir.path(), &bad) {
            Ok(store) => store,
            Err(OpenError::Damaged { .. }) => {
                refused += 1;
                continue;
            }
            Err(other) => panic!("page {page}: {other:?}"),
        };
        match store.runs(RunFilter::default()).await {
            Ok(found) => assert_eq!(found, whole, "page {page}"),
            Err(StoreError::Failed(words)) => {
                said += 1;
                assert!(words.contains("damaged"), "page {page}: {words}");
            }
            Err(other) => panic!("page {page}: {other:?}"),
        }
        let _ = (store.sources().await, store.journal(RunId::new("run_7")).await);
        let found = store.check().await;
        assert!(found.as_ref().map_or(true, |lines| !lines.is_empty()) || is_free(&good, page));
    }
    assert!(refused > 0 && said > 0, "{refused} {said}");
}

/// A page that holds nothing: an empty leaf or one of the list of free pages.
fn is_free(database: &[u8], page: usize) -> bool {
    let bytes = &database[page * 4096..][..4096];
    let leaf = matches!(bytes[0], 0x0a | 0x0d) && bytes[3..5] == [0, 0];
    leaf || bytes.iter().all(|b| *b == 0)
}
