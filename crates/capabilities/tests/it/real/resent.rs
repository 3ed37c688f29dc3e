//! Real clients that lose an answer and send or ask again by themselves.

use crate::support::{Fate, Relay, TestHub, Tools};
use serde_json::{Value, json};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A program with one effect.
fn program(title: &str) -> String {
    format!("return (await tracker.createIssue({{ title: '{title}' }})).title;")
}

/// Runs `script` with one Python client through `relay`; what it said last.
fn client(tools: &Tools, client: &str, hub: &TestHub, relay: &Relay, code: &str) -> Value {
    let script = format!("{}/tests/it/real/resent_{client}.py", env!("CARGO_MANIFEST_DIR"));
    let done = Command::new(tools.python(client, "python"))
        .args([&script, &format!("http://127.0.0.1:{}/mcp", relay.port), code])
        .env("HUB_KEY", hub.key())
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&done.stdout).into_owned();
    serde_json::from_str(out.lines().last().unwrap_or_default())
        .unwrap_or_else(|_| panic!("{out}{}", String::from_utf8_lossy(&done.stderr)))
}

/// A relay that does `fate` to the first answer of an `execute`.
fn once(hub: &TestHub, fate: impl Fn(&str) -> Fate + Send + Sync + 'static) -> Relay {
    let asked = AtomicUsize::new(0);
    Relay::start(hub.port, move |request| {
        let first = request.contains("tools/call") && asked.fetch_add(1, Ordering::SeqCst) == 0;
        if first { fate(request) } else { Fate::Whole }
    })
}

#[track_caller]
fn judge(hub: &TestHub, title: &str, told: &Value) {
    assert_eq!(told["envelope"]["result"], json!(title), "{told:#}");
    let made = hub.whole_calls().into_iter().filter(|call| call["arguments"]["title"] == *title);
    assert_eq!(made.count(), 1, "{title}: one effect");
}

/// Told that its headers do not match (what stands between may say so after the hub has acted),
/// the client of today lists the tools and sends the same call again, without asking anybody.
#[test]
fn the_python_client_of_today_sends_the_call_again() {
    let Some(tools) = Tools::find() else { return };
    let hub = TestHub::with_tracker();
    let relay = once(&hub, |request| {
        let body = request.split("\r\n\r\n").nth(1).unwrap_or_default();
        let id = serde_json::from_str::<Value>(body).unwrap_or_default()["id"].clone();
        let error = json!({ "code": -32020, "message": "header mismatch" });
        let body = json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string();
        Fate::Replaced(format!(
            "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        ))
    });
    let told = client(&tools, "mcp2", &hub, &relay, &program("by itself"));
    judge(&hub, "by itself", &told);
    assert_eq!((told["asked"].as_u64(), relay.count("tools/call\"")), (Some(1), 2), "{told:#}");
}

/// Its stream broken after an event with an id, the client of before asks for the rest.
#[test]
fn the_python_client_of_before_takes_the_answer_up() {
    let Some(tools) = Tools::find() else { return };
    let hub = TestHub::with_tracker();
    let relay = once(&hub, |_| Fate::CutAfterEvent);
    let told = client(&tools, "mcp1", &hub, &relay, &program("taken up"));
    judge(&hub, "taken up", &told);
    assert!(relay.count("last-event-id:") > 0, "{told:#}");
    assert_eq!((told["asked"].as_u64(), relay.count("tools/call\"")), (Some(1), 1), "{told:#}");
}

/// Cut anywhere else the client fails, and its program asks again.
#[test]
fn programs_on_both_python_clients_ask_again() {
    let Some(tools) = Tools::find() else { return };
    let hub = TestHub::with_tracker();
    for name in ["mcp2", "mcp1"] {
        for at in [0, 10, 150, 400] {
            let relay = once(&hub, move |_| Fate::Cut(at));
            let title = format!("{name} {at}");
            let told = client(&tools, name, &hub, &relay, &program(&title));
            judge(&hub, &title, &told);
        }
    }
}
