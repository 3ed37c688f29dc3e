//! Output commit: nothing is sent before its intent is durable, and no commit too many.

use crate::harness::Hub;
use serde_json::json;

#[tokio::test]
async fn a_hundred_reads_in_a_row_cost_one_commit() {
    let hub = Hub::new().await;
    hub.driver.program("reads", |api| async move {
        for i in 0..100 {
            api.call("demo.read", json!({ "i": i })).await?;
        }
        Ok(json!(null))
    });
    let before = hub.store.commits();
    hub.run("reads").await;
    assert!(hub.store.commits() - before <= 2, "{}", hub.store.commits() - before);
}

#[tokio::test]
async fn a_hundred_effects_in_a_row_cost_one_commit_each() {
    let hub = Hub::new().await;
    hub.driver.program("effects", |api| async move {
        for i in 0..100 {
            api.call("demo.write", json!({ "i": i })).await?;
        }
        Ok(json!(null))
    });
    let before = hub.store.commits();
    hub.run("effects").await;
    let commits = hub.store.commits() - before;
    assert!((100..=102).contains(&commits), "{commits}");
}

#[tokio::test]
async fn a_hundred_effects_at_once_cost_a_handful() {
    let hub = Hub::new().await;
    hub.driver.program("burst", |api| async move {
        let calls: Vec<_> = (0..100).map(|i| api.call("demo.write", json!({ "i": i }))).collect();
        for call in calls {
            call.await?;
        }
        Ok(json!(null))
    });
    let before = hub.store.commits();
    let outcome = hub.run("burst").await;
    assert_eq!(outcome.envelope.calls.len(), 100);
    let commits = hub.store.commits() - before;
    assert!(commits <= 20, "{commits}");
}
