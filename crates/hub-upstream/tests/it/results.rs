//! Results on the wire: what JSON forbids, pieces of any size, lines of any length.

use crate::scripts::{many_byte_text, scripted_source};
use crate::support::web::{Reply, Web};
use crate::support::*;
use hub_core::limits;
use hub_core::ports::{Answer, Sent, Upstream, UpstreamErrorKind as Kind};
use serde_json::json;

#[tokio::test]
async fn what_python_writes_for_no_number_is_null() {
    let (upstream, source) = (upstream(options()), scripted_source("plain"));
    let value = ask(&upstream, &source, "nan").await.unwrap();
    assert_eq!(value, Answer::Value("{\"v\":null,\"w\":null}".to_owned()));
    assert_eq!(ask(&upstream, &source, "x").await.unwrap(), text("plain:x:2"));
}

#[tokio::test]
async fn pieces_of_any_size_arrive_whole_over_a_pipe() {
    let (upstream, source) = (upstream(options()), scripted_source("plain"));
    for size in [1, 7, 4_096, 65_536] {
        let arguments = json!({"size": size}).to_string();
        let answer = upstream.call(call(&source, "chunks", &arguments)).await.unwrap();
        assert_eq!(answer, text(&many_byte_text()), "by {size}");
    }
}

#[tokio::test]
async fn pieces_of_any_size_arrive_whole_as_events() {
    for size in [1_usize, 7, 4_096, 65_536] {
        let web = Web::modern(move |seen| {
            let result = json!({"content": [{"type": "text", "text": many_byte_text()}]});
            let message = json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": result});
            let mut reply = Reply::events(&format!("event: message\ndata: {message}\n\n"));
            reply.body = reply.body[0].chunks(size).map(<[u8]>::to_vec).collect();
            reply
        })
        .await;
        let (upstream, source) = (upstream(options()), web_source(&web.url()));
        assert_eq!(ask(&upstream, &source, "t").await.unwrap(), text(&many_byte_text()));
    }
}

#[tokio::test]
async fn long_lines_arrive_whole_up_to_the_limit() {
    let (upstream, source) = (upstream(options()), scripted_source("plain"));
    let large =
        |bytes: usize| upstream.call(call(&source, "large", &json!({"bytes": bytes}).to_string()));
    for bytes in [9 << 10, 70 << 10, 1_100_000, limits::TOOL_RESULT_BYTES - 2] {
        assert_eq!(large(bytes).await.unwrap(), text(&"x".repeat(bytes)));
    }
    for bytes in [limits::TOOL_RESULT_BYTES - 1, 10 << 20, limits::SOURCE_MESSAGE_BYTES] {
        let error = large(bytes).await.unwrap_err();
        assert_eq!((error.kind, error.sent), (Kind::TooLarge, Sent::Refused), "{bytes}");
    }
    assert_eq!(large(3).await.unwrap(), text("xxx"));
}
