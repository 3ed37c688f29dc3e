//! The form round trip over MCP 2026-07-28 against the binary, as far as no client library lets
//! one forge it: answers that are missing, changed, repeated, or brought by somebody else.

use crate::support::{Agent, TestHub, message};
use hub_core::owner::ElicitationMode;
use serde_json::{Value, json};

const CODE: &str = "return await tracker.deleteIssue({ number: 1 })";

/// A program that asks, as request arguments; `n` tells it from another.
fn program(n: u32) -> Value {
    json!({ "code": format!("{CODE} // {n}") })
}

fn send(agent: &Agent<'_>, arguments: &Value, state: &Value, answers: &Value) -> Value {
    let params = json!({ "name": "execute", "arguments": arguments, "requestState": state,
        "inputResponses": answers });
    message(&agent.post("tools/call", Some("execute"), params))
}

/// The state of a question, and an answer to each of its forms.
#[track_caller]
fn asked(agent: &Agent<'_>, arguments: &Value, decision: &str) -> (Value, Value) {
    let result = agent.call("execute", arguments.clone());
    assert_eq!(result["resultType"], "input_required", "{result}");
    let answer = json!({ "action": "accept", "content": { "decision": decision } });
    let ids = result["inputRequests"].as_object().unwrap().keys();
    let answers: serde_json::Map<_, _> = ids.map(|id| (id.clone(), answer.clone())).collect();
    (result["requestState"].clone(), Value::Object(answers))
}

fn deleted(hub: &TestHub) -> usize {
    hub.calls().iter().filter(|tool| *tool == "delete_issue").count()
}

#[test]
fn an_answer_holds_for_its_own_question_only_and_once() {
    let hub = TestHub::with_tracker();
    let agent = Agent::with(&hub, hub.key_of("agent", ElicitationMode::Auto)).with_forms();
    let other = Agent::with(&hub, hub.key_of("other", ElicitationMode::Auto)).with_forms();
    let (state, yes) = asked(&agent, &program(1), "allow_once");
    let (state_of_2, yes_of_2) = asked(&agent, &program(2), "allow_once");

    let text = state.as_str().unwrap();
    let swapped = if text.ends_with('A') { "B" } else { "A" };
    let mut refused = vec![
        ("another key", send(&other, &program(1), &state, &yes)),
        ("another program", send(&agent, &program(3), &state, &yes)),
        ("another run's program", send(&agent, &program(2), &state, &yes)),
        ("another run's state", send(&agent, &program(1), &state_of_2, &yes)),
        ("a resume", send(&agent, &json!({ "resume": "last" }), &state, &yes)),
        ("a state cut short", send(&agent, &program(1), &json!(&text[..text.len() - 4]), &yes)),
        ("no state of ours", send(&agent, &program(1), &json!("x"), &yes)),
        ("an empty state", send(&agent, &program(1), &json!(""), &yes)),
    ];
    for at in [0, text.len() / 3, text.len() / 2, text.len() - 20] {
        let mut tampered = text.to_owned();
        let with = if &text[at..=at] == "A" { "B" } else { "A" };
        tampered.replace_range(at..=at, with);
        refused.push(("a changed state", send(&agent, &program(1), &json!(tampered), &yes)));
    }
    let longer = json!(format!("{text}{swapped}"));
    refused.push(("a state with more behind", send(&agent, &program(1), &longer, &yes)));
    let (_, uniform) = refused[0].clone();
    assert_eq!(uniform["error"]["code"], -32602, "{uniform}");
    for (what, answer) in &refused {
        assert_eq!(answer["error"], uniform["error"], "{what}: {answer}");
    }
    // Answers to forms of another run are not among those asked: its own is asked again.
    let mixed = send(&agent, &program(1), &state, &yes_of_2);
    assert_eq!(mixed["result"]["resultType"], "input_required", "{mixed}");
    let missing = send(&agent, &program(1), &state, &json!({}));
    assert_eq!(missing["result"]["resultType"], "input_required", "{missing}");
    assert_ne!(missing["result"]["requestState"], state, "a state of its own");
    let odd = json!({ "action": "accept", "content": { "decision": "allow_everything" } });
    let ids = yes.as_object().unwrap().keys();
    let odd: serde_json::Map<_, _> = ids.map(|id| (id.clone(), odd.clone())).collect();
    let odd = send(&agent, &program(1), &state, &Value::Object(odd));
    assert!(odd["error"].is_object(), "{odd}");
    assert_eq!(deleted(&hub), 0, "nothing was sent so far");

    let done = send(&agent, &program(1), &state, &yes);
    assert_eq!(done["result"]["structuredContent"]["status"], "completed", "{done}");
    assert_eq!(deleted(&hub), 1);
    let again = send(&agent, &program(1), &state, &yes);
    assert_eq!(again["result"]["structuredContent"], done["result"]["structuredContent"]);
    let no = yes.to_string().replace("allow_once", "deny");
    let no = send(&agent, &program(1), &state, &serde_json::from_str(&no).unwrap());
    let told = &no["result"]["structuredContent"];
    assert!(told["notices"].to_string().contains("decided already"), "{no}");
    assert_eq!(deleted(&hub), 1, "one question, one call");
}

#[test]
fn native_asks_by_form_or_not_at_all_and_browser_never_by_form() {
    let hub = TestHub::with_tracker();
    let native = hub.key_of("native", ElicitationMode::Native);
    let browser = hub.key_of("browser", ElicitationMode::Browser);
    let with_forms = |key: &str| Agent::with(&hub, key).with_forms().call("execute", program(1));
    assert_eq!(with_forms(&native)["resultType"], "input_required");
    let page = with_forms(&browser);
    assert_eq!(page["structuredContent"]["status"], "awaiting_approval", "{page}");
    let params = json!({ "name": "execute", "arguments": program(2) });
    let mute = message(&Agent::with(&hub, native).post("tools/call", Some("execute"), params));
    assert!(mute.to_string().contains("client_cannot_ask"), "{mute}");
    assert_eq!(deleted(&hub), 0);
}
