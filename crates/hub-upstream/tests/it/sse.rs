//! The HTTP+SSE transport of 2024-11-05, found by itself.

use crate::support::web::{Reply, Web, initialized, one_tool};
use crate::support::*;
use hub_core::ports::{Sent, UpstreamErrorKind as Kind};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;

type Stream = Arc<Mutex<Option<mpsc::Sender<String>>>>;

/// A server that knows only that transport. Calls of `broken` end the stream, those of `lost`
/// are refused as of an unknown session.
async fn server(endpoint: &'static str) -> (Web, Stream) {
    let stream: Stream = Arc::default();
    let held = stream.clone();
    let web = Web::start(move |seen| {
        if seen.method == "GET" {
            let (sender, receiver) = mpsc::channel(64);
            *held.lock().unwrap() = Some(sender);
            let mut reply = Reply::events(&format!("event: endpoint\ndata: {endpoint}\n\n"));
            reply.later = Some(Arc::new(tokio::sync::Mutex::new(receiver)));
            return reply;
        }
        if !seen.path.starts_with("/message") {
            return Reply::new(404, "text/html", "<html>Cannot POST /sse</html>");
        }
        let result = match (seen.rpc(), seen.body["params"]["name"].as_str()) {
            ("initialize", _) => initialized(&json!("2024-11-05")),
            ("tools/list", _) => one_tool(),
            ("tools/call", Some("broken")) => {
                held.lock().unwrap().take();
                return Reply::new(202, "", "Accepted");
            }
            ("tools/call", Some("lost")) => return Reply::new(404, "", "no session"),
            ("tools/call", _) => json!({"content": [{"type": "text", "text": "over sse"}]}),
            _ => return Reply::new(202, "", "Accepted"),
        };
        let message: Value = json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": result});
        let event = format!("event: message\ndata: {message}\n\n");
        if let Some(stream) = &*held.lock().unwrap() {
            stream.try_send(event).unwrap();
        }
        Reply::new(202, "", "Accepted")
    })
    .await;
    (web, stream)
}

#[tokio::test]
async fn it_is_used_where_nothing_newer_works() {
    let (web, _) = server("/message?sessionId=1").await;
    let (upstream, source) = (upstream(options()), web_source(&format!("{}/sse", web.origin)));
    assert_eq!(tools(&upstream, &source).await.unwrap(), ["t"]);
    assert_eq!(ask(&upstream, &source, "t").await.unwrap(), text("over sse"));
    assert_eq!(web.of("tools/call")[0].path, "/message?sessionId=1");
    assert_eq!(web.of("GET").len(), 1);
}

#[tokio::test]
async fn a_stream_that_ends_fails_what_waits_and_the_next_call_opens_another() {
    let (web, _) = server("/message").await;
    let (upstream, source) = (upstream(options()), web_source(&format!("{}/sse", web.origin)));
    let error = ask(&upstream, &source, "broken").await.unwrap_err();
    assert_eq!((error.kind, error.sent), (Kind::Unavailable, Sent::Maybe));
    assert_eq!(ask(&upstream, &source, "t").await.unwrap(), text("over sse"));
    let error = ask(&upstream, &source, "lost").await.unwrap_err();
    assert_eq!(error.sent, Sent::Refused);
    assert_eq!(web.of("tools/call").len(), 4, "broken, t, lost and once more lost");
}

#[tokio::test]
async fn messages_go_to_no_other_origin() {
    let (web, _) = server("http://127.0.0.1:1/message").await;
    let (upstream, source) = (upstream(options()), web_source(&format!("{}/sse", web.origin)));
    let error = tools(&upstream, &source).await.unwrap_err();
    assert_eq!((error.kind, error.sent), (Kind::Unavailable, Sent::No));
}
