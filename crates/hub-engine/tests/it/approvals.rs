//! Calls that ask: parked, decided, replayed, sent once.

use crate::harness::{Hub, Outcome, caller};
use hub_core::catalog::Transport;
use hub_core::id::PendingId;
use hub_core::pending::{Channel, Choice};
use hub_core::policy::{ArgumentCondition, ArgumentTest};
use hub_engine::{Decide, DecidedView, EngineError, Execute, NewSource};
use hub_testkit::fixtures;
use serde_json::json;

async fn asking() -> Hub {
    let hub = Hub::new().await;
    hub.driver.program("third", |api| async move {
        let a = api.call("demo.read", json!({"n": 1})).await?;
        let b = api.call("demo.write", json!({"n": 2})).await?;
        let c = api.call("demo.ask", json!({"n": 3})).await?;
        Ok(json!([a, b, c]))
    });
    hub
}

#[tokio::test]
async fn the_third_call_asks_and_each_is_sent_once_across_a_crash() {
    let mut hub = asking().await;
    let parked = hub.run("third").await;
    assert_eq!(parked.status(), "awaiting_approval");
    assert_eq!(hub.upstream.count("demo", "ask"), 0);

    hub.crash().await;
    let again = hub.resume(parked.run()).await;
    assert_eq!(again.shown, parked.shown, "nothing decided: the same bytes");

    assert_eq!(hub.decide(&parked, Choice::AllowOnce).await, DecidedView::Now);
    let done = hub.resume("last").await;
    assert_eq!(done.envelope.result, Some(json!([{"n": 1}, {"n": 2}, {"n": 3}])));
    for tool in ["read", "write", "ask"] {
        assert_eq!(hub.upstream.count("demo", tool), 1, "{tool}");
    }
    let same = hub.resume(parked.run()).await;
    assert_eq!(same.shown, done.shown, "an ended run answers byte for byte");
}

#[tokio::test]
async fn a_denied_call_throws_and_the_program_goes_on() {
    let hub = Hub::new().await;
    hub.driver.program("try", |api| async move {
        match api.call("demo.ask", json!({})).await {
            Ok(_) => Ok(json!("sent")),
            Err(error) => Ok(json!(error.tool.unwrap().code.as_str())),
        }
    });
    let parked = hub.run("try").await;
    hub.decide(&parked, Choice::Deny).await;
    let done = hub.resume(parked.run()).await;
    assert_eq!(done.envelope.result, Some(json!("denied")));
    assert_eq!(hub.upstream.count("demo", "ask"), 0);
}

#[tokio::test]
async fn the_first_decision_holds() {
    let hub = asking().await;
    let parked = hub.run("third").await;
    assert_eq!(hub.decide(&parked, Choice::Deny).await, DecidedView::Now);
    let second = hub.decide(&parked, Choice::AllowOnce).await;
    assert!(matches!(second, DecidedView::Already(d) if d.choice == Choice::Deny));
}

#[tokio::test]
async fn eight_requests_resume_one_run_and_get_the_same_bytes() {
    let hub = asking().await;
    let parked = hub.run("third").await;
    hub.decide(&parked, Choice::AllowOnce).await;
    let all = futures_util::future::join_all((0..8).map(|_| hub.resume(parked.run()))).await;
    assert!(all.iter().all(|o| o.shown == all[0].shown), "{all:?}");
    assert_eq!(hub.upstream.count("demo", "ask"), 1);
}

#[tokio::test]
async fn a_run_belongs_to_its_owner() {
    let hub = asking().await;
    let parked = hub.run("third").await;
    let other = caller("somebody");
    let resume = Execute::Resume(parked.run().into());
    let answer = hub.engine.execute(&other, resume, Default::default(), Default::default()).await;
    assert!(answer.is_err_and(|e| e.to_string().starts_with("run_not_found")));
}

#[tokio::test]
async fn a_pending_that_nobody_decides_ends_the_run() {
    let hub = asking().await;
    let parked = hub.run("third").await;
    hub.clock.advance(hub_core::limits::PENDING_LIFE_MS as u64);
    let done = hub.resume(parked.run()).await;
    assert_eq!((done.status(), done.error()), ("cancelled", "approval_expired"));
    assert_eq!(hub.upstream.count("demo", "ask"), 0);
}

#[tokio::test]
async fn allowed_for_this_run_covers_twenty_more() {
    let hub = Hub::new().await;
    hub.driver.program("loop", |api| async move {
        for i in 0..22 {
            api.call("demo.ask", json!({ "i": i })).await?;
        }
        Ok(json!("done"))
    });
    let first = hub.run("loop").await;
    hub.decide(&first, Choice::AllowRun).await;
    let second = hub.resume(first.run()).await;
    assert_eq!(second.status(), "awaiting_approval", "number 22 asks again");
    assert_eq!(hub.upstream.count("demo", "ask"), 21);
    hub.decide(&second, Choice::AllowOnce).await;
    assert_eq!(hub.resume(first.run()).await.status(), "completed");
    assert_eq!(hub.upstream.count("demo", "ask"), 22);
}

#[tokio::test]
async fn always_holds_for_the_next_run() {
    let mut hub = Hub::new().await;
    hub.driver.program("one", |api| async move { api.call("demo.ask", json!({})).await });
    let parked = hub.run("one").await;
    hub.decide(&parked, Choice::AllowAlways).await;
    assert_eq!(hub.resume(parked.run()).await.status(), "completed");
    let found = hub.engine.search(&caller("agent"), "ask", None).await.unwrap();
    assert!(!found.contains("[asks]"), "search tells what holds now: {found}");
    let other = hub.engine.search(&caller("somebody"), "ask", None).await.unwrap();
    assert!(other.contains("[asks]"), "another client is asked as before: {other}");
    hub.reopen().await;
    assert_eq!(hub.run("one#2").await.status(), "completed");
    assert_eq!(hub.upstream.count("demo", "ask"), 2);
}

#[tokio::test]
async fn a_store_put_back_from_a_backup_sends_nothing_of_its_open_runs() {
    let hub = asking().await;
    let parked = hub.run("third").await;
    assert_eq!(hub.engine.end_restored_runs().await, Ok(1));
    let told = hub.resume(parked.run()).await;
    assert_eq!((told.status(), told.error()), ("failed", "store_restored"));
    assert!(matches!(hub.decide(&parked, Choice::AllowOnce).await, DecidedView::Already(_)));
    assert_eq!(hub.upstream.count("demo", "ask"), 0);
}

#[tokio::test]
async fn a_no_holds_also_where_policy_allows_by_now() {
    let hub = Hub::new().await;
    hub.driver.program("two", |api| async move {
        let (a, b) = (api.call("demo.ask", json!({"n": 1})), api.call("demo.ask", json!({"n": 2})));
        let a = a.await.map_err(|e| e.tool.unwrap().code.as_str());
        let b = b.await.map_err(|e| e.tool.unwrap().code.as_str());
        Ok(json!([a.err(), b.err()]))
    });
    let parked = hub.run("two").await;
    let ids: Vec<String> =
        parked.envelope.pending.as_ref().unwrap().iter().map(|p| p.id.clone()).collect();
    hub.decide_id(&ids[0], Choice::Deny).await;
    hub.decide_id(&ids[1], Choice::AllowAlways).await;
    let done = hub.resume(parked.run()).await;
    assert_eq!(done.envelope.result, Some(json!(["denied", null])));
    assert_eq!(hub.upstream.count("demo", "ask"), 1);
}

#[tokio::test]
async fn a_confirm_is_never_covered_by_a_grant() {
    let hub = Hub::new().await;
    let rule = hub_engine::NewRule {
        pattern: "demo.ask".into(),
        connection: None,
        arguments: vec![hub_core::policy::ArgumentCondition {
            pointer: "/amount".into(),
            test: hub_core::policy::ArgumentTest::Range { min: Some(100.0), max: None },
        }],
        client: None,
        decision: hub_core::policy::Verdict::Confirm,
        note: String::new(),
    };
    hub.engine.put_rule(rule, "test").await.unwrap();
    hub.driver.program("pay", |api| async move {
        api.call("demo.ask", json!({"amount": 5})).await?;
        api.call("demo.ask", json!({"amount": 6})).await?;
        api.call("demo.ask", json!({"amount": 5000})).await
    });
    let parked = hub.run("pay").await;
    hub.decide(&parked, Choice::AllowRun).await;
    let again = hub.resume(parked.run()).await;
    assert_eq!(again.status(), "awaiting_approval");
    assert_eq!(hub.upstream.count("demo", "ask"), 2, "the small ones only");
}

#[tokio::test]
async fn a_cancelled_connection_is_an_error_of_its_own() {
    let hub = Hub::new().await;
    hub.driver.program("one", |api| async move {
        match api.call("demo.write", json!({})).await {
            Ok(_) => Ok(json!("sent")),
            Err(error) => Ok(json!(error.tool.unwrap().code.as_str())),
        }
    });
    hub.upstream.next("demo", "write", hub_testkit::Step::unauthorized());
    let parked = hub.run("one").await;
    assert_eq!(parked.status(), "awaiting_connection");
    hub.decide(&parked, Choice::Deny).await;
    let done = hub.resume(parked.run()).await;
    assert_eq!(done.envelope.result, Some(json!("connection_required")));
    assert_eq!(hub.upstream.count("demo", "write"), 1);
}

#[tokio::test]
async fn what_nobody_comes_back_for_ends_and_is_removed() {
    let hub = asking().await;
    let parked = hub.run("third").await;
    hub.clock.advance(hub_core::limits::PENDING_LIFE_MS as u64);
    hub.engine.keep_house().await.unwrap();
    let told = hub.resume(parked.run()).await;
    assert_eq!((told.status(), told.error()), ("cancelled", "approval_expired"));
    hub.clock.advance(hub_core::limits::ENDED_RUN_KEPT_MS as u64 + 1);
    hub.engine.keep_house().await.unwrap();
    assert!(hub.engine.run(parked.run()).await.is_err());
}

#[tokio::test]
async fn of_channels_that_decide_at_once_one_decides_and_the_effect_goes_once() {
    use hub_core::pending::Channel;
    for yes_first in [true, false] {
        let hub = asking().await;
        let parked = hub.run("third").await;
        let id = parked.envelope.pending.as_ref().unwrap()[0].id.clone();
        let decide = |choice, channel| hub_engine::Decide {
            pending: hub_core::id::PendingId::new(id.clone()),
            choice,
            channel,
            by: "test".into(),
            narrow: Vec::new(),
        };
        let yes = hub.engine.decide(decide(Choice::AllowOnce, Channel::Page));
        let no = hub.engine.decide(decide(Choice::Deny, Channel::Terminal));
        // Resumed in the same moment, too: whoever comes before the decision is told to wait.
        let resumes = futures_util::future::join_all((0..4).map(|_| hub.resume(parked.run())));
        let (yes, no) = match yes_first {
            true => {
                let (yes, no, _) = tokio::join!(yes, no, resumes);
                (yes, no)
            }
            false => {
                let (no, yes, _) = tokio::join!(no, yes, resumes);
                (yes, no)
            }
        };
        let held = [yes.unwrap(), no.unwrap()];
        let first = held.iter().position(|d| *d == DecidedView::Now).unwrap();
        let DecidedView::Already(told) = &held[1 - first] else { panic!("{held:?}") };
        let choice = [Choice::AllowOnce, Choice::Deny][first].clone();
        assert_eq!(told.choice, choice, "the other learns who decided");
        let all = futures_util::future::join_all((0..8).map(|_| hub.resume(parked.run()))).await;
        assert!(all.iter().all(|o| o.shown == all[0].shown), "{all:?}");
        let sent = usize::from(choice == Choice::AllowOnce);
        assert_eq!(hub.upstream.count("demo", "ask"), sent);
        assert_eq!(all[0].status(), ["failed", "completed"][sent]);
    }
}

/// "Always" with a narrowing.
async fn always(
    hub: &Hub,
    parked: &Outcome,
    narrow: Vec<ArgumentCondition>,
) -> Result<DecidedView, EngineError> {
    let decide = Decide {
        pending: PendingId::new(&parked.envelope.pending.as_ref().unwrap()[0].id),
        choice: Choice::AllowAlways,
        channel: Channel::Page,
        by: "test".into(),
        narrow,
    };
    hub.engine.decide(decide).await
}

#[tokio::test]
async fn always_for_a_call_that_nobody_needs_any_more_writes_no_rule() {
    let hub = two_sizes().await;
    let parked = hub.run("small").await;
    hub.engine.cancel_run("last", "the person").await.unwrap();
    let told = always(&hub, &parked, Vec::new()).await.unwrap();
    let DecidedView::Already(first) = told else { panic!("{told:?}") };
    assert_eq!(first.choice, Choice::Withdrawn);
    assert_eq!(hub.engine.rules().await.unwrap(), [], "and no rule was written");
}

fn where_n(test: ArgumentTest) -> Vec<ArgumentCondition> {
    vec![ArgumentCondition { pointer: "/n".into(), test }]
}

async fn two_sizes() -> Hub {
    let hub = Hub::new().await;
    for (name, n) in [("small", 1), ("large", 9)] {
        hub.driver
            .program(name, move |api| async move { api.call("demo.ask", json!({ "n": n })).await });
    }
    hub
}

#[tokio::test]
async fn always_narrowed_to_values_holds_for_those_in_every_channel_and_after_a_restart() {
    let mut hub = two_sizes().await;
    let parked = hub.run("small").await;
    let misses = [
        where_n(ArgumentTest::Equals(json!(9))),
        where_n(ArgumentTest::Range { min: Some(2.0), max: None }),
        where_n(ArgumentTest::PathUnder("/a".into())),
        vec![ArgumentCondition { pointer: "n".into(), test: ArgumentTest::Equals(json!(1)) }],
    ];
    for narrow in misses {
        assert!(
            matches!(always(&hub, &parked, narrow.clone()).await, Err(EngineError::Invalid(_))),
            "{narrow:?}"
        );
        assert_eq!(hub.engine.waiting(None).await.unwrap().len(), 1, "nothing is decided by it");
        assert_eq!(hub.engine.rules().await.unwrap(), []);
    }
    let narrow = where_n(ArgumentTest::Range { min: None, max: Some(5.0) });
    assert_eq!(always(&hub, &parked, narrow).await.unwrap(), DecidedView::Now);
    assert_eq!(hub.resume(parked.run()).await.status(), "completed");
    hub.reopen().await;
    for caller in [caller("agent"), crate::harness::with_forms("agent")] {
        let again = hub.ask(&caller, Execute::Code("small#2".into())).await;
        assert_eq!(again.status(), "completed", "no prompt, whatever could ask");
    }
    assert_eq!(hub.run("large").await.status(), "awaiting_approval");
}

#[tokio::test]
async fn a_changed_tool_or_source_asks_again_and_its_rule_is_listed_as_asleep() {
    for change in ["definition", "address", "nothing"] {
        let hub = two_sizes().await;
        let parked = hub.run("small").await;
        always(&hub, &parked, vec![]).await.unwrap();
        assert_eq!(hub.resume(parked.run()).await.status(), "completed");
        match change {
            "definition" => {
                let mut tool = hub_testkit::fixtures::tool("ask");
                tool.description = Some("Does something else.".into());
                hub.upstream.tool("demo", tool, hub_testkit::Step::echo());
                hub.engine.refresh("demo").await.unwrap();
            }
            "address" => {
                let transport = Transport::Http { url: "https://elsewhere.example/mcp".into() };
                let source = hub.engine.source("demo").await.unwrap().view.source;
                let new = NewSource {
                    name: source.name,
                    transport,
                    trusted: true,
                    effects: Default::default(),
                    timeout_ms: None,
                    concurrency: None,
                    from_file: false,
                };
                hub.engine.update_source(new).await.unwrap();
            }
            _ => {
                hub.engine.refresh("demo").await.unwrap();
            }
        }
        let sleeps = change != "nothing";
        let status = if sleeps { "awaiting_approval" } else { "completed" };
        assert_eq!(hub.run("small#2").await.status(), status, "{change}");
        let views = hub.engine.rule_views().await.unwrap();
        assert_eq!(views.iter().map(|v| v.asleep).collect::<Vec<_>>(), [sleeps], "{change}");
    }
}

#[tokio::test]
async fn for_this_run_is_this_tool_in_this_run_also_after_a_restart() {
    let mut hub = Hub::new().await;
    hub.upstream.tool("demo", hub_testkit::fixtures::tool("other"), hub_testkit::Step::echo());
    hub.engine.refresh("demo").await.unwrap();
    hub.driver.program("mixed", |api| async move {
        api.call("demo.ask", json!({ "n": 1 })).await?;
        api.call("demo.other", json!({ "n": 2 })).await?;
        api.call("demo.ask", json!({ "n": 3 })).await
    });
    let parked = hub.run("mixed").await;
    hub.decide(&parked, Choice::AllowRun).await;
    let second = hub.resume(parked.run()).await;
    assert_eq!(second.status(), "awaiting_approval");
    assert_eq!(second.envelope.pending.as_ref().unwrap()[0].address.as_deref(), Some("demo.other"));
    hub.crash().await;
    hub.decide(&second, Choice::AllowOnce).await;
    assert_eq!(hub.resume(parked.run()).await.status(), "completed", "the third is covered");
    assert_eq!((hub.upstream.count("demo", "ask"), hub.upstream.count("demo", "other")), (2, 1));
    assert_eq!(hub.run("mixed#2").await.status(), "awaiting_approval", "another run asks");
    assert_eq!(hub.engine.rules().await.unwrap(), [], "and no rule was written");
}

#[tokio::test]
async fn always_is_refused_where_it_would_not_hold() {
    let hub = two_sizes().await;
    let rule = hub_engine::NewRule {
        pattern: "demo.ask".into(),
        connection: None,
        arguments: where_n(ArgumentTest::Equals(json!(1))),
        client: None,
        decision: hub_core::policy::Verdict::Ask,
        note: String::new(),
    };
    hub.engine.put_rule(rule, "test").await.unwrap();
    let parked = hub.run("small").await;
    let view = hub.engine.waiting(None).await.unwrap();
    assert!(!view[0].offers_always, "the ask on this value is more specific");
    assert!(matches!(always(&hub, &parked, vec![]).await, Err(EngineError::Invalid(_))));
    let narrow = where_n(ArgumentTest::Equals(json!(1)));
    assert_eq!(always(&hub, &parked, narrow).await.unwrap(), DecidedView::Now, "as specific");
}

#[tokio::test]
async fn always_lifts_no_prohibition_of_other_calls() {
    let hub = two_sizes().await;
    let deny = hub_engine::NewRule {
        pattern: "demo.*".into(),
        connection: None,
        arguments: where_n(ArgumentTest::Range { min: Some(50.0), max: None }),
        client: None,
        decision: hub_core::policy::Verdict::Deny,
        note: String::new(),
    };
    let deny = hub.engine.put_rule(deny, "test").await.unwrap();
    let parked = hub.run("small").await;
    let wide = where_n(ArgumentTest::Range { min: Some(0.0), max: None });
    let refused = always(&hub, &parked, wide).await;
    let Err(EngineError::Invalid(why)) = refused else { panic!("{refused:?}") };
    assert!(why.contains(deny.id.as_str()), "{why}");
    let narrow = where_n(ArgumentTest::Range { min: Some(0.0), max: Some(49.0) });
    assert_eq!(always(&hub, &parked, narrow).await.unwrap(), DecidedView::Now);
}

#[tokio::test]
async fn explain_tells_of_rules_that_are_asleep() {
    let hub = two_sizes().await;
    let parked = hub.run("small").await;
    always(&hub, &parked, vec![]).await.unwrap();
    let rule = hub.engine.rules().await.unwrap()[0].id.clone();
    let agent = caller("agent");
    let explain = || hub.engine.explain(Some(&agent), "demo.ask", None, None);
    let said = explain().await.unwrap();
    assert_eq!((said.rule.map(|r| r.id), said.asleep), (Some(rule.clone()), vec![]));

    let other =
        hub_core::catalog::ToolDef { description: Some("new".into()), ..fixtures::tool("ask") };
    hub.upstream.lists("demo", fixtures::listing([other]));
    hub.engine.refresh("demo").await.unwrap();
    let said = explain().await.unwrap();
    assert_eq!(said.verdict, hub_core::policy::Verdict::Ask);
    assert_eq!((said.asleep[0].id.clone(), said.others), (rule.clone(), vec![]));

    hub.upstream.lists("demo", fixtures::listing([fixtures::tool("else")]));
    hub.engine.refresh("demo").await.unwrap();
    let gone = explain().await;
    let Err(EngineError::NotFound(why)) = gone else { panic!("{gone:?}") };
    assert!(why.contains(rule.as_str()) && why.contains("asleep"), "{why}");
}

#[tokio::test]
async fn an_always_that_came_late_leaves_no_rule() {
    let hub = two_sizes().await;
    let parked = hub.run("small").await;
    hub.decide(&parked, Choice::Deny).await;
    let late = always(&hub, &parked, vec![]).await.unwrap();
    assert!(matches!(late, DecidedView::Already(first) if first.choice == Choice::Deny));
    assert_eq!(hub.engine.rules().await.unwrap(), []);
    let parked = hub.run("large").await;
    hub.clock.advance(hub_core::limits::PENDING_LIFE_MS as u64);
    assert_eq!(always(&hub, &parked, vec![]).await.unwrap(), DecidedView::Expired);
    assert_eq!(hub.engine.rules().await.unwrap(), []);
}

#[tokio::test]
async fn the_time_that_a_person_takes_counts_against_nothing() {
    let hub = asking().await;
    let parked = hub.run("third").await;
    hub.clock.advance(hub_core::limits::PENDING_LIFE_MS as u64 - 1);
    hub.decide(&parked, Choice::AllowOnce).await;
    let done = hub.resume(parked.run()).await;
    assert_eq!(done.status(), "completed", "{}", done.error());
    assert_eq!(hub.upstream.count("demo", "ask"), 1);
}
