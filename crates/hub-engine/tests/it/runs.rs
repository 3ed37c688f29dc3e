//! Programs from start to end.

use crate::harness::Hub;
use hub_core::ports::{Sent, UpstreamErrorKind};
use hub_testkit::Step;
use serde_json::json;

#[tokio::test]
async fn a_program_without_calls_returns() {
    let hub = Hub::new().await;
    hub.driver.program("one", |_| async { Ok(json!(1)) });
    let outcome = hub.run("one").await;
    assert_eq!((outcome.status(), &outcome.envelope.result), ("completed", &Some(json!(1))));
    assert!(outcome.envelope.calls.is_empty());
}

#[tokio::test]
async fn calls_at_once_are_answered_and_listed_in_order() {
    let hub = Hub::new().await;
    hub.driver.program("two", |api| async move {
        let (a, b) = (api.call("demo.read", json!({"a": 1})), api.call("demo.read", json!({})));
        let (b, a) = (b.await?, a.await?);
        Ok(json!([a, b]))
    });
    let outcome = hub.run("two").await;
    assert_eq!(outcome.envelope.result, Some(json!([{"a": 1}, {}])));
    assert_eq!(outcome.envelope.calls.len(), 2);
    assert!(outcome.envelope.calls.iter().all(|c| c.ok && c.address == "demo.read"));
}

#[tokio::test]
async fn what_cannot_be_sent_never_leaves() {
    let hub = Hub::new().await;
    hub.driver.program("bad", |api| async move {
        let mut codes = Vec::new();
        for (address, arguments) in
            [("demo.read", json!([1])), ("demo.nothing", json!({})), ("other.read", json!({}))]
        {
            let error = api.call(address, arguments).await.unwrap_err();
            codes.push(error.tool.unwrap().code.as_str());
        }
        let error = api.call_as("demo.read", json!({}), Some("work")).await.unwrap_err();
        codes.push(error.tool.unwrap().code.as_str());
        Ok(json!(codes))
    });
    let outcome = hub.run("bad").await;
    let want = json!(["invalid_arguments", "tool_gone", "tool_gone", "unknown_connection"]);
    assert_eq!(outcome.envelope.result, Some(want));
    assert!(hub.upstream.calls().is_empty());
}

#[tokio::test]
async fn call_number_101_is_refused_and_can_be_caught() {
    let hub = Hub::new().await;
    hub.driver.program("many", |api| async move {
        for _ in 0..100 {
            api.call("demo.read", json!({})).await?;
        }
        let error = api.call("demo.read", json!({})).await.unwrap_err();
        Ok(json!(error.tool.unwrap().code.as_str()))
    });
    let outcome = hub.run("many").await;
    assert_eq!(outcome.envelope.result, Some(json!("limit_calls")));
    assert_eq!(hub.upstream.count("demo", "read"), 100);
}

#[tokio::test]
async fn a_program_that_waits_for_nothing_is_stalled() {
    let hub = Hub::new().await;
    hub.driver.program("never", |_| std::future::pending());
    let outcome = hub.run("never").await;
    assert_eq!((outcome.status(), outcome.error()), ("failed", "stalled"));
}

#[tokio::test]
async fn a_source_asks_inside_a_live_call_and_is_answered_once() {
    let hub = Hub::new().await;
    hub.driver.program("asked", |api| async move { api.call("demo.write", json!({})).await });
    let params = json!({ "message": "Which one?", "requestedSchema": { "type": "object" } });
    hub.upstream.next("demo", "write", hub_testkit::Step::asks(params));
    let asked = hub.run("asked").await;
    assert_eq!(asked.status(), "awaiting_input");
    let again = hub.resume(asked.run()).await;
    assert_eq!(again.envelope.pending, asked.envelope.pending, "it waits on");
    let answer = json!({ "elicitation": { "action": "accept", "content": { "n": 1 } } });
    hub.decide(&asked, hub_core::pending::Choice::Answer(answer.to_string())).await;
    let done = hub.resume(asked.run()).await;
    let result = json!({ "action": "accept", "content": { "n": 1 } });
    assert_eq!(done.envelope.result, Some(result), "{:?}", done.envelope);
    assert_eq!(hub.upstream.count("demo", "write"), 1);
}

#[tokio::test]
async fn a_source_continues_from_its_state_once_the_person_answered() {
    let mut hub = Hub::new().await;
    hub.driver.program("asked", |api| async move { api.call("demo.write", json!({})).await });
    let requests = json!({ "name": { "method": "elicitation/create", "params": {} } });
    hub.upstream.next("demo", "write", hub_testkit::Step::input_required("state 1", requests));
    let asked = hub.run("asked").await;
    assert_eq!(asked.status(), "awaiting_input");
    hub.crash().await;
    let answer = json!({ "name": { "action": "accept", "content": {} } }).to_string();
    hub.decide(&asked, hub_core::pending::Choice::Answer(answer.clone())).await;
    let done = hub.resume(asked.run()).await;
    assert_eq!(done.status(), "completed", "{:?}", done.envelope);
    let calls = hub.upstream.calls();
    assert_eq!(calls.len(), 2);
    let continuation = calls[1].continuation.clone().unwrap();
    assert_eq!(continuation.request_state.as_deref(), Some("state 1"));
    assert_eq!(continuation.responses, answer);
}

fn come_back(seconds: u64) -> Step {
    Step::error(UpstreamErrorKind::RateLimited(Some(seconds * 1_000)), Sent::Refused)
}

#[tokio::test]
async fn a_read_that_is_to_come_back_later_does_so_and_an_effect_is_the_programs_business() {
    let hub = Hub::new().await;
    let reads = hub_core::limits::RETRY_AFTER_READS;
    for (tool, refused, sent, code) in [
        ("read", reads, reads + 1, "ok"),
        ("read", reads + 1, reads + 1, "rate_limited"),
        ("write", 1, 1, "rate_limited"),
    ] {
        let name = format!("{tool} {refused}");
        hub.driver.program(&name, move |api| async move {
            match api.call(&format!("demo.{tool}"), json!({})).await {
                Ok(_) => Ok(json!("ok")),
                Err(error) => Ok(json!(error.tool.unwrap().code.as_str())),
            }
        });
        let before = hub.upstream.count("demo", tool);
        (0..refused).for_each(|_| hub.upstream.next("demo", tool, come_back(1)));
        let outcome = hub.run(&name).await;
        assert_eq!(outcome.envelope.result, Some(json!(code)), "{name}");
        assert_eq!(hub.upstream.count("demo", tool) - before, sent, "{name}");
    }
}

#[tokio::test]
async fn a_source_that_is_away_serves_its_last_tools_and_is_read_again_when_it_is_back() {
    let hub = Hub::new().await;
    hub.driver.program("try", |api| async move {
        Ok(json!(api.call("demo.read", json!({"n": 1})).await.is_ok()))
    });
    let stale = async |wanted: bool| {
        // The state is noted beside the run.
        for _ in 0..1_000 {
            if hub.engine.source("demo").await.unwrap().view.stale == wanted {
                return;
            }
            tokio::task::yield_now().await;
        }
        panic!("never stale: {wanted}");
    };
    stale(false).await;
    hub.upstream.offline("demo", true);
    assert_eq!(hub.run("try").await.envelope.result, Some(json!(false)));
    stale(true).await;
    let detail = hub.engine.source("demo").await.unwrap();
    assert_eq!((detail.tools.len(), hub.engine.troubled().len()), (3, 1));
    assert!(detail.view.problem.is_some());
    let listed = hub.upstream.listed("demo");
    hub.upstream.offline("demo", false);
    assert_eq!(hub.run("try").await.envelope.result, Some(json!(true)));
    stale(false).await;
    assert_eq!((hub.upstream.listed("demo"), hub.engine.troubled().len()), (listed + 1, 0));
}

#[tokio::test]
async fn what_a_person_may_set_for_a_source() {
    let hub = Hub::new().await;
    let source = hub.engine.source("demo").await.unwrap().view.source;
    let most = hub_core::limits::SOURCE_CONCURRENCY;
    let longest = hub_core::limits::ACTIVE_MS;
    for (concurrency, timeout_ms, fits) in [
        (None, None, true),
        (Some(1), Some(1_000), true),
        (Some(most), Some(longest), true),
        (Some(0), None, false),
        (Some(most + 1), None, false),
        (None, Some(999), false),
        (None, Some(longest + 1), false),
    ] {
        let new = hub_engine::NewSource {
            name: "demo".into(),
            transport: source.transport.clone(),
            trusted: true,
            effects: Default::default(),
            timeout_ms,
            concurrency,
            from_file: false,
        };
        let done = hub.engine.update_source(new).await;
        assert_eq!(done.is_ok(), fits, "{concurrency:?} {timeout_ms:?}");
        if let Ok(done) = done {
            let kept = done.view.source;
            assert_eq!((kept.concurrency, kept.timeout_ms), (concurrency, timeout_ms));
        }
    }
}

#[tokio::test]
async fn a_source_shows_what_could_not_be_read_of_its_schemas() {
    let hub = Hub::new().await;
    let most = hub_core::limits::TOOL_NOTES as u64;
    for (name, faults) in [("sound", 0), ("odd", 1), ("edge", most), ("beyond", most + 1)] {
        let mut tool = hub_testkit::fixtures::tool(name);
        tool.input_schema = json!({ "type": "object", "faults": faults });
        let step = hub_testkit::Step::value(json!(1));
        hub.upstream.tool("demo", tool, step);
    }
    hub.engine.refresh("demo").await.unwrap();
    let tools = hub.engine.source("demo").await.unwrap().tools;
    let notes = |raw: &str| tools.iter().find(|t| t.raw == raw).unwrap().notes.len() as u64;
    assert_eq!((notes("sound"), notes("odd")), (0, 1));
    assert_eq!((notes("edge"), notes("beyond")), (most, most));
}
