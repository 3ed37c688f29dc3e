//! Official clients whose person answers forms, and those that show none.

use crate::support::{TestHub, Tools};
use hub_core::owner::ElicitationMode as Mode;
use serde_json::{Value, json};
use std::process::Command;

/// Adds an issue, which goes, and deletes it, which asks. `n` tells one program from another.
fn program(n: usize) -> String {
    format!(
        "const made = await tracker.createIssue({{ title: 'run {n}' }});
         try {{ return (await tracker.deleteIssue({{ number: made.number }})).left; }}
         catch (error) {{ return error.code; }}"
    )
}

/// What a client saw: the forms it was shown, and all that was answered.
struct Saw {
    asked: Vec<Value>,
    envelope: Value,
    everything: String,
}

/// Runs one program through an official client whose person always answers `answer`; a client
/// without forms where that is null.
#[track_caller]
fn client(tools: &Tools, which: &str, hub: &TestHub, key: &str, n: usize, answer: Value) -> Saw {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/real/forms.py");
    let environment = if which == "v2" { "mcp2" } else { "mcp1" };
    let done = Command::new(tools.python(environment, "python"))
        .args([script, which, &format!("http://127.0.0.1:{}/mcp", hub.port), &program(n)])
        .arg(answer.to_string())
        .env("HUB_KEY", key)
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&done.stdout).into_owned();
    let told: Value = serde_json::from_str(out.lines().last().unwrap_or_default())
        .unwrap_or_else(|_| panic!("{out}{}", String::from_utf8_lossy(&done.stderr)));
    let asked = told["asked"].as_array().unwrap().clone();
    Saw { asked, envelope: told["envelope"].clone(), everything: told.to_string() }
}

fn accept(decision: &str) -> Value {
    json!({ "action": "accept", "content": { "decision": decision } })
}

fn deleted(hub: &TestHub) -> usize {
    hub.calls().iter().filter(|tool| *tool == "delete_issue").count()
}

/// Each answer, how the run ends, what a program gets whose call did not go, and how often the
/// call goes: not at all or once.
fn answers() -> Vec<(Value, &'static str, Value, usize)> {
    vec![
        (accept("allow_once"), "completed", Value::Null, 1),
        (accept("allow_run"), "completed", Value::Null, 1),
        (accept("deny"), "completed", json!("denied"), 0),
        (json!({ "action": "decline" }), "completed", json!("denied"), 0),
        (json!({ "action": "cancel" }), "awaiting_approval", Value::Null, 0),
        (accept("always"), "completed", Value::Null, 1),
    ]
}

#[track_caller]
fn each_answer(tools: &Tools, which: &str, key: impl Fn(&TestHub) -> String) {
    let hub = TestHub::with_tracker();
    let key = key(&hub);
    for (n, (answer, status, result, sent)) in answers().into_iter().enumerate() {
        let before = deleted(&hub);
        let saw = client(tools, which, &hub, &key, n, answer.clone());
        let what = format!("{which} {answer}: {}", saw.everything);
        assert_eq!(saw.asked.len(), 1, "{what}");
        let message = saw.asked[0]["message"].as_str().unwrap();
        for part in ["tracker.deleteIssue", "sample-server", "number: ", "Asked because"] {
            assert!(message.contains(part), "{part}: {what}");
        }
        assert_eq!(saw.envelope["status"], status, "{what}");
        assert_eq!(deleted(&hub) - before, sent, "{what}");
        if sent == 0 {
            assert_eq!(saw.envelope["result"], result, "{what}");
        }
    }
    // "Always" was the last answer: nothing is asked any more.
    let before = deleted(&hub);
    let saw = client(tools, which, &hub, &key, 99, json!({ "action": "cancel" }));
    assert_eq!((saw.asked.len(), deleted(&hub) - before), (0, 1), "{}", saw.everything);
    assert_eq!(saw.envelope["status"], "completed", "{}", saw.everything);
}

#[test]
fn the_python_client_of_today_is_asked_by_form() {
    let Some(tools) = Tools::find() else { return };
    each_answer(&tools, "v2", |hub| hub.key_of("agent", Mode::Auto));
}

#[test]
fn the_python_client_of_before_is_asked_in_native_mode() {
    let Some(tools) = Tools::find() else { return };
    each_answer(&tools, "v1", |hub| hub.key_of("agent", Mode::Native));
}

#[test]
fn a_client_without_forms_waits_for_the_page_and_learns_no_way_to_it() {
    let Some(tools) = Tools::find() else { return };
    let cases = [
        ("v1 in auto mode, though it could show forms", "v1", Mode::Auto, accept("allow_once")),
        ("v1 without forms", "v1", Mode::Auto, Value::Null),
        ("v2 without forms", "v2", Mode::Auto, Value::Null),
        ("v2 in browser mode", "v2", Mode::Browser, accept("allow_once")),
    ];
    for (what, which, mode, answer) in cases {
        let hub = TestHub::with_screen();
        let key = hub.key_of("agent", mode);
        let saw = client(&tools, which, &hub, &key, 0, answer);
        assert_eq!(saw.envelope["status"], "awaiting_approval", "{what}: {}", saw.everything);
        assert!(saw.asked.is_empty(), "{what}");
        let opened = hub.opened();
        assert_eq!(opened.len(), 1, "{what}: one page for one park");
        let page = std::fs::read_to_string(&opened[0]).unwrap();
        let code = page.split("/enter/").nth(1).unwrap();
        let code: String = code.chars().take_while(|c| !"\"'<> &;".contains(*c)).collect();
        assert!(code.len() >= 16, "{what}: {page}");
        let said = saw.everything + &hub.log_text();
        for secret in [code.as_str(), "/enter/", "/p/", &key, "http://127", "localhost"] {
            assert!(!said.contains(secret), "{what}: {secret} reached the client or the log");
        }
        assert_eq!(deleted(&hub), 0, "{what}");
    }
}
