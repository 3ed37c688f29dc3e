//! Streamable HTTP: statuses, sessions, broken streams, redirects, credentials.

use crate::support::web::{Reply, Seen, Web, initialized, ok, one_tool};
use crate::support::*;
use hub_core::connection::Placement;
use hub_core::ports::{Sent, Upstream, UpstreamError, UpstreamErrorKind as Kind};
use hub_upstream::{McpUpstream, Options};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn event(seen: &Seen, result: Value) -> String {
    let message = json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": result});
    format!("event: message\ndata: {message}\n\n")
}

fn nothing(_: &Seen) -> Reply {
    Reply::new(405, "", "")
}

/// Calls `t` once; what came of it, and how often the server saw it.
async fn one_call(web: &Web) -> (Result<hub_core::ports::Answer, UpstreamError>, usize) {
    let (upstream, source) = (upstream(options()), web_source(&web.url()));
    let answer = ask(&upstream, &source, "t").await;
    (answer, web.of("tools/call").len())
}

#[tokio::test]
async fn both_eras_work_as_json_and_as_events() {
    let json = |seen: &Seen| seen.result(ok());
    let events = |seen: &Seen| Reply::events(&event(seen, ok()));
    let servers = [
        (Web::modern(json).await, "2026-07-28"),
        (Web::modern(events).await, "2026-07-28"),
        (Web::legacy(json, nothing).await, "2025-11-25"),
        (Web::legacy(events, nothing).await, "2025-11-25"),
    ];
    for (web, version) in servers {
        let (upstream, source) = (upstream(options()), web_source(&web.url()));
        let listing = upstream.list(&source, None).await.unwrap();
        assert_eq!((listing.protocol_version.as_str(), listing.tools.len()), (version, 1));
        assert_eq!(ask(&upstream, &source, "t").await.unwrap(), text("ok"));
        let called = &web.of("tools/call")[0];
        assert_eq!(called.header("mcp-protocol-version"), Some(version));
        let modern = version == "2026-07-28";
        assert_eq!(called.header("mcp-method").is_some(), modern);
        assert_eq!(called.header("mcp-name"), modern.then_some("t"));
    }
}

#[tokio::test]
async fn every_refusal_is_told_apart_and_no_call_is_repeated() {
    let html = "<html>bad gateway</html>";
    let table: [(Reply, Kind, Sent); 13] = [
        (Reply::new(500, "text/html", html), Kind::Unavailable, Sent::Maybe),
        (Reply::new(502, "text/html", html), Kind::Unavailable, Sent::Maybe),
        (Reply::new(503, "text/html", html), Kind::Unavailable, Sent::Maybe),
        (Reply::new(504, "", ""), Kind::Unavailable, Sent::Maybe),
        (Reply::new(401, "", ""), Kind::Unauthorized, Sent::Refused),
        (Reply::new(403, "", "no"), Kind::Forbidden, Sent::Refused),
        (Reply::new(404, "", ""), Kind::Failed, Sent::Refused),
        (Reply::new(415, "", ""), Kind::Failed, Sent::Refused),
        (
            Reply::new(429, "", "").with("Retry-After", "2"),
            Kind::RateLimited(Some(2_000)),
            Sent::Refused,
        ),
        // The tests' clock shows three seconds less.
        (
            Reply::new(429, "", "").with("Retry-After", "Sun, 06 Nov 1994 08:49:40 GMT"),
            Kind::RateLimited(Some(3_000)),
            Sent::Refused,
        ),
        (
            Reply::new(503, "", "").with("Retry-After", "7"),
            Kind::RateLimited(Some(7_000)),
            Sent::Refused,
        ),
        (Reply { reset: true, ..Reply::default() }, Kind::Unavailable, Sent::Maybe),
        (Reply::new(202, "", ""), Kind::BadResponse, Sent::Maybe),
    ];
    for (reply, kind, sent) in table {
        for modern in [true, false] {
            let (status, reply) = (reply.status, reply.clone());
            let on_call = move |_: &Seen| reply.clone();
            let web = match modern {
                true => Web::modern(on_call).await,
                false => Web::legacy(on_call, nothing).await,
            };
            let (answer, calls) = one_call(&web).await;
            let error = answer.unwrap_err();
            assert_eq!((error.kind, error.sent, calls), (kind, sent, 1), "{status}");
            assert!(error.message.starts_with("web: "), "{}", error.message);
        }
    }
}

#[tokio::test]
async fn a_refusal_in_the_protocol_s_words_is_the_server_s_answer() {
    for status in [200, 400, 404, 500] {
        let web = Web::modern(move |seen| seen.error(status, -32000, "locked")).await;
        let (answer, _) = one_call(&web).await;
        let error = answer.unwrap_err();
        assert_eq!((error.kind, error.sent), (Kind::Failed, Sent::Refused));
        assert_eq!((error.message.as_str(), error.status), ("locked", Some(-32000)));
    }
}

#[tokio::test]
async fn lost_sessions_in_odd_words_fail_fast_with_those_words() {
    let stray = Reply::events("event: message\ndata: {\"error\":\"Session not found\"}\n\n");
    let invalid = json!({"jsonrpc": "2.0", "id": null,
        "error": {"code": -32600, "message": "Invalid Request"}});
    for (reply, words) in [(stray, "Session not found"), (Reply::json(400, &invalid), "Invalid")] {
        let web = Web::legacy(move |_| reply.clone(), nothing).await;
        let (answer, calls) = one_call(&web).await;
        let error = answer.unwrap_err();
        assert!(error.message.contains(words), "{}", error.message);
        assert_eq!(calls, 1);
    }
}

#[tokio::test]
async fn a_session_the_server_forgot_is_begun_anew_once() {
    // Each session lives for one call.
    let session = Arc::new(AtomicUsize::new(0));
    let web = Web::start(move |seen| {
        let current = || format!("s{}", session.load(Ordering::SeqCst));
        match seen.rpc() {
            "initialize" => {
                session.fetch_add(1, Ordering::SeqCst);
                let version = &seen.body["params"]["protocolVersion"];
                seen.result(initialized(version)).with("Mcp-Session-Id", &current())
            }
            "server/discover" => Reply::new(400, "", "no session"),
            "tools/call" if seen.header("mcp-session-id") == Some(&current()) => {
                session.fetch_add(1, Ordering::SeqCst);
                seen.result(ok())
            }
            "tools/call" => Reply::new(404, "", "unknown session"),
            "GET" => Reply::new(405, "", ""),
            _ => Reply::new(202, "", ""),
        }
    })
    .await;
    let (upstream, source) = (upstream(options()), web_source(&web.url()));
    for _ in 0..3 {
        assert_eq!(ask(&upstream, &source, "t").await.unwrap(), text("ok"));
    }
    // The first in its session; each later one refused once, then sent in a new session.
    assert_eq!((web.of("initialize").len(), web.of("tools/call").len()), (3, 5));
}

#[tokio::test]
async fn a_session_that_is_always_lost_is_not_begun_for_ever() {
    let web = Web::start(|seen| match seen.rpc() {
        "initialize" => {
            let version = &seen.body["params"]["protocolVersion"];
            seen.result(initialized(version)).with("Mcp-Session-Id", "s")
        }
        "server/discover" => Reply::new(400, "", ""),
        "tools/call" => Reply::new(404, "", ""),
        _ => Reply::new(202, "", ""),
    })
    .await;
    let (upstream, source) = (upstream(options()), web_source(&web.url()));
    let error = ask(&upstream, &source, "t").await.unwrap_err();
    assert_eq!((error.kind, error.sent), (Kind::Unavailable, Sent::Refused));
    assert!(web.of("tools/call").len() <= 2);
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_taken_up_where_ids_allow_it() {
    let last_id = Arc::new(std::sync::Mutex::new(Value::Null));
    let id = last_id.clone();
    let web = Web::legacy(
        move |seen| {
            *id.lock().unwrap() = seen.body["id"].clone();
            Reply::events("id: e1\nretry: 20\ndata: \n\n")
        },
        move |seen| match seen.header("last-event-id") {
            Some("e1") => Reply::events("id: e2\ndata: \n\n"),
            Some("e2") => {
                let id = last_id.lock().unwrap().clone();
                let answer = json!({"jsonrpc": "2.0", "id": id, "result": ok()});
                Reply::events(&format!("id: e3\ndata: {answer}\n\n"))
            }
            _ => Reply::new(405, "", ""),
        },
    )
    .await;
    let (answer, calls) = one_call(&web).await;
    assert_eq!((answer.unwrap(), calls), (text("ok"), 1));
}

#[tokio::test]
async fn an_answer_that_breaks_off_for_good_is_unknown() {
    let table: [(&str, bool); 5] = [
        // Without an id nothing can be taken up.
        ("", false),
        ("data: \n\n", false),
        ("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,", false),
        // The server does not know the id any more.
        ("id: e1\nretry: 5\ndata: \n\n", false),
        // The stateless revision has no taking up.
        ("id: e1\ndata: \n\n", true),
    ];
    for (body, modern) in table {
        let on_call = move |_: &Seen| Reply::events(body);
        let web = match modern {
            true => Web::modern(on_call).await,
            false => Web::legacy(on_call, |_| Reply::new(404, "", "")).await,
        };
        let (answer, calls) = one_call(&web).await;
        let error = answer.unwrap_err();
        assert_eq!((error.kind, error.sent, calls), (Kind::Unavailable, Sent::Maybe, 1), "{body}");
        assert!(error.message.contains("not known"), "{}", error.message);
    }
}

#[tokio::test]
async fn the_general_stream_is_optional_in_every_way() {
    let variants = [
        Reply::new(405, "", ""),
        Reply::new(404, "", ""),
        Reply::new(406, "", ""),
        Reply::new(400, "", ""),
        Reply::new(200, "text/html", "<html></html>"),
        Reply::new(200, "application/json", "{}"),
        Reply::new(204, "", ""),
    ];
    for variant in variants {
        let status = variant.status;
        let (told, mut changes) = tokio::sync::mpsc::channel(1);
        let hook = move |source| told.try_send(source).unwrap();
        let on_list_changed = Some(Arc::new(hook) as hub_upstream::ListChanged);
        let upstream = upstream(Options { on_list_changed, ..options() });
        let web = Web::legacy(|seen| seen.result(ok()), move |_| variant.clone()).await;
        let source = web_source(&web.url());
        for _ in 0..3 {
            assert_eq!(tools(&upstream, &source).await.unwrap(), ["t"]);
            assert_eq!(ask(&upstream, &source, "t").await.unwrap(), text("ok"));
        }
        assert!(web.of("GET").len() <= 1, "{status}");
        assert!(changes.try_recv().is_err());
    }
}

#[tokio::test]
async fn changes_are_heard_on_the_general_stream_and_on_the_modern_one() {
    let changed = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}";
    let stream =
        move |_: &Seen| Reply { hold: true, ..Reply::events(&format!("data: {changed}\n\n")) };
    let legacy = Web::legacy(|seen| seen.result(ok()), stream).await;
    let modern = Web::start(move |seen| match seen.rpc() {
        "server/discover" => seen.result(web::discovered()),
        "tools/list" => seen.result(one_tool()),
        _ => stream(seen),
    })
    .await;
    for web in [legacy, modern] {
        let (told, mut changes) = tokio::sync::mpsc::channel(8);
        let hook = move |source| told.try_send(source).unwrap();
        let on_list_changed = Some(Arc::new(hook) as hub_upstream::ListChanged);
        let upstream = upstream(Options { on_list_changed, ..options() });
        let source = web_source(&web.url());
        tools(&upstream, &source).await.unwrap();
        assert_eq!(changes.recv().await.unwrap(), source.id);
    }
}

#[tokio::test]
async fn a_server_that_knows_only_older_versions_is_met() {
    let refusal =
        "Bad Request: Unsupported protocol version (supported versions: 2025-06-18, 2025-03-26)";
    let web = Web::start(move |seen| match seen.rpc() {
        "server/discover" => Reply::new(400, "text/plain", refusal),
        "initialize" if seen.body["params"]["protocolVersion"] == "2025-11-25" => {
            Reply::new(400, "text/plain", refusal)
        }
        "initialize" => seen.result(initialized(&seen.body["params"]["protocolVersion"])),
        "tools/list" => seen.result(one_tool()),
        _ => Reply::new(202, "", ""),
    })
    .await;
    let (upstream, source) = (upstream(options()), web_source(&web.url()));
    let listing = upstream.list(&source, None).await.unwrap();
    assert_eq!(listing.protocol_version, "2025-06-18");
    assert_eq!(web.of("tools/list")[0].header("mcp-protocol-version"), Some("2025-06-18"));
    assert_eq!(web.of("initialize").len(), 2);
}

#[tokio::test]
async fn pages_are_followed_and_loops_end() {
    let web = Web::start(|seen| match seen.rpc() {
        "server/discover" => seen.result(web::discovered()),
        "tools/list" => {
            let (name, next) = match seen.body["params"]["cursor"].as_str() {
                None => ("a", json!("")),
                Some("") => ("b", json!("p3")),
                Some(_) => ("c", json!("p3")),
            };
            seen.result(json!({"tools": [{"name": name}], "nextCursor": next}))
        }
        _ => Reply::new(202, "", ""),
    })
    .await;
    let (upstream, source) = (upstream(options()), web_source(&web.url()));
    let listing = upstream.list(&source, None).await.unwrap();
    let names: Vec<_> = listing.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!((names, listing.broken.len()), (vec!["a", "b", "c"], 1));
    assert_eq!(web.of("tools/list").len(), 3);
}

#[tokio::test]
async fn redirects_stay_on_the_origin() {
    let elsewhere = Web::modern(|seen| seen.result(ok())).await;
    let other = elsewhere.url();
    let web = Web::start(move |seen| match (seen.path.split('?').next().unwrap(), seen.rpc()) {
        ("/moved", _) => Reply::new(307, "", "").with("Location", "/mcp"),
        ("/kept", _) => Reply::new(308, "", "").with("Location", "/moved"),
        ("/round", _) => Reply::new(307, "", "").with("Location", "/round"),
        ("/away", _) => Reply::new(307, "", "").with("Location", &other),
        ("/get", _) => Reply::new(302, "", "").with("Location", "/mcp"),
        (_, "server/discover") => seen.result(web::discovered()),
        (_, "tools/list") => seen.result(one_tool()),
        _ => seen.result(ok()),
    })
    .await;
    let secrets = secrets(&[("env:T", "tok_0123456789abcdef")]);
    let upstream = McpUpstream::new(secrets, clock(), options());
    for (path, works) in
        [("/moved", true), ("/kept", true), ("/round", false), ("/away", false), ("/get", false)]
    {
        let source = web_source(&format!("{}{path}", web.origin));
        let mut ask = call(&source, "t", "{}");
        ask.connection = Some(Arc::new(connection(&source, &[(Placement::Bearer, "env:T")])));
        let answer = upstream.call(ask).await;
        assert_eq!(answer.is_ok(), works, "{path}: {answer:?}");
        if let Err(error) = answer {
            assert_eq!((error.kind, error.sent), (Kind::BadResponse, Sent::No), "{path}");
        }
    }
    assert!(elsewhere.seen().is_empty());
    assert!(web.seen().len() < 40);
}

#[tokio::test]
async fn credentials_go_where_they_belong_and_nowhere_else() {
    let secret = "tok_0123456789abcdef";
    let web = Web::modern(move |seen| match seen.body["params"]["arguments"]["fail"].as_bool() {
        Some(true) => Reply::new(500, "text/plain", &format!("bad token {secret}")),
        _ => seen.result(json!({"structuredContent": {"echo": seen.header("authorization")}})),
    })
    .await;
    let secrets = secrets(&[("env:T", secret)]);
    let upstream = McpUpstream::new(secrets, clock(), options());
    let source = web_source(&web.url());
    let placements = [
        (Placement::Bearer, "env:T"),
        (Placement::Header("X-Api-Key".to_owned()), "env:T"),
        (Placement::Query("key".to_owned()), "env:T"),
    ];
    let connection = Arc::new(connection(&source, &placements));
    let call = |arguments: &str| {
        let mut ask = call(&source, "t", arguments);
        ask.connection = Some(connection.clone());
        upstream.call(ask)
    };
    let answer = call("{}").await.unwrap();
    assert_eq!(answer, hub_core::ports::Answer::Value("{\"echo\":\"Bearer [secret]\"}".to_owned()));
    for seen in web.seen() {
        assert_eq!(seen.header("authorization"), Some(format!("Bearer {secret}").as_str()));
        assert_eq!(seen.header("x-api-key"), Some(secret));
        assert_eq!(seen.path, format!("/mcp?key={secret}"));
    }
    let error = call("{\"fail\":true}").await.unwrap_err();
    assert!(!format!("{error:?}").contains(secret), "{error:?}");
    let away = web_source("http://127.0.0.1:1/mcp?x=y");
    let mut ask = crate::support::call(&away, "t", "{}");
    ask.connection = Some(connection);
    let error = upstream.call(ask).await.unwrap_err();
    assert_eq!((error.kind, error.sent), (Kind::Unavailable, Sent::No));
    assert!(!format!("{error:?}").contains(secret), "{error:?}");
}

#[tokio::test]
async fn a_renewed_credential_is_used_without_a_new_connection() {
    let web = Web::modern(|seen| match seen.header("authorization") {
        Some("Bearer new-0123456789") => seen.result(ok()),
        _ => Reply::new(401, "", ""),
    })
    .await;
    let secrets = secrets(&[("command:token", "old-0123456789")]);
    let upstream = McpUpstream::new(secrets.clone(), clock(), options());
    let source = web_source(&web.url());
    let connection = Arc::new(connection(&source, &[(Placement::Bearer, "command:token")]));
    let call = || {
        let mut ask = call(&source, "t", "{}");
        ask.connection = Some(connection.clone());
        upstream.call(ask)
    };
    assert_eq!(call().await.unwrap_err().kind, Kind::Unauthorized);
    // The same credential is not tried twice in one call.
    assert_eq!(call().await.unwrap_err().kind, Kind::Unauthorized);
    assert_eq!(web.of("tools/call").len(), 2);
    let renewed = ("command:token".to_owned(), "new-0123456789".to_owned());
    secrets.0.lock().unwrap().extend([renewed]);
    assert_eq!(call().await.unwrap(), text("ok"));
    assert_eq!(web.of("tools/call").len(), 4);
}

#[tokio::test]
async fn parameters_marked_for_headers_travel_there_too() {
    let tool = json!({"name": "t", "inputSchema": {"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"}}}});
    let bad = json!({"name": "bad", "inputSchema": {"type": "object", "properties": {
        "region": {"type": "number", "x-mcp-header": "Region"}}}});
    let web = Web::start(move |seen| match seen.rpc() {
        "server/discover" => seen.result(web::discovered()),
        "tools/list" => seen.result(json!({"tools": [tool, bad]})),
        _ => seen.result(ok()),
    })
    .await;
    let (upstream, source) = (upstream(options()), web_source(&web.url()));
    // Not listed before: the session finds out by itself.
    upstream.call(call(&source, "t", "{\"region\":\"é\"}")).await.unwrap();
    assert_eq!(web.of("tools/call")[0].header("mcp-param-region"), Some("=?base64?w6k=?="));
    assert_eq!(tools(&upstream, &source).await.unwrap(), ["t"]);
}

#[tokio::test]
async fn bad_sources_spoil_no_good_ones() {
    let hangs = Web::start(|_| Reply { hold: true, ..Reply::events("") }).await;
    // Speaks no TLS, so no certificate of it will do.
    let no_tls = hangs.origin.replace("http://", "https://");
    let good = Web::modern(|seen| seen.result(ok())).await;
    let upstream = upstream(options());
    let bad = [web_source(&hangs.url()), web_source(&no_tls), web_source("ftp://x/")];
    let waiting = tools(&upstream, &bad[0]);
    tokio::pin!(waiting);
    let sources: Vec<_> = (0..18).map(|_| web_source(&good.url())).collect();
    let others = async {
        for source in &sources {
            assert_eq!(ask(&upstream, source, "t").await.unwrap(), text("ok"));
        }
    };
    tokio::select! {
        answer = &mut waiting => panic!("{answer:?}"),
        () = others => {}
    }
    for source in &bad[1..] {
        let error = tools(&upstream, source).await.unwrap_err();
        assert_eq!((error.kind, error.sent), (Kind::Unavailable, Sent::No), "{error}");
    }
}

#[tokio::test]
async fn a_silent_server_costs_the_call_its_limit_only() {
    let web = Web::modern(|_| Reply { hold: true, ..Reply::events(": alive\n\n") }).await;
    let (upstream, source) = (upstream(options()), web_source(&web.url()));
    let mut ask = call(&source, "t", "{}");
    ask.timeout_ms = 200;
    let error = upstream.call(ask).await.unwrap_err();
    assert_eq!((error.kind, error.sent), (Kind::Timeout, Sent::Maybe));
    assert_eq!(web.of("tools/call").len(), 1);
}

#[tokio::test]
async fn an_idle_session_is_ended_at_the_server() {
    let web = Web::start(|seen| match seen.rpc() {
        "initialize" => {
            let version = &seen.body["params"]["protocolVersion"];
            seen.result(initialized(version)).with("Mcp-Session-Id", "s")
        }
        "server/discover" => Reply::new(400, "", ""),
        "tools/list" => seen.result(one_tool()),
        _ => Reply::new(202, "", ""),
    })
    .await;
    let (upstream, source) = (upstream(options()), web_source(&web.url()));
    tools(&upstream, &source).await.unwrap();
    upstream.forget(&source).await;
    let ended = web.of("DELETE");
    assert_eq!(ended.len(), 1);
    assert_eq!(ended[0].header("mcp-session-id"), Some("s"));
}

#[tokio::test]
async fn a_server_that_refuses_the_version_it_offers_is_asked_once_more() {
    let hellos = Arc::new(AtomicUsize::new(0));
    let count = hellos.clone();
    let web = Web::start(move |seen| match (seen.rpc(), count.fetch_add(1, Ordering::SeqCst)) {
        ("server/discover", 0) => {
            let data = json!({"supported": ["2026-07-28"], "requested": "2026-07-28"});
            let error = json!({"code": -32022, "message": "Unsupported", "data": data});
            Reply::json(400, &json!({"jsonrpc": "2.0", "id": seen.body["id"], "error": error}))
        }
        ("server/discover", _) => seen.result(web::discovered()),
        _ => seen.result(one_tool()),
    })
    .await;
    let (upstream, source) = (upstream(options()), web_source(&web.url()));
    let listing = upstream.list(&source, None).await.unwrap();
    assert_eq!(listing.protocol_version, "2026-07-28");
}

#[tokio::test]
async fn a_source_that_says_when_to_come_back_is_left_alone_until_then() {
    for (status, wait) in [(429, "1"), (503, "1"), (429, "3600")] {
        let calls = Arc::new(AtomicUsize::new(0));
        let count = calls.clone();
        let web = Web::modern(move |seen| match count.fetch_add(1, Ordering::SeqCst) {
            0 => Reply::new(status, "", "").with("Retry-After", wait),
            _ => seen.result(ok()),
        })
        .await;
        let clock = hub_testkit::FakeClock::default();
        let upstream = McpUpstream::new(secrets(&[]), Arc::new(clock.clone()), options());
        let source = web_source(&web.url());
        let error = ask(&upstream, &source, "t").await.unwrap_err();
        let Kind::RateLimited(Some(ms)) = error.kind else { panic!("{error:?}") };
        assert_eq!((ms.div_ceil(1_000).to_string().as_str(), error.sent), (wait, Sent::Refused));
        // No time for the wait: told so at once, and nothing is sent.
        let mut hasty = call(&source, "t", "{}");
        hasty.timeout_ms = 400;
        let error = upstream.call(hasty).await.unwrap_err();
        assert!(matches!(error.kind, Kind::RateLimited(Some(_))), "{error:?}");
        assert_eq!((error.sent, calls.load(Ordering::SeqCst)), (Sent::No, 1));
        // An effect does not wait, however much time there is.
        let mut effect = call(&source, "t", "{}");
        effect.may_wait = false;
        assert_eq!(upstream.call(effect).await.unwrap_err().sent, Sent::No);
        // Time enough: sent once the wait is over.
        let patient = ask(&upstream, &source, "t");
        tokio::pin!(patient);
        if wait == "1" {
            tokio::select! {
                biased;
                answer = &mut patient => panic!("did not wait: {answer:?}"),
                () = tokio::task::yield_now() => assert_eq!(calls.load(Ordering::SeqCst), 1),
            }
            clock.advance(1_000);
        }
        match wait {
            "1" => assert_eq!(patient.await.unwrap(), text("ok")),
            _ => assert_eq!(patient.await.unwrap_err().sent, Sent::No),
        }
        assert_eq!(calls.load(Ordering::SeqCst), if wait == "1" { 2 } else { 1 });
        // Another source at the same address was asked for nothing.
        assert!(ask(&upstream, &web_source(&web.url()), "t").await.is_ok());
    }
}

#[tokio::test]
async fn the_older_way_to_a_page_is_a_question_and_the_call_goes_again_once_it_is_answered() {
    let wanted = |data: Value| {
        move |seen: &Seen| {
            let error = json!({"code": -32042, "message": "sign in first", "data": data});
            Reply::json(200, &json!({"jsonrpc": "2.0", "id": seen.body["id"], "error": error}))
        }
    };
    let page = json!({"mode": "url", "elicitationId": "e1", "message": "Sign in",
        "url": "https://example.com/sign-in"});
    let first = wanted(json!({"elicitations": [page]}));
    let count = AtomicUsize::new(0);
    let web = Web::legacy(
        move |seen| match count.fetch_add(1, Ordering::SeqCst) {
            0 => first(seen),
            _ => seen.result(ok()),
        },
        nothing,
    )
    .await;
    let (upstream, source) = (upstream(options()), web_source(&web.url()));
    let hub_core::ports::Answer::InputRequired { request_state, requests } =
        ask(&upstream, &source, "t").await.unwrap()
    else {
        panic!("no question")
    };
    let requests: Value = serde_json::from_str(&requests).unwrap();
    assert_eq!((request_state, &requests["page_1"]["params"]["url"]), (None, &page["url"]));
    let again = |action: &str| {
        let mut call = call(&source, "t", "{}");
        let responses = json!({"page_1": {"action": action}}).to_string();
        call.continuation = Some(hub_core::ports::Continuation { request_state: None, responses });
        upstream.call(call)
    };
    for action in ["decline", "cancel"] {
        let answer = again(action).await.unwrap();
        assert!(matches!(answer, hub_core::ports::Answer::ToolError(_)), "{answer:?}");
    }
    assert_eq!(web.of("tools/call").len(), 1, "who did not go there sends nothing");
    assert_eq!(again("accept").await.unwrap(), text("ok"));
    let sent = web.of("tools/call");
    assert_eq!((sent.len(), sent[1].body["params"].get("inputResponses")), (2, None));
    // Whatever else has that code is an error like any other.
    for data in [json!(null), json!({}), json!({"elicitations": []}), json!({"elicitations": [1]})]
    {
        let web = Web::legacy(wanted(data), nothing).await;
        let (answer, calls) = one_call(&web).await;
        assert_eq!((answer.unwrap_err().status, calls), (Some(-32042), 1));
    }
}
