use hub_core::ports::Store;
use hub_store::{Options, SqliteStore};
use hub_testkit::conformance;
use std::sync::Arc;

#[tokio::test]
async fn conforms() {
    let dirs = std::cell::RefCell::new(Vec::new());
    conformance::all(|| {
        let dir = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = SqliteStore::open(dir.path(), Options::default()).unwrap();
        dirs.borrow_mut().push(dir);
        store
    })
    .await;
}
