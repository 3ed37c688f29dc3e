//! The form round trip: sealed state, answers, refusals.

use crate::harness::{Hub, Outcome, caller, with_forms};
use hub_core::owner::ElicitationMode;
use hub_core::pending::Choice;
use hub_core::ports::BoxFuture;
use hub_engine::{
    Caller, EngineError, Execute, ExecuteAnswer, Form, FormReply, Forms, LiveForms, Wait,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

async fn hub() -> Hub {
    let hub = Hub::new().await;
    hub.driver.program("one", |api| async move {
        match api.call("demo.ask", json!({"to": "x"})).await {
            Ok(value) => Ok(value),
            Err(error) => Ok(json!(error.tool.unwrap().code.as_str())),
        }
    });
    hub
}

async fn send(
    hub: &Hub,
    caller: &Caller,
    code: &str,
    reply: FormReply,
) -> Result<ExecuteAnswer, EngineError> {
    hub.engine.execute(caller, Execute::Code(code.into()), reply, Wait::default()).await
}

async fn asked(hub: &Hub) -> (BTreeMap<String, Form>, String) {
    match send(hub, &with_forms("agent"), "one", FormReply::default()).await.unwrap() {
        ExecuteAnswer::AskForms { forms, state } => (forms, state),
        ExecuteAnswer::Envelope(shown) => panic!("{}", shown.json),
    }
}

fn reply(forms: &BTreeMap<String, Form>, state: &str, answer: &Value) -> FormReply {
    let responses = forms.keys().map(|id| (id.clone(), answer.clone())).collect();
    FormReply { state: Some(state.into()), responses }
}

fn accept(decision: &str) -> Value {
    json!({ "action": "accept", "content": { "decision": decision } })
}

fn envelope(answer: Result<ExecuteAnswer, EngineError>) -> Outcome {
    match answer.unwrap() {
        ExecuteAnswer::Envelope(shown) => Outcome { envelope: shown.envelope().unwrap(), shown },
        ExecuteAnswer::AskForms { .. } => panic!("asked again"),
    }
}

#[tokio::test]
async fn each_choice_does_what_it_says() {
    for (answer, status, result, sent) in [
        (accept("allow_once"), "completed", json!({"to": "x"}), 1),
        (accept("allow_run"), "completed", json!({"to": "x"}), 1),
        (accept("always"), "completed", json!({"to": "x"}), 1),
        (accept("deny"), "completed", json!("denied"), 0),
        (json!({ "action": "decline" }), "completed", json!("denied"), 0),
    ] {
        let hub = hub().await;
        let (forms, state) = asked(&hub).await;
        let outcome =
            envelope(send(&hub, &with_forms("agent"), "one", reply(&forms, &state, &answer)).await);
        assert_eq!((outcome.status(), outcome.envelope.result.clone()), (status, Some(result)));
        assert_eq!(hub.upstream.count("demo", "ask"), sent, "{answer}");
        let again =
            envelope(send(&hub, &with_forms("agent"), "one", reply(&forms, &state, &answer)).await);
        assert_eq!(again.shown.json, outcome.shown.json, "the same answer again, the same bytes");
        assert_eq!(hub.upstream.count("demo", "ask"), sent);
    }
}

#[tokio::test]
async fn closing_the_form_decides_nothing() {
    let hub = hub().await;
    let (forms, state) = asked(&hub).await;
    let cancel = reply(&forms, &state, &json!({ "action": "cancel" }));
    let outcome = envelope(send(&hub, &with_forms("agent"), "one", cancel).await);
    assert_eq!(outcome.status(), "awaiting_approval");
    hub.decide(&outcome, Choice::AllowOnce).await;
    assert_eq!(hub.resume(outcome.run()).await.status(), "completed");
}

#[tokio::test]
async fn a_missing_answer_is_asked_again_and_only_eight_times() {
    let hub = hub().await;
    let (mut forms, mut state) = asked(&hub).await;
    for round in 1.. {
        let nothing = FormReply { state: Some(state), responses: BTreeMap::new() };
        match send(&hub, &with_forms("agent"), "one", nothing).await.unwrap() {
            ExecuteAnswer::AskForms { forms: f, state: s } => (forms, state) = (f, s),
            ExecuteAnswer::Envelope(shown) => {
                assert_eq!(round, hub_core::limits::FORM_ROUNDS);
                assert_eq!(shown.envelope().unwrap().status.as_str(), "awaiting_approval");
                break;
            }
        }
    }
    assert_eq!(forms.len(), 1);
}

#[tokio::test]
async fn what_does_not_belong_together_is_refused_alike() {
    let hub = hub().await;
    let (forms, state) = asked(&hub).await;
    let good = reply(&forms, &state, &accept("allow_once"));
    let mut tampered = good.clone();
    tampered.state = Some(format!("A{}", &state[1..]));
    let refused = [
        send(&hub, &with_forms("agent"), "one", tampered).await,
        send(&hub, &with_forms("somebody"), "one", good.clone()).await,
        send(&hub, &with_forms("agent"), "one#other", good.clone()).await,
        send(&hub, &caller("agent"), "one", good.clone()).await,
    ];
    for answer in refused {
        assert_eq!(answer, Err(EngineError::BadState));
    }
    hub.clock.advance(hub_core::limits::REQUEST_STATE_LIFE_MS as u64);
    let expired = send(&hub, &with_forms("agent"), "one", good).await;
    assert_eq!(expired, Err(EngineError::BadState));
    assert_eq!(hub.upstream.count("demo", "ask"), 0);
}

#[tokio::test]
async fn who_decided_first_is_told() {
    let hub = hub().await;
    let (forms, state) = asked(&hub).await;
    let id = forms.keys().next().unwrap();
    hub.decide_id(id, Choice::Deny).await;
    let late = reply(&forms, &state, &accept("allow_once"));
    let outcome = envelope(send(&hub, &with_forms("agent"), "one", late).await);
    assert_eq!(outcome.envelope.result, Some(json!("denied")));
    assert!(outcome.envelope.notices.unwrap()[0].contains("decided already"));
    assert_eq!(hub.upstream.count("demo", "ask"), 0);
}

struct Says(Value);

impl LiveForms for Says {
    fn ask<'a>(&'a self, _: &'a Form) -> BoxFuture<'a, Option<Value>> {
        Box::pin(async { Some(self.0.clone()) })
    }
}

#[tokio::test]
async fn an_older_client_is_asked_inside_the_request_in_native_mode_only() {
    let hub = hub().await;
    let live = |mode| Caller {
        mode,
        forms: Forms::Live(Arc::new(Says(accept("allow_once")))),
        ..caller("agent")
    };
    let code = Execute::Code("one".into());
    let native = hub.ask(&live(ElicitationMode::Native), code.clone()).await;
    assert_eq!(native.status(), "completed");
    let auto = hub.ask(&live(ElicitationMode::Auto), Execute::Code("one#2".into())).await;
    assert_eq!(auto.status(), "awaiting_approval");
    assert_eq!(hub.screen.0.load(std::sync::atomic::Ordering::SeqCst), 1, "a page opened");
    let none = Caller { mode: ElicitationMode::Native, ..caller("agent") };
    let refused = hub.ask(&none, code).await;
    assert_eq!(refused.status(), "failed");
    assert_eq!(refused.envelope.error.unwrap().code, "client_cannot_ask");
    assert!(refused.shown.is_error && refused.envelope.calls.is_empty());
}

#[tokio::test]
async fn a_run_that_waits_stands_as_it_is_where_its_client_shows_no_forms() {
    let hub = hub().await;
    let native = |forms| Caller { mode: ElicitationMode::Native, forms, ..caller("agent") };
    let closes = native(Forms::Live(Arc::new(Says(json!({ "action": "cancel" })))));
    let waits = hub.ask(&closes, Execute::Code("one".into())).await;
    assert_eq!(waits.status(), "awaiting_approval");
    let refused = hub.ask(&native(Forms::None), Execute::Resume("last".into())).await;
    assert_eq!(refused.status(), "awaiting_approval");
    assert_eq!(refused.envelope.run_id, waits.envelope.run_id);
    assert_eq!(refused.envelope.error.unwrap().code, "client_cannot_ask");
    assert_eq!(refused.envelope.pending, waits.envelope.pending);
    let says = native(Forms::Live(Arc::new(Says(accept("allow_once")))));
    let done = hub.ask(&says, Execute::Resume("last".into())).await;
    assert_eq!((done.status(), hub.upstream.count("demo", "ask")), ("completed", 1));
    let again = hub.ask(&native(Forms::None), Execute::Resume("last".into())).await;
    assert_eq!(again.shown, done.shown, "an ended run is told again");
}
