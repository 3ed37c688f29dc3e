//! Between the hub and a source: what became of the call is not known, and it is not sent again,
//! also where the client asks for the same program again.

use crate::support::{Agent, TestHub};
use hub_core::catalog::Transport;
use hub_engine::NewSource;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A server whose one effect, `book`, is counted by its `n`, and whose answer to it ends after `n`
/// bytes.
struct Source {
    port: u16,
    book: Arc<Book>,
}

/// How often each `n` was booked, and the bytes of the longest whole answer.
#[derive(Default)]
struct Book {
    booked: Mutex<HashMap<u64, usize>>,
    longest: Mutex<usize>,
}

impl Source {
    fn start(events: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let book = Arc::new(Book::default());
        let kept = book.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let kept = kept.clone();
                std::thread::spawn(move || answer(stream, events, &kept));
            }
        });
        Self { port, book }
    }
}

fn answer(mut stream: TcpStream, events: bool, book: &Book) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end().to_ascii_lowercase().split_once(": ") {
            Some(("content-length", n)) => length = n.parse().ok()?,
            Some(_) => {}
            None if line.trim().is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let asked: Value = serde_json::from_slice(&body).ok()?;
    let is_call = asked["method"] == "tools/call";
    let result = match asked["method"].as_str()? {
        "server/discover" => json!({ "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} } }),
        "tools/list" => json!({ "resultType": "complete", "tools": [{ "name": "book",
            "inputSchema": { "type": "object" },
            "annotations": { "destructiveHint": false, "openWorldHint": false } }] }),
        _ => json!({ "resultType": "complete", "structuredContent": { "booked": true } }),
    };
    let message = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result }).to_string();
    let (kind, body) = match events && is_call {
        true => ("text/event-stream", format!("event: message\ndata: {message}\n\n")),
        false => ("application/json", message),
    };
    let whole = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let mut bytes = whole.as_bytes();
    if is_call {
        let n = asked["params"]["arguments"]["n"].as_u64()?;
        *book.booked.lock().unwrap().entry(n).or_default() += 1;
        let mut longest = book.longest.lock().unwrap();
        *longest = bytes.len().max(*longest);
        bytes = &bytes[..bytes.len().min(n as usize)];
    }
    stream.write_all(bytes).ok()
}

#[test]
fn an_answer_cut_at_each_byte_is_unknown_and_not_asked_for_again() {
    for events in [false, true] {
        let (hub, source) = (TestHub::start(), Source::start(events));
        let url = format!("http://127.0.0.1:{}/mcp", source.port);
        let new = NewSource {
            name: "shop".into(),
            transport: Transport::Http { url },
            trusted: true,
            effects: Default::default(),
            timeout_ms: None,
            concurrency: None,
            from_file: false,
        };
        let added = hub.api(&hub_server::api::sources::add::Add { source: new }).unwrap();
        assert_eq!(added.view.problem, None);
        let agent = Agent::with(&hub, hub.key());
        let (mut n, mut whole) = (0, 0);
        // Up to some bytes after the first answer that came through: ids grow, and answers with
        // them.
        while whole < 5 {
            let code = json!({ "code": format!("return await shop.book({{ n: {n} }});") });
            let (first, second) = (agent.execute(code.clone()), agent.execute(code));
            assert_eq!(first["runId"], second["runId"], "byte {n}: the same run, whatever it says");
            match first["status"].as_str() {
                Some("completed") => whole += 1,
                _ => assert_eq!(first["error"]["code"], "outcome_unknown", "byte {n}: {first}"),
            }
            n += 1;
        }
        assert!(n as usize >= *source.book.longest.lock().unwrap() - 4 && n > 100, "{n} bytes");
        let booked = source.book.booked.lock().unwrap();
        assert!((0..n).all(|n| booked.get(&n) == Some(&1)), "{booked:?}");
    }
}
