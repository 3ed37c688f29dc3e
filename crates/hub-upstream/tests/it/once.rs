//! At most once: whatever breaks and wherever, a call has its effect once or never, and what is
//! said about it is true.

use crate::scripts::scripted_with;
use crate::support::web::{Reply, Seen, Web, ok};
use crate::support::*;
use hub_core::ports::{Sent, Upstream, UpstreamErrorKind as Kind};
use hub_upstream::Options;
use serde_json::json;

#[tokio::test]
async fn a_server_that_dies_around_its_effect_is_never_asked_twice() {
    let folder = tempfile::tempdir().unwrap();
    let ways = ["", "before", "after", "inside", "late"];
    for elicitation in [true, false] {
        let book = folder.path().join(format!("book-{elicitation}"));
        let source = scripted_with("plain", &[("BOOK", book.to_str().unwrap())]);
        let upstream = upstream(Options { elicitation, ..options() });
        let mut said = Vec::new();
        for n in 0..20_usize {
            // Each way after each other one.
            let dies = ways[(n + n / 5) % 5];
            let arguments = json!({"n": n, "dies": dies}).to_string();
            // A server that has answered something is started again without a pause. This call
            // may itself run into the one that is just dying.
            ask(&upstream, &source, "x").await.ok();
            let answer = upstream.call(call(&source, "book", &arguments)).await;
            said.push((n, dies, answer));
        }
        let written = std::fs::read_to_string(&book).unwrap();
        let times = |n: usize| written.lines().filter(|line| *line == n.to_string()).count();
        for (n, dies, answer) in said {
            let expected = match &answer {
                Ok(value) => {
                    assert_eq!(*value, text("booked"));
                    1
                }
                // Not sent: the last server's end was noticed only now.
                Err(error) if error.sent == Sent::No => 0,
                Err(error) => {
                    assert_eq!((error.kind, error.sent), (Kind::Unavailable, Sent::Maybe));
                    usize::from(dies != "before")
                }
            };
            // After a late death the next call may go to the dying server: maybe, and not done.
            let maybe = matches!(&answer, Err(error) if error.sent == Sent::Maybe);
            assert!(times(n) == expected || (maybe && times(n) == 0), "{n} {dies}: {answer:?}");
            if matches!(dies, "after" | "inside") {
                assert!(answer.is_err());
            }
        }
    }
}

/// A whole HTTP answer to `seen`, as bytes.
fn whole(seen: &Seen, events: bool) -> Vec<u8> {
    let message = json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": ok()});
    let (kind, body) = match events {
        true => ("text/event-stream", format!("event: message\ndata: {message}\n\n")),
        false => ("application/json", message.to_string()),
    };
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}")
        .into_bytes()
}

#[tokio::test]
async fn an_answer_dropped_at_any_byte_repeats_nothing() {
    for events in [false, true] {
        let at = |seen: &Seen| seen.body["params"]["arguments"]["cut"].as_u64().unwrap() as usize;
        let web = Web::modern(move |seen| {
            let mut bytes = whole(seen, events);
            bytes.truncate(at(seen));
            Reply { raw: Some(bytes), ..Reply::default() }
        })
        .await;
        let (upstream, source) = (upstream(options()), web_source(&web.url()));
        // Ids grow, and the answer with them.
        let longest = 400;
        let mut answered = 0;
        for cut in 0..longest {
            let arguments = json!({"cut": cut}).to_string();
            match upstream.call(call(&source, "t", &arguments)).await {
                Ok(value) => {
                    assert_eq!(value, text("ok"));
                    answered += 1;
                }
                Err(error) => {
                    let lost = matches!(error.kind, Kind::Unavailable | Kind::BadResponse);
                    assert!(lost && error.sent == Sent::Maybe, "{cut}: {error:?}");
                    assert_eq!(answered, 0, "{cut}: shorter answers were whole");
                }
            }
        }
        assert!(answered > 0);
        assert_eq!(web.of("tools/call").len(), longest);
    }
}

#[tokio::test]
async fn an_answer_on_a_pipe_that_ends_at_any_byte_repeats_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book");
    let source = scripted_with("plain", &[("BOOK", book.to_str().unwrap())]);
    let upstream = upstream(options());
    let (mut n, mut whole) = (0, 0);
    while whole < 3 {
        let arguments = json!({"n": n, "dies": "cut"}).to_string();
        // As above: one that has answered something is started again without a pause.
        ask(&upstream, &source, "x").await.ok();
        match upstream.call(call(&source, "book", &arguments)).await {
            Ok(value) => {
                assert_eq!(value, text("booked"));
                whole += 1;
            }
            // The last one's end was noticed only now.
            Err(error) if error.sent == Sent::No => continue,
            Err(error) => {
                assert_eq!((error.kind, error.sent), (Kind::Unavailable, Sent::Maybe), "{n}");
                assert_eq!(whole, 0, "{n}: shorter answers were whole");
            }
        }
        n += 1;
    }
    assert!(n > 60, "{n} bytes");
    let written = std::fs::read_to_string(&book).unwrap();
    let written: Vec<usize> = written.lines().map(|line| line.parse().unwrap()).collect();
    // A call may also have gone to the server that was just dying: then it is nowhere.
    let mut once = written.clone();
    once.dedup();
    assert_eq!(once, written);
    assert!(written.len() + 3 > n, "{} of {n}", written.len());
}
