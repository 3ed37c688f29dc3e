//! Sources, listings, names and connections.

use super::ok;
use crate::fixtures::{T0, connection, listing, source, tool};
use hub_core::catalog::BrokenTool;
use hub_core::id::SourceId;
use hub_core::ports::{Store, StoreError};
use serde_json::json;
use std::sync::Arc;

pub(super) async fn names_and_namespaces_are_never_shared(store: Arc<dyn Store>) {
    ok!(store.put_source(source("b")));
    ok!(store.put_source(source("a")));
    let mut same_name = source("c");
    same_name.name = "a".to_owned();
    let mut same_namespace = source("c");
    same_namespace.namespace = "a".to_owned();
    for clash in [same_name, same_namespace] {
        let refused = store.put_source(clash).await;
        assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
    }
    let mut renamed = source("a");
    renamed.name = "z".to_owned();
    ok!(store.put_source(renamed.clone()));
    assert_eq!(ok!(store.sources()), [source("b"), renamed]);
}

pub(super) async fn listings_are_kept_whole(store: Arc<dyn Store>) {
    let id = source("a").id;
    let mut first = listing([tool("y"), tool("x")]);
    first.tools[0].input_schema = json!({ "z": 1, "a": { "\u{0}": [1.5, null, "é"] } });
    first.broken.push(BrokenTool { name: "bad".to_owned(), reason: "why".to_owned() });
    first.instructions = Some("do".to_owned());
    let unknown = store.put_listing(id.clone(), first.clone(), Vec::new(), T0).await;
    assert_eq!(unknown, Err(StoreError::NotFound));
    ok!(store.put_source(source("a")));
    assert_eq!(ok!(store.listing(id.clone())), None);
    ok!(store.put_listing(id.clone(), first.clone(), Vec::new(), T0));
    assert_eq!(ok!(store.listing(id.clone())), Some((first.clone(), T0)));
    let y = ok!(store.tool(id.clone(), "y".to_owned()));
    assert_eq!(y.as_deref(), Some(&first.tools[0]));
    assert_eq!(y.map(|t| t.digest()), Some(first.tools[0].digest()));
    let second = listing([tool("x")]);
    ok!(store.put_listing(id.clone(), second.clone(), Vec::new(), T0.plus(1)));
    assert_eq!(ok!(store.listing(id.clone())), Some((second, T0.plus(1))));
    assert_eq!(ok!(store.tool(id.clone(), "y".to_owned())), None);
    assert!(ok!(store.tool(id, "x".to_owned())).is_some());
    assert_eq!(ok!(store.tool(SourceId::new("src_none"), "x".to_owned())), None);
}

pub(super) async fn names_once_given_stay(store: Arc<dyn Store>) {
    let id = source("a").id;
    let pair = |raw: &str, name: &str| (raw.to_owned(), name.to_owned());
    ok!(store.put_source(source("a")));
    let put = |names| store.put_listing(id.clone(), listing([]), names, T0);
    ok!(put(vec![pair("z-1", "z1"), pair("a-1", "a1")]));
    ok!(put(vec![pair("b-1", "b1"), pair("z-1", "other")]));
    let expected = [pair("z-1", "z1"), pair("a-1", "a1"), pair("b-1", "b1")];
    assert_eq!(ok!(store.tool_names(id.clone())), expected);
    let taken = put(vec![pair("new", "n"), pair("c-1", "a1")]).await;
    assert!(matches!(taken, Err(StoreError::Conflict(_))), "{taken:?}");
    assert_eq!(ok!(store.tool_names(id.clone())), expected);
}

pub(super) async fn a_removed_source_takes_everything_along(store: Arc<dyn Store>) {
    let id = source("a").id;
    ok!(store.put_source(source("a")));
    ok!(store.put_source(source("b")));
    let names = vec![("x".to_owned(), "x".to_owned())];
    ok!(store.put_listing(id.clone(), listing([tool("x")]), names, T0));
    ok!(store.put_connection(connection("a", "work")));
    ok!(store.put_connection(connection("b", "work")));
    ok!(store.remove_source(id.clone()));
    assert_eq!(store.remove_source(id.clone()).await, Err(StoreError::NotFound));
    ok!(store.put_source(source("a")));
    assert_eq!(ok!(store.listing(id.clone())), None);
    assert_eq!(ok!(store.tool(id.clone(), "x".to_owned())), None);
    assert_eq!(ok!(store.tool_names(id.clone())), []);
    assert_eq!(ok!(store.connections(id)), []);
    assert_eq!(ok!(store.connections(source("b").id)).len(), 1);
}

pub(super) async fn the_first_connection_is_the_default_until_another_is(store: Arc<dyn Store>) {
    let id = source("a").id;
    let unknown = store.put_connection(connection("a", "w")).await;
    assert_eq!(unknown, Err(StoreError::NotFound));
    ok!(store.put_source(source("a")));
    let marked = || async {
        let found = store.connections(id.clone()).await.expect("listed");
        found
            .iter()
            .map(|c| format!("{}{}", c.name, if c.is_default { "*" } else { "" }))
            .collect::<Vec<_>>()
            .join(" ")
    };
    for name in ["m", "z", "b"] {
        ok!(store.put_connection(connection("a", name)));
    }
    assert_eq!(marked().await, "m* b z");
    let mut z = connection("a", "z");
    z.is_default = true;
    ok!(store.put_connection(z));
    assert_eq!(marked().await, "z* b m");
    let mut again = connection("a", "z");
    again.revision = 2;
    ok!(store.put_connection(again));
    assert_eq!(marked().await, "z* b m");
    assert_eq!(ok!(store.connections(id.clone()))[0].revision, 2);
    ok!(store.remove_connection(id.clone(), "z".to_owned()));
    assert_eq!(marked().await, "b m");
    ok!(store.put_connection(connection("a", "n")));
    assert_eq!(marked().await, "b m n");
    let gone = store.remove_connection(id.clone(), "z".to_owned()).await;
    assert_eq!(gone, Err(StoreError::NotFound));
}

pub(super) async fn the_version_rises_with_every_change(store: Arc<dyn Store>) {
    let mut last = ok!(store.sources_version());
    let mut step = async |rises: bool| {
        let now = store.sources_version().await.expect("read");
        assert_eq!(now > last, rises, "{last} to {now}");
        last = now;
    };
    ok!(store.put_source(source("a")));
    step(true).await;
    ok!(store.put_source(source("a")));
    step(false).await;
    ok!(store.put_connection(connection("a", "w")));
    step(true).await;
    // It was made the default, so putting it as it was changes nothing.
    ok!(store.put_connection(connection("a", "w")));
    step(false).await;
    ok!(store.put_listing(source("a").id, listing([tool("x")]), Vec::new(), T0));
    step(false).await;
    ok!(store.remove_connection(source("a").id, "w".to_owned()));
    step(true).await;
    assert!(store.remove_source(SourceId::new("src_none")).await.is_err());
    step(false).await;
    ok!(store.remove_source(source("a").id));
    step(true).await;
}
