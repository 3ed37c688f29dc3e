//! Sources on their pages: state, tools with their policy, accounts without values.

use super::{Hub, csrf, fixtures};
use hub_core::catalog::BrokenTool;
use hub_core::connection::{Credential, Placement, SecretRef};
use hub_core::limits::PAGE_TOOLS;
use hub_engine::NewConnection;

#[tokio::test]
async fn a_source_shows_its_state_and_what_policy_says_of_each_tool() {
    let hub = Hub::start().await;
    let mut listing = fixtures::listing([fixtures::tool("send"), fixtures::read_tool("list")]);
    let broken = BrokenTool { name: "odd".into(), reason: "its schema is no object".into() };
    listing.broken.push(broken);
    hub.upstream.lists("mail", listing);
    hub.upstream.wrote("mail", "started\nready");
    let credential =
        Credential { placement: Placement::Bearer, value: SecretRef::Env("MAIL_KEY".into()) };
    let new = NewConnection {
        source: "mail".into(),
        name: "work".into(),
        credentials: vec![credential],
        plain_env: Default::default(),
        make_default: true,
    };
    hub.engine.put_connection(new).await.unwrap();
    hub.engine.refresh("mail").await.unwrap();
    let (browser, to) = hub.browser(None).await;
    let list = browser.get(&format!("{to}sources")).send().await;
    for text in ["https://mail.example/mcp", "connected", "2 tools", "1 not usable", "1 account"] {
        assert!(list.body.contains(text), "{text} in {list:?}");
    }
    let id = hub.engine.sources().await.unwrap()[0].source.id.to_string();
    let path = format!("{to}sources/{id}");
    let page = browser.get(&path).send().await;
    for text in [
        "mail.send",
        "asks you",
        "mail.list",
        "1 go, 1 ask you",
        "changes nothing",
        "odd",
        "its schema is no object",
        "Bearer token, from the hub’s environment",
        "started\nready",
    ] {
        assert!(page.body.contains(text), "{text} in {page:?}");
    }
    assert!(!page.body.contains("MAIL_KEY"), "{page:?}");
    let found = browser.get(&format!("{path}?q=LIST")).send().await;
    assert!(found.body.contains("<code>mail.list") && !found.body.contains("<code>mail.send"));

    hub.upstream.offline("mail", true);
    let body = format!("csrf={}", csrf(&page));
    let post = browser.post(&format!("{path}/refresh"), &body);
    assert_eq!(post.send().await.status, 303);
    let page = browser.get(&path).send().await;
    assert!(page.body.contains("away") && page.body.contains("when it last answered"), "{page:?}");
    let post = browser.post(&format!("{path}/refresh"), "csrf=00");
    assert_eq!(post.send().await.status, 403);
    assert_eq!(browser.get(&format!("{to}sources/none")).send().await.status, 404);
}

#[tokio::test]
async fn a_page_lists_so_many_tools_and_counts_the_others() {
    let hub = Hub::start().await;
    let id = hub.engine.sources().await.unwrap()[0].source.id.to_string();
    let (browser, to) = hub.browser(None).await;
    for (tools, more) in [(PAGE_TOOLS, None), (PAGE_TOOLS + 1, Some("1 more: find them"))] {
        let names: Vec<String> = (0..tools).map(|n| format!("tool{n}")).collect();
        let listed = names.iter().map(|name| fixtures::tool(name));
        hub.upstream.lists("mail", fixtures::listing(listed));
        hub.engine.refresh("mail").await.unwrap();
        let page = browser.get(&format!("{to}sources/{id}")).send().await;
        assert_eq!(page.body.matches("<th scope=\"row\">").count(), PAGE_TOOLS);
        assert_eq!(page.body.contains("more: find them"), more.is_some());
    }
}
