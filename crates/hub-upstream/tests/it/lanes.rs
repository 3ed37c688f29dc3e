//! How many calls go to one source at once, and that nobody waits for another source.

use crate::scripts::scripted_source;
use crate::support::web::{Reply, Web};
use crate::support::*;
use futures_util::future::join_all;
use hub_core::catalog::Source;
use hub_core::limits;
use hub_core::ports::{Answer, Upstream};
use hub_upstream::McpUpstream;
use serde_json::{Value, json};

/// Calls that are answered only when `wanted` of them are with the server at once.
async fn together(upstream: &McpUpstream, source: &Source, wanted: usize) -> Vec<Answer> {
    let one = || {
        let mut call = call(source, "together", &json!({"wanted": wanted}).to_string());
        call.timeout_ms = 20_000;
        upstream.call(call)
    };
    join_all((0..wanted).map(|_| one())).await.into_iter().map(Result::unwrap).collect()
}

async fn told(upstream: &McpUpstream, source: &Source) -> Value {
    let Answer::Value(hello) = ask(upstream, source, "hello").await.unwrap() else { panic!() };
    serde_json::from_str::<Value>(&hello).unwrap()["capabilities"].clone()
}

#[tokio::test]
async fn an_older_pipe_takes_one_call_at_a_time_unless_told_otherwise() {
    for (concurrency, wide) in [(None, false), (Some(1), false), (Some(2), true), (Some(16), true)]
    {
        let (upstream, mut source) = (upstream(options()), scripted_source("plain"));
        source.concurrency = concurrency;
        // With several calls open nobody could say whose question it is, so none is invited.
        let invited = told(&upstream, &source).await["elicitation"].is_object();
        assert_eq!(invited, !wide, "{concurrency:?}");
        let at_once = concurrency.unwrap_or(1);
        let answers = together(&upstream, &source, at_once).await;
        assert_eq!(answers, vec![text(&at_once.to_string()); at_once]);
        if !wide {
            let never = ask(&upstream, &source, "never");
            tokio::pin!(never);
            let mut other = call(&source, "x", "{}");
            other.timeout_ms = 100;
            tokio::select! {
                biased;
                answer = &mut never => panic!("{answer:?}"),
                answer = upstream.call(other) => assert!(answer.is_err()),
            }
        }
    }
}

#[tokio::test]
async fn a_newer_pipe_takes_many_calls_and_may_ask_nevertheless() {
    for concurrency in [None, Some(16)] {
        let (upstream, mut source) = (upstream(options()), scripted_source("modern"));
        source.concurrency = concurrency;
        assert_eq!(together(&upstream, &source, limits::SOURCE_CONCURRENCY).await.len(), 16);
        let answer = ask(&upstream, &source, "modern_ask").await.unwrap();
        assert!(matches!(answer, Answer::InputRequired { .. }), "{answer:?}");
    }
}

#[tokio::test]
async fn another_setting_is_another_conversation() {
    let (upstream, mut source) = (upstream(options()), scripted_source("plain"));
    let one = ask(&upstream, &source, "pid").await.unwrap();
    source.concurrency = Some(1);
    assert_eq!(ask(&upstream, &source, "pid").await.unwrap(), one);
    source.concurrency = Some(4);
    assert_ne!(ask(&upstream, &source, "pid").await.unwrap(), one);
    assert_eq!(told(&upstream, &source).await, json!({}));
}

#[tokio::test]
async fn sources_that_never_answer_delay_no_other() {
    let upstream = upstream(options());
    let stuck_web = Web::modern(|_| Reply { hold: true, ..Reply::events("") }).await;
    let mut stuck = vec![web_source(&stuck_web.url()), scripted_source("plain")];
    stuck.push(scripted_source("modern"));
    stuck[1].concurrency = Some(16);
    let good_web = Web::modern(|seen| seen.result(web::ok())).await;
    let good: Vec<_> =
        (0..3).flat_map(|_| [web_source(&good_web.url()), scripted_source("plain")]).collect();
    // More than each takes at once, so that calls also wait for their turn.
    let most = limits::SOURCE_CONCURRENCY + 4;
    let waiting = stuck.iter().flat_map(|source| (0..most).map(move |_| source));
    let waiting = join_all(waiting.map(|source| ask(&upstream, source, "never")));
    let others = good.iter().flat_map(|source| (0..40).map(move |_| source));
    let others = join_all(others.map(|source| ask(&upstream, source, "x")));
    tokio::pin!(waiting);
    tokio::select! {
        answers = &mut waiting => panic!("{answers:?}"),
        answers = others => assert_eq!(answers.iter().filter(|a| a.is_ok()).count(), 6 * 40),
    }
    assert_eq!(good_web.of("tools/call").len(), 3 * 40);
}
