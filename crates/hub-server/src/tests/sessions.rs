//! Sessions of older clients.

use crate::error::ErrorKind;
use crate::mcp::http::sessions;
use crate::middleware::session::Sessions;
use crate::tests::support::{Ask, Server, rpc};
use hub_core::limits::SESSIONS;
use rmcp::transport::streamable_http_server::session::SessionManager;
use serde_json::json;

#[tokio::test]
async fn a_session_exists_for_the_key_that_opened_it_only() {
    let server = Server::start().await;
    let session = server.session("2025-11-25", json!({})).await;
    let list = |token: &str, session: &str| {
        server
            .post(rpc(1, "tools/list", json!({})))
            .with("Authorization", &format!("Bearer {token}"))
            .with("Mcp-Session-Id", session)
    };
    assert_eq!(list("token-a", &session).send().await.status, 200);
    let other = list("token-b", &session).send().await;
    let unknown = list("token-b", "nonsense").send().await;
    assert_eq!(other.status, 404);
    assert_eq!((other.status, &other.body), (unknown.status, &unknown.body));

    // Neither the stream nor the end of it is another key's.
    for method in ["GET", "DELETE"] {
        let ask = Ask::new(server.port, method, "/mcp")
            .with("Accept", "text/event-stream")
            .with("Mcp-Session-Id", &session);
        let got = ask.clone().with("Authorization", "Bearer token-b").send().await;
        assert_eq!(got.status, 404, "{method}");
        if method == "DELETE" {
            let got = ask.with("Authorization", "Bearer token-a").send().await;
            assert_eq!(got.status, 204, "{got:?}");
        }
    }
    assert_eq!(list("token-a", &session).send().await.status, 404);
}

#[tokio::test]
async fn a_stateless_request_ignores_a_session() {
    let server = Server::start().await;
    let ask = server.modern("tools/list", json!({}), json!({}));
    assert_eq!(ask.with("Mcp-Session-Id", "nonsense").send().await.status, 200);
}

#[tokio::test]
async fn an_older_request_without_a_session_is_told_so() {
    let server = Server::start().await;
    let got = server.post(rpc(1, "tools/list", json!({}))).send().await;
    assert_eq!(got.status, 400, "{got:?}");
}

#[tokio::test]
async fn sessions_are_bounded() {
    let live = sessions();
    let bounded = Sessions::new(live.clone());
    for _ in 0..SESSIONS {
        bounded.room().await.unwrap();
        live.create_session().await.unwrap();
    }
    assert_eq!(bounded.room().await.unwrap_err().kind, ErrorKind::Busy);
}
