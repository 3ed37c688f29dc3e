//! What is refused, and that a refusal says what to do and loses nothing.

use crate::support::{Agent, TestHub, http};
use serde_json::{Value, json};
use std::process::Command;

const JSON: (&str, &str) = ("content-type", "application/json");
const ACCEPT: (&str, &str) = ("accept", "application/json, text/event-stream");

/// What is wrong, headers, body, and the status that says so.
type Refused<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str, u16);

#[test]
fn requests_that_do_not_belong_here() {
    let hub = TestHub::start();
    let key = format!("Bearer {}", hub.key());
    let key = ("authorization", key.as_str());
    let wrong = ("authorization", "Bearer hub_0000000000000000000000000000");
    let list =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} }).to_string();
    let large = format!("\"{}\"", "x".repeat(hub_core::limits::REQUEST_BYTES));
    let foreign_host = ("host", "evil.example");
    let foreign_origin = ("origin", "https://evil.example");
    let table: [Refused<'_>; 6] = [
        ("no key", &[JSON, ACCEPT], &list, 401),
        ("a wrong key", &[JSON, ACCEPT, wrong], &list, 401),
        ("a foreign Host", &[JSON, ACCEPT, key, foreign_host], &list, 403),
        ("a foreign Origin", &[JSON, ACCEPT, key, foreign_origin], &list, 403),
        ("a body too large", &[JSON, ACCEPT, key], &large, 413),
        ("invalid JSON", &[JSON, ACCEPT, key], "{\"jsonrpc\":", 400),
    ];
    for (what, headers, body, status) in table {
        let answer = http(hub.port, "POST", "/mcp", headers, body);
        assert_eq!(answer.status, status, "{what}: {answer:?}");
        let told: Value = serde_json::from_str(&answer.body).unwrap_or_default();
        let message = told["message"].as_str().or(told["error"]["message"].as_str());
        assert!(message.is_some_and(|m| !m.is_empty()), "{what}: {answer:?}");
    }
    assert_eq!(Agent::with(&hub, hub.key()).tools(), ["search", "describe", "execute"]);
}

#[test]
fn an_unknown_tool_is_told_with_the_closest_one() {
    let hub = TestHub::with_tracker();
    let agent = Agent::with(&hub, hub.key());
    let envelope =
        agent.execute(json!({ "code": "return await tracker.createIsue({ title: 'x' })" }));
    assert_eq!(envelope["status"], "failed");
    assert_eq!(envelope["error"]["code"], "unknown_tool", "{envelope}");
    let told = envelope["error"].to_string();
    assert!(told.contains("createIssue"), "{told}");
    let answer =
        agent.post("tools/call", Some("nonsense"), json!({ "name": "nonsense", "arguments": {} }));
    let message: Value = serde_json::from_str(&answer.body).unwrap_or_default();
    assert_eq!(message["error"]["code"], -32602, "{answer:?}");
    assert_eq!(hub.calls(), Vec::<String>::new());
}

#[test]
fn a_source_that_cannot_start_is_kept_and_says_why() {
    let hub = TestHub::with_tracker();
    let added = hub.add("broken", "no-such-command-anywhere", &[]);
    assert!(added.view.problem.is_some());
    let crashes = hub.add("crashes", "sh", &["-c", "echo out of order >&2; exit 3"]);
    assert!(crashes.view.problem.is_some());
    let shown = hub.run(&["source", "show", "crashes"]).out;
    assert!(shown.contains("out of order"), "{shown}");
    let agent = Agent::with(&hub, hub.key());
    let fine =
        agent.execute(json!({ "code": "return (await tracker.listIssues({})).issues.length" }));
    assert_eq!(fine["result"], 3, "{fine}");
}

#[test]
fn a_store_of_a_newer_hub_is_left_alone() {
    let mut hub = TestHub::start();
    assert_eq!(hub.stop(), 0);
    let store = hub.home.join("store/hub.db");
    let mut bytes = std::fs::read(&store).unwrap();
    // `user_version`: 4 bytes at 60 of the header (SQLite file format, 1.3).
    bytes[60..64].copy_from_slice(&9_999_u32.to_be_bytes());
    std::fs::write(&store, &bytes).unwrap();
    let ran = hub.run(&["hub", "start", "--port", "0"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("newer"), "{}", ran.err);
    assert_eq!(std::fs::read(&store).unwrap(), bytes, "not a byte was changed");
}

#[test]
fn a_second_hub_on_the_same_folder_says_that_one_runs() {
    let hub = TestHub::start();
    let ran = hub.run(&["hub", "start", "--port", "0"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("another hub") || ran.err.contains("running"), "{}", ran.err);
    assert_eq!(hub.run(&["hub", "status"]).code, 0);
}

/// Needs a small file system, so it is run where this process may mount one.
#[test]
fn a_full_disk_is_a_clear_error_and_nothing_is_lost() {
    let Some(disk) = SmallDisk::mount() else {
        eprintln!("skipped: this process may not mount a small file system");
        return;
    };
    let mut hub = TestHub::stopped();
    hub.home = disk.folder.path().join("home");
    hub.restart();
    let added = hub.add("tracker", TestHub::BIN, &["sample-server"]);
    assert_eq!(added.view.problem, None);
    let agent = Agent::with(&hub, hub.key());
    let before = agent.execute(json!({ "code": "return 'before'" }));
    assert_eq!(before["status"], "completed", "{before}");
    disk.fill();
    let full = agent.post(
        "tools/call",
        Some("execute"),
        json!({ "name": "execute", "arguments": { "code": "return await tracker.createIssue({ title: 'x' })" } }),
    );
    assert!(full.body.contains("free some space"), "{full:?}");
    disk.empty();
    let after = agent.execute(json!({ "code": "return 'after'" }));
    assert_eq!(after["status"], "completed", "{after}");
    let runs = hub.run(&["--json", "run", "list"]).json();
    let codes: Vec<_> =
        runs.as_array().unwrap().iter().map(|r| r["code"].as_str().unwrap()).collect();
    assert!(codes.contains(&"return 'before'") && codes.contains(&"return 'after'"), "{codes:?}");
}

struct SmallDisk {
    folder: tempfile::TempDir,
}

impl SmallDisk {
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=16m", "tmpfs"])
            .arg(folder.path())
            .output();
        mounted.ok().filter(|m| m.status.success()).map(|_| Self { folder })
    }

    fn fill(&self) {
        use std::io::Write;
        let mut file = std::fs::File::create(self.folder.path().join("ballast")).unwrap();
        let block = [0; 4_096];
        while file.write_all(&block).is_ok() {}
    }

    fn empty(&self) {
        std::fs::remove_file(self.folder.path().join("ballast")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a child of the hub may still be ending.
        let _ = Command::new("umount").arg("-l").arg(self.folder.path()).output();
    }
}
