use crate::{append, begin, open, shell};
use hub_core::ports::{RunStore, SourceStore, StoreError};
use hub_store::{OpenError, Options, SqliteStore};
use hub_testkit::fixtures::source;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn refusal(dir: &Path) -> OpenError {
    match SqliteStore::open(dir, Options::default()) {
        Ok(_) => panic!("it opened"),
        Err(error) => error,
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn a_second_hub_is_told_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let first = open(dir.path());
    let process = Some(std::process::id());
    let error = refusal(dir.path());
    assert_eq!(error, OpenError::Locked { dir: dir.path().to_owned(), process });
    let text = error.to_string();
    assert!(text.contains("stop it first") && text.contains(&std::process::id().to_string()));
    // The first one goes on, and gives the store up when it ends.
    first.put_source(source("a")).await.unwrap();
    drop(first);
    assert_eq!(open(dir.path()).sources().await.unwrap(), [source("a")]);
}

#[tokio::test]
async fn whoever_was_taken_over_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let run = begin(&store, "a").await;
    shell(dir.path())
        .execute("UPDATE meta SET value = value + 1 WHERE name = 'epoch'", [])
        .unwrap();
    assert_eq!(store.commit(append(&run, 0)).await, Err(StoreError::Lost));
    assert_eq!(store.put_source(source("a")).await, Err(StoreError::Lost));
    assert_eq!(store.journal(run).await.unwrap().len(), 0);
}

#[tokio::test]
async fn nobody_else_reads_it() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("a/b");
    let store = open(&dir);
    begin(&store, "a").await;
    assert_eq!(mode(&dir), 0o700);
    let files = || fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path());
    assert!(files().count() >= 5, "database, log, index, lock, marker");
    for file in files() {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    drop(store);
    // Rights that were loosened are taken back.
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(dir.join("hub.db"), fs::Permissions::from_mode(0o644)).unwrap();
    let _store = open(&dir);
    assert_eq!((mode(&dir), mode(&dir.join("hub.db"))), (0o700, 0o600));
}

#[tokio::test]
async fn a_newer_store_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    shell(dir.path()).pragma_update(None, "user_version", 99).unwrap();
    let before = fs::read(dir.path().join("hub.db")).unwrap();
    let error = refusal(dir.path());
    assert!(matches!(error, OpenError::Newer { found: 99, .. }), "{error:?}");
    assert!(error.to_string().contains("use the newer hub"));
    assert_eq!(fs::read(dir.path().join("hub.db")).unwrap(), before);
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let error = refusal(&file.join("data"));
    assert!(matches!(error, OpenError::Io { .. }), "{error:?}");
    assert!(error.to_string().contains("data"));
}

#[tokio::test]
async fn everything_is_there_after_reopening() {
    let dir = tempfile::tempdir().unwrap();
    for n in 0..5 {
        let store = open(dir.path());
        assert_eq!(store.restored(), None);
        if n == 0 {
            begin(&store, "a").await;
        }
        let run = hub_core::id::RunId::new("run_a");
        store.commit(append(&run, n)).await.unwrap();
        assert_eq!(store.journal(run).await.unwrap().len() as u64, n + 1);
        assert_eq!(store.journal_bytes().await.unwrap(), (n + 1) * 7);
        assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
    }
}
