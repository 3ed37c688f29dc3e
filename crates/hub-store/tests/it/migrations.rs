//! Every version that was ever released opens, with everything in it.
//!
//! `tests/fixtures/v<n>.sql` is a database of version n as SQL text, filled by [`fill`] of that
//! time. A new version adds the fixture of the one before it and leaves older ones alone.

use crate::{open, shell};
use hub_core::envelope::Status;
use hub_core::id::{KeyId, PendingId, RuleId, RunId};
use hub_core::pending::Choice;
use hub_core::policy::Verdict;
use hub_core::ports::{BlobStore, KeyStore, NewRun, PolicyStore, RunCommit, RunStore, SourceStore};
use hub_store::SqliteStore;
use hub_testkit::fixtures::{
    T0, connection, decision, key, listing, pending, pins, read_tool, rule, run, source, state,
    step, tool,
};
use std::path::Path;

/// One of everything.
async fn fill(store: &SqliteStore) {
    let names = vec![("x".to_owned(), "x".to_owned())];
    store.put_source(source("a")).await.unwrap();
    let tools = listing([tool("x"), read_tool("y")]);
    store.put_listing(source("a").id, tools, names, T0).await.unwrap();
    store.put_connection(connection("a", "work")).await.unwrap();
    let rules = vec![rule("r", "a.*", Verdict::Ask), rule("gone", "**", Verdict::Deny)];
    store.change_rules(rules, vec![], "me".into(), T0).await.unwrap();
    store.change_rules(vec![], vec![RuleId::new("rule_gone")], "me".into(), T0).await.unwrap();
    store.put_key(key("c"), hub_core::digest::Digest::of(b"token")).await.unwrap();
    store.revoke_key(KeyId::new("key_c"), T0).await.unwrap();
    store.hub_key("seal".into(), [9; 32]).await.unwrap();
    let mut record = run("a", "c", "code");
    record.pins = Some(pins(b"program", b"names"));
    let blobs = vec![b"program".to_vec().into(), b"names".to_vec().into()];
    store.open_run(NewRun { record, blobs, attach: None, at_most: None }).await.unwrap();
    let id = RunId::new("run_a");
    let commit = RunCommit {
        events: vec![b"one".to_vec(), b"two".to_vec()],
        waits: vec![pending("p", &id), pending("q", &id)],
        effects: 1,
        state: state(Status::AwaitingApproval, T0.plus(1)),
        ..step(&id, 0)
    };
    store.commit(commit).await.unwrap();
    let allow = decision(Choice::AllowRun, T0.plus(2));
    store.decide(PendingId::new("pend_p"), allow).await.unwrap();
}

async fn check(store: &SqliteStore) {
    assert_eq!(store.sources().await.unwrap(), [source("a")]);
    let (found, at) = store.listing(source("a").id).await.unwrap().unwrap();
    assert_eq!((found, at), (listing([tool("x"), read_tool("y")]), T0));
    assert_eq!(store.tool_names(source("a").id).await.unwrap().len(), 1);
    assert!(store.connections(source("a").id).await.unwrap()[0].is_default);
    assert_eq!(store.rules().await.unwrap(), (2, vec![rule("r", "a.*", Verdict::Ask)]));
    assert_eq!(store.rule_history(9).await.unwrap()[0].removed.len(), 1);
    assert_eq!(store.keys().await.unwrap()[0].revoked_at, Some(T0));
    assert_eq!(store.hub_key("seal".into(), [1; 32]).await.unwrap(), [9; 32]);
    let id = RunId::new("run_a");
    let record = store.run(id.clone()).await.unwrap().unwrap();
    assert_eq!(record.pins, Some(pins(b"program", b"names")));
    assert_eq!((record.status, record.effects), (Status::AwaitingApproval, 1));
    assert_eq!(store.journal(id.clone()).await.unwrap(), [b"one", b"two"]);
    let waits = store.pendings(id.clone()).await.unwrap();
    assert_eq!(waits[0].decision, Some(decision(Choice::AllowRun, T0.plus(2))));
    assert_eq!(store.open_pendings().await.unwrap(), [pending("q", &id)]);
    let names = pins(b"program", b"names").names;
    assert_eq!(store.blob(names).await.unwrap(), Some(b"names".to_vec()));
}

fn fixtures() -> Vec<(usize, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name[1..].parse().unwrap(), std::fs::read_to_string(path).unwrap())
        })
        .collect();
    found.sort();
    found
}

fn version(dir: &Path) -> usize {
    let version: i64 =
        shell(dir).pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    version as usize
}

/// Tables and indices, in words.
fn schema(dir: &Path) -> Vec<String> {
    let db = shell(dir);
    let sql = "SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY type, name";
    let mut found = db.prepare(sql).unwrap();
    let rows = found.query_map([], |row| row.get::<_, String>(0)).unwrap();
    rows.map(|sql| sql.unwrap().split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[tokio::test]
async fn every_earlier_version_opens_with_everything_in_it() {
    let fresh = tempfile::tempdir().unwrap();
    let store = open(fresh.path());
    fill(&store).await;
    check(&store).await;
    drop(store);
    let fixtures = fixtures();
    let versions: Vec<_> = fixtures.iter().map(|f| f.0).collect();
    let expected: Vec<_> = (1..=version(fresh.path())).collect();
    assert_eq!(versions, expected, "one fixture per version");
    for (n, sql) in fixtures {
        let dir = tempfile::tempdir().unwrap();
        let db = shell(dir.path());
        db.execute_batch(&sql).unwrap();
        drop(db);
        assert_eq!(version(dir.path()), n);
        let store = open(dir.path());
        check(&store).await;
        drop(store);
        assert_eq!(schema(dir.path()), schema(fresh.path()), "from version {n}");
    }
}
