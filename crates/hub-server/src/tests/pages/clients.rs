//! Clients on their page: no key, ever.

use super::{Hub, csrf};
use hub_core::owner::ElicitationMode;

#[tokio::test]
async fn clients_are_listed_and_their_keys_taken_away_but_never_shown() {
    let hub = Hub::start().await;
    let (browser, to) = hub.browser(None).await;
    let issued = hub.engine.issue_key("cursor", ElicitationMode::Browser, true).await.unwrap();
    let page = browser.get(&format!("{to}clients")).send().await;
    for text in [
        // These have shells: their forms are not what a decision should hang on.
        "client connect claude-code --mode browser --write .mcp.json",
        "client connect cursor --mode browser --write .cursor/mcp.json",
        "client connect vscode --mode browser --write .vscode/mcp.json",
        "client connect codex --mode browser",
        "client connect my-agent --http",
        "on these pages only",
    ] {
        let shown = page.body.replace("<span class=\"word\">", "").replace("</span>", "");
        assert!(shown.contains(text), "{text} in {page:?}");
    }
    assert!(!page.body.contains(&issued.token));
    let path = format!("{to}clients/revoke");
    for (csrf, status) in [("00".to_owned(), 403), (csrf(&page), 303)] {
        let body = format!("csrf={csrf}&key={}", issued.key.id);
        assert_eq!(browser.post(&path, &body).send().await.status, status);
    }
    assert!(hub.engine.authenticate(&issued.token).await.unwrap().is_none());
    let page = browser.get(&format!("{to}clients")).send().await;
    assert!(page.body.contains("revoked"), "{page:?}");
}
