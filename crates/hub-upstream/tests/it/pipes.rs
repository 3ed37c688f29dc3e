//! Children: noise, crashes, limits, environment, order of answers.

use crate::scripts::{scripted_source, scripted_with};
use crate::support::*;
use hub_core::catalog::Transport;
use hub_core::connection::Placement;
use hub_core::limits;
use hub_core::ports::{Answer, Sent, Upstream, UpstreamErrorKind as Kind};
use hub_testkit::FakeClock;
use hub_upstream::{McpUpstream, Options, SourceStatus};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

fn structured(answer: &Answer) -> Value {
    let Answer::Value(text) = answer else { panic!("no value: {answer:?}") };
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn noise_on_stdout_is_survived_and_kept() {
    let table = [("banner", "access-control"), ("json_noise", "\"Success\"")];
    for (script, kept) in table {
        let (upstream, source) = (upstream(options()), scripted_source(script));
        assert_eq!(tools(&upstream, &source).await.unwrap(), ["t"]);
        assert_eq!(ask(&upstream, &source, "x").await.unwrap(), text(&format!("{script}:x:1")));
        assert!(upstream.stderr(&source).unwrap().contains(kept), "{script}");
    }
}

#[tokio::test]
async fn a_crash_fails_what_waits_and_the_next_call_starts_anew() {
    let (upstream, source) = (upstream(options()), scripted_source("plain"));
    let before = ask(&upstream, &source, "pid").await.unwrap();
    let error = ask(&upstream, &source, "crash").await.unwrap_err();
    assert_eq!((error.kind, error.sent), (Kind::Unavailable, Sent::Maybe));
    for part in ["demo", "3", "out of luck"] {
        assert!(error.message.contains(part), "{part}: {}", error.message);
    }
    let after = ask(&upstream, &source, "pid").await.unwrap();
    assert_ne!(before, after);
    assert!(upstream.stderr(&source).unwrap().contains("out of luck"));
}

#[tokio::test]
async fn a_crash_fails_every_call_on_its_way() {
    let upstream = upstream(Options { elicitation: false, ..options() });
    let source = scripted_source("plain");
    let never = || ask(&upstream, &source, "never");
    let (a, b, c) = tokio::join!(never(), never(), async {
        ask(&upstream, &source, "first").await.unwrap();
        ask(&upstream, &source, "crash").await
    });
    for failed in [a, b, c] {
        assert_eq!(failed.unwrap_err().kind, Kind::Unavailable);
    }
}

#[tokio::test]
async fn a_call_without_an_answer_ends_at_its_limit_and_is_cancelled() {
    let (upstream, source) = (upstream(options()), scripted_source("plain"));
    ask(&upstream, &source, "warm").await.unwrap();
    let mut never = call(&source, "never", "{}");
    never.timeout_ms = 150;
    let late = Arc::new(AtomicU32::new(0));
    let heard = late.clone();
    never.late = Some(Arc::new(move || {
        heard.fetch_add(1, Ordering::SeqCst);
    }));
    let error = upstream.call(never).await.unwrap_err();
    assert_eq!((error.kind, error.sent), (Kind::Timeout, Sent::Maybe));
    // The server saw the cancellation, and its late answer harms nobody.
    let cancelled = structured(&ask(&upstream, &source, "cancelled").await.unwrap());
    assert_eq!(cancelled.as_array().unwrap().len(), 1);
    assert_eq!(ask(&upstream, &source, "x").await.unwrap(), text("plain:x:4"));
    assert_eq!(late.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn dropping_a_call_cancels_it() {
    let upstream = upstream(Options { elicitation: false, ..options() });
    let source = scripted_source("plain");
    ask(&upstream, &source, "warm").await.unwrap();
    tokio::select! {
        biased;
        answer = ask(&upstream, &source, "never") => panic!("{answer:?}"),
        // Written after the other one, so that one has arrived.
        answer = ask(&upstream, &source, "x") => assert!(answer.is_ok()),
    }
    let cancelled = structured(&ask(&upstream, &source, "cancelled").await.unwrap());
    assert_eq!(cancelled.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn odd_ids_mix_nothing_up() {
    let (upstream, source) = (upstream(options()), scripted_source("plain"));
    for (tool, said) in [("id_as_text", "ok"), ("foreign_id", "ok"), ("twice", "first")] {
        assert_eq!(ask(&upstream, &source, tool).await.unwrap(), text(said), "{tool}");
    }
    let error = ask(&upstream, &source, "null_id").await.unwrap_err();
    assert_eq!((error.kind, error.sent), (Kind::Failed, Sent::Refused));
    assert_eq!(error.message, "Parse error");
    assert_eq!(ask(&upstream, &source, "x").await.unwrap(), text("plain:x:5"));
}

#[tokio::test]
async fn answers_in_another_order_find_their_calls() {
    let upstream = upstream(Options { elicitation: false, ..options() });
    let source = scripted_source("plain");
    let pair =
        |said: &str| upstream.call(call(&source, "pair", &json!({"text": said}).to_string()));
    let (a, b) = tokio::join!(pair("a"), pair("b"));
    assert_eq!((a.unwrap(), b.unwrap()), (text("a"), text("b")));
}

#[tokio::test]
async fn errors_of_the_protocol_are_told_apart() {
    let (upstream, source) = (upstream(options()), scripted_source("plain"));
    let error = ask(&upstream, &source, "rpc_error").await.unwrap_err();
    assert_eq!((error.kind, error.sent, error.status), (Kind::Failed, Sent::Refused, Some(-32000)));
    assert_eq!(error.message, "the database is locked");
    assert_eq!(ask(&upstream, &source, "gone").await.unwrap_err().kind, Kind::ToolGone);
}

#[tokio::test]
async fn children_see_a_small_environment() {
    let hub = [
        ("PATH", "/usr/bin:/bin"),
        ("HOME", "/home/x"),
        ("SECRET_TOKEN", "s"),
        ("NODE_OPTIONS", "--require ./evil.js"),
    ];
    let environment: BTreeMap<String, String> =
        hub.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let options = Options { environment, ..options() };
    let secrets = secrets(&[("env:KEY", "k-0123456789-secret")]);
    let upstream = McpUpstream::new(secrets, clock(), options);
    let folder = tempfile::tempdir().unwrap();
    let mut source = scripted_with("plain", &[("API_KEY", "k")]);
    let Transport::Stdio { cwd, .. } = &mut source.transport else { unreachable!() };
    *cwd = Some(folder.path().to_str().unwrap().to_owned());
    let mut connection = connection(&source, &[(Placement::Env("TOKEN".to_owned()), "env:KEY")]);
    connection.plain_env.insert("TEAM".to_owned(), "T1".to_owned());
    let mut ask = call(&source, "env", "{}");
    ask.connection = Some(Arc::new(connection));
    let seen = structured(&upstream.call(ask).await.unwrap());
    for (name, value) in [
        ("API_KEY", "k"),
        ("PATH", "/usr/bin:/bin"),
        ("HOME", "/home/x"),
        ("TEAM", "T1"),
        ("TOKEN", "[secret]"),
    ] {
        assert_eq!(seen["env"][name], json!(value));
    }
    for absent in ["SECRET_TOKEN", "NODE_OPTIONS"] {
        assert_eq!(seen["env"].get(absent), None);
    }
    assert_eq!(seen["cwd"], json!(folder.path().canonicalize().unwrap()));
}

#[tokio::test]
async fn what_cannot_be_started_says_what_to_do() {
    let upstream = upstream(options());
    let missing = |command: &str, cwd: Option<&str>| {
        let (command, cwd) = (command.to_owned(), cwd.map(str::to_owned));
        source("demo", Transport::Stdio { command, args: vec![], env: BTreeMap::new(), cwd })
    };
    let error = ask(&upstream, &missing("no-such-program-here", None), "x").await.unwrap_err();
    assert_eq!((error.kind, error.sent), (Kind::Unavailable, Sent::No));
    assert!(error.message.contains("no-such-program-here") && error.message.contains("not found"));
    let error = ask(&upstream, &missing("sh", Some("/no/such/folder")), "x").await.unwrap_err();
    assert_eq!((error.kind, error.sent), (Kind::Unavailable, Sent::No));
    assert!(error.message.contains("/no/such/folder"), "{}", error.message);
    let dies = scripted_source("dies_at_start");
    let error = ask(&upstream, &dies, "x").await.unwrap_err();
    assert_eq!((error.kind, error.sent), (Kind::Unavailable, Sent::No));
    assert!(error.message.contains("no database"), "{}", error.message);
    assert!(matches!(upstream.status(&dies.id), SourceStatus::Failed { .. }));
}

#[tokio::test]
async fn a_missing_credential_sends_nothing() {
    let (upstream, source) = (upstream(options()), scripted_source("plain"));
    let mut ask = call(&source, "x", "{}");
    let placement = Placement::Env("TOKEN".to_owned());
    ask.connection = Some(Arc::new(connection(&source, &[(placement, "env:ABSENT")])));
    let error = upstream.call(ask).await.unwrap_err();
    assert_eq!((error.kind, error.sent), (Kind::Unauthorized, Sent::No));
    assert!(error.message.contains("env:ABSENT"));
}

#[tokio::test]
async fn a_slow_start_delays_nobody_else() {
    let upstream = upstream(Options { start_ms: 30_000, ..options() });
    let slow = scripted_source("never_ready");
    let good: Vec<_> = (0..4).map(|_| scripted_source("plain")).collect();
    let mut waiting = call(&slow, "x", "{}");
    waiting.timeout_ms = 20_000;
    let waiting = upstream.call(waiting);
    tokio::pin!(waiting);
    let others = async {
        for source in &good {
            ask(&upstream, source, "x").await.unwrap();
        }
    };
    tokio::select! {
        answer = &mut waiting => panic!("answered: {answer:?}"),
        () = others => {}
    }
    assert_eq!(upstream.status(&slow.id), SourceStatus::Starting);
    assert!(matches!(upstream.status(&good[0].id), SourceStatus::Ready { .. }));
    upstream.close().await;
}

#[tokio::test]
async fn impatience_does_not_end_a_start() {
    let upstream = upstream(Options { probe_ms: 600, ..options() });
    let source = scripted_source("silent_on_probe");
    let mut hasty = call(&source, "x", "{}");
    hasty.timeout_ms = 50;
    let error = upstream.call(hasty).await.unwrap_err();
    assert_eq!((error.kind, error.sent), (Kind::Unavailable, Sent::No));
    assert!(error.message.contains("still starting"), "{}", error.message);
    let pid = ask(&upstream, &source, "pid").await.unwrap();
    assert_eq!(ask(&upstream, &source, "pid").await.unwrap(), pid);
}

#[tokio::test]
async fn progress_is_passed_on_and_keeps_a_call_alive() {
    let (upstream, source) = (upstream(options()), scripted_source("plain"));
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = told.clone();
    let mut ask = call(&source, "progress", "{}");
    ask.progress = Some(Arc::new(move |told| heard.lock().unwrap().push((told.done, told.of))));
    assert_eq!(upstream.call(ask).await.unwrap(), text("done"));
    assert_eq!(*told.lock().unwrap(), [1.0, 2.0, 3.0].map(|done| (done, Some(3.0))));
}

#[tokio::test]
async fn a_storm_of_changes_is_one_change() {
    let (told, mut changes) = tokio::sync::mpsc::channel(600);
    let hook = move |source| told.try_send(source).unwrap();
    let upstream = upstream(Options { on_list_changed: Some(Arc::new(hook)), ..options() });
    let source = scripted_source("plain");
    ask(&upstream, &source, "storm").await.unwrap();
    assert_eq!(changes.recv().await.unwrap(), source.id);
    // Whatever was still on its way makes at most one more.
    ask(&upstream, &source, "x").await.unwrap();
    assert!(changes.len() <= 1);
}

#[tokio::test]
async fn a_list_that_is_empty_for_a_moment_is_read_again() {
    let (told, mut changes) = tokio::sync::mpsc::channel(8);
    let hook = move |source| told.try_send(source).unwrap();
    let upstream = upstream(Options { on_list_changed: Some(Arc::new(hook)), ..options() });
    let source = scripted_source("reloading");
    assert!(tools(&upstream, &source).await.unwrap().is_empty());
    changes.recv().await.unwrap();
    assert_eq!(tools(&upstream, &source).await.unwrap(), ["a", "b", "c"]);
}

#[tokio::test]
async fn idle_children_end_and_come_back() {
    let upstream = upstream(Options { idle_ms: 100, ..options() });
    let source = scripted_source("plain");
    let first = ask(&upstream, &source, "pid").await.unwrap();
    until("idle", || upstream.status(&source.id) == SourceStatus::Idle).await;
    assert_ne!(ask(&upstream, &source, "pid").await.unwrap(), first);
}

#[tokio::test]
async fn a_changed_source_or_credential_gets_its_own_child() {
    let secrets = secrets(&[("env:A", "secret-a-0123456789")]);
    let upstream = McpUpstream::new(secrets, clock(), options());
    let mut source = scripted_source("plain");
    let mut first = connection(&source, &[(Placement::Env("T".to_owned()), "env:A")]);
    let pid = async |source: &_, connection: &_| {
        let mut ask = call(source, "pid", "{}");
        ask.connection = Some(Arc::new(Clone::clone(connection)));
        upstream.call(ask).await.unwrap()
    };
    let one = pid(&source, &first).await;
    assert_eq!(pid(&source, &first).await, one);
    let mut work = first.clone();
    work.name = "work".to_owned();
    assert_ne!(pid(&source, &work).await, one);
    first.revision += 1;
    let two = pid(&source, &first).await;
    assert_ne!(two, one);
    let Transport::Stdio { env, .. } = &mut source.transport else { unreachable!() };
    env.insert("MORE".to_owned(), "1".to_owned());
    assert_ne!(pid(&source, &first).await, two);
}

#[tokio::test]
async fn calls_beyond_the_source_s_limit_wait_their_turn() {
    let upstream = upstream(Options { elicitation: false, ..options() });
    let mut source = scripted_source("plain");
    ask(&upstream, &source, "warm").await.unwrap();
    source.concurrency = Some(1);
    let never = ask(&upstream, &source, "never");
    tokio::pin!(never);
    let mut second = call(&source, "x", "{}");
    second.timeout_ms = 100;
    let error = tokio::select! {
        biased;
        answer = &mut never => panic!("{answer:?}"),
        second = upstream.call(second) => second.unwrap_err(),
    };
    assert_eq!((error.kind, error.sent), (Kind::Timeout, Sent::No));
    // Nobody sets more than the ceiling.
    let mut more = source.clone();
    more.concurrency = Some(limits::SOURCE_CONCURRENCY * 2);
    let all = (1..limits::SOURCE_CONCURRENCY).map(|_| ask(&upstream, &more, "never"));
    let all = futures_util::future::join_all(all);
    tokio::pin!(all);
    let next = || {
        let mut next = call(&more, "x", "{}");
        next.timeout_ms = 2_000;
        upstream.call(next)
    };
    tokio::select! {
        biased;
        _ = &mut all => panic!("answered"),
        next = next() => assert!(next.is_ok(), "{next:?}"),
    }
    let one_too_many = ask(&upstream, &more, "never");
    tokio::pin!(one_too_many);
    tokio::select! {
        biased;
        _ = &mut all => panic!("answered"),
        answer = &mut one_too_many => panic!("{answer:?}"),
        next = next() => assert_eq!(next.unwrap_err().sent, Sent::No),
    }
}

#[tokio::test]
async fn a_source_that_keeps_failing_is_tried_less_and_less_often() {
    let clock = FakeClock::default();
    let upstream = McpUpstream::new(secrets(&[]), Arc::new(clock.clone()), options());
    let mut source = scripted_source("plain");
    let Transport::Stdio { command, .. } = &mut source.transport else { unreachable!() };
    let right = std::mem::replace(command, "no-such-program-here".to_owned());
    let again = |error: &hub_core::ports::UpstreamError| {
        let (_, wait) = error.message.rsplit_once("(tried again in ").unwrap();
        wait.trim_end_matches(" s)").parse::<u64>().unwrap()
    };
    // The first pauses are short and waited for, once per call; then calls fail at once.
    let mut pauses = Vec::new();
    for _ in 0..12 {
        let mut failing = Box::pin(tools(&upstream, &source));
        let error = loop {
            tokio::select! {
                biased;
                error = &mut failing => break error.unwrap_err(),
                () = clock.until_sleeping(2) => { clock.advance(2_000); }
            }
        };
        assert_eq!(error.sent, Sent::No);
        if error.message.contains("tried again in") {
            pauses.push(again(&error));
            clock.advance(again(&error) * 1_000);
        }
    }
    assert!(pauses.is_sorted() && pauses.last() == Some(&60), "{pauses:?}");
    // Another configuration is another start.
    let Transport::Stdio { command, .. } = &mut source.transport else { unreachable!() };
    *command = right;
    assert_eq!(tools(&upstream, &source).await.unwrap(), ["t"]);
}

#[tokio::test]
async fn a_server_that_a_call_has_started_is_listed_again() {
    let (told, mut changes) = tokio::sync::mpsc::channel(8);
    let hook = move |source| told.try_send(source).unwrap();
    let upstream = upstream(Options { on_list_changed: Some(Arc::new(hook)), ..options() });
    // The one whose list is being read is not; a connection that lists nothing neither.
    let listed = scripted_source("plain");
    tools(&upstream, &listed).await.unwrap();
    let mut with = call(&listed, "x", "{}");
    let mut other = connection(&listed, &[]);
    (other.name, other.is_default) = ("work".to_owned(), false);
    with.connection = Some(Arc::new(other));
    upstream.call(with).await.unwrap();
    let called = scripted_source("plain");
    ask(&upstream, &called, "x").await.unwrap();
    assert_eq!(changes.recv().await.unwrap(), called.id);
    // It may be another program by now.
    ask(&upstream, &called, "crash").await.unwrap_err();
    tools(&upstream, &listed).await.unwrap();
    ask(&upstream, &called, "x").await.unwrap();
    assert_eq!(changes.recv().await.unwrap(), called.id);
    assert!(changes.try_recv().is_err());
}
