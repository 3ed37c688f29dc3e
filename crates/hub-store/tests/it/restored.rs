use crate::{append, begin, open};
use hub_core::id::RunId;
use hub_core::ports::RunStore;
use hub_store::Restored;
use std::fs;
use std::path::Path;

const MARKER: &str = "hub.mark";
const DATABASE: &str = "hub.db";

fn copy_all(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

async fn one_step(dir: &Path, after: u64) {
    let store = open(dir);
    store.commit(append(&RunId::new("run_a"), after)).await.unwrap();
}

async fn fresh() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    begin(&open(dir.path()), "a").await;
    one_step(dir.path(), 0).await;
    dir
}

#[tokio::test]
async fn an_older_database_put_back_is_noticed_until_settled() {
    let dir = fresh().await;
    let backup = fs::read(dir.path().join(DATABASE)).unwrap();
    one_step(dir.path(), 1).await;
    fs::write(dir.path().join(DATABASE), &backup).unwrap();
    for _ in 0..2 {
        assert_eq!(open(dir.path()).restored(), Some(Restored::Older));
    }
    open(dir.path()).settle_restored().await.unwrap();
    assert_eq!(open(dir.path()).restored(), None);
}

#[tokio::test]
async fn a_backup_of_the_same_opening_is_noticed_too() {
    let dir = fresh().await;
    let store = open(dir.path());
    // Taken while the hub runs, as a backup tool would.
    let shell = crate::shell(dir.path());
    let backup = dir.path().join("backup");
    shell.execute("VACUUM INTO ?1", [backup.to_str().unwrap()]).unwrap();
    drop(shell);
    store.commit(append(&RunId::new("run_a"), 1)).await.unwrap();
    drop(store);
    fs::rename(backup, dir.path().join(DATABASE)).unwrap();
    assert_eq!(open(dir.path()).restored(), Some(Restored::Older));
}

#[tokio::test]
async fn a_copied_folder_or_a_lost_marker_is_noticed() {
    let dir = fresh().await;
    let copy = tempfile::tempdir().unwrap();
    copy_all(dir.path(), copy.path());
    assert_eq!(open(copy.path()).restored(), Some(Restored::Copy));
    assert_eq!(open(dir.path()).restored(), None);
    fs::remove_file(dir.path().join(MARKER)).unwrap();
    assert_eq!(open(dir.path()).restored(), Some(Restored::Copy));
    // The database of another store.
    let other = fresh().await;
    fs::copy(other.path().join(DATABASE), copy.path().join(DATABASE)).unwrap();
    assert_eq!(open(copy.path()).restored(), Some(Restored::Copy));
}

#[tokio::test]
async fn crashes_and_new_stores_are_no_restores() {
    let dir = fresh().await;
    let marker = fs::read(dir.path().join(MARKER)).unwrap();
    one_step(dir.path(), 1).await;
    // The power went before the marker reached the disk: written in place, as it was before.
    fs::write(dir.path().join(MARKER), marker).unwrap();
    assert_eq!(open(dir.path()).restored(), None);
    // A folder that is moved stays itself.
    let parent = tempfile::tempdir().unwrap();
    let moved = parent.path().join("moved");
    fs::rename(dir.path(), &moved).unwrap();
    assert_eq!(open(&moved).restored(), None);
    // A person began anew.
    fs::remove_file(moved.join(DATABASE)).unwrap();
    assert_eq!(open(&moved).restored(), None);
    assert_eq!(open(&moved).restored(), None);
}
