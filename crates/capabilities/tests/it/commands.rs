//! Commands that configure the hub, by their words and by their JSON.

use crate::support::TestHub;
use serde_json::json;

#[test]
fn a_source_is_added_in_a_terminal_listed_shown_and_removed() {
    let hub = TestHub::start();
    let mut person =
        hub.terminal(&["source", "add", "tracker", "--", TestHub::BIN, "sample-server"]);
    person.expect("sample-server");
    person.expect("[yes/no] ");
    person.answer("yes");
    let (code, said) = person.end();
    assert_eq!(code, 0, "{said}");
    let listed = hub.run(&["--json", "source", "list"]).json();
    assert_eq!((&listed[0]["source"]["name"], &listed[0]["tools"]), (&json!("tracker"), &json!(5)));
    let shown = hub.run(&["source", "show", "tracker"]).out;
    assert!(shown.contains("tracker.deleteIssue(") && shown.contains("[asks]"), "{shown}");
    let found = hub.run(&["search", "delete", "an", "issue"]).out;
    assert!(found.contains("tracker.deleteIssue("), "{found}");
    let types = hub.run(&["describe", "tracker.createIssue"]).out;
    assert!(types.contains("declare const tracker"), "{types}");
    assert_eq!(hub.run(&["source", "refresh", "tracker"]).code, 0);
    assert_eq!(hub.run(&["source", "remove", "tracker"]).code, 0);
    assert_eq!(hub.run(&["source", "show", "tracker"]).code, 3);
}

#[test]
fn secrets_come_by_reference_and_are_never_told_again() {
    let hub = TestHub::with_tracker();
    let literal = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let refused =
        hub.run(&["connection", "add", "tracker", "work", "--env", &format!("T={literal}")]);
    assert_eq!(refused.code, 2);
    assert!(!refused.err.contains("ghp_") && refused.err.contains("secret set"), "{}", refused.err);

    let kept = hub.run_with(&["--json", "secret", "set", "tracker-work"], &format!("{literal}\n"));
    assert_eq!(kept.json()["reference"], "file:tracker-work");
    let again = hub.run_with(&["secret", "set", "tracker-work"], "another\n");
    assert_eq!(again.code, 4, "replacing one is for a person: {}", again.err);
    assert_eq!(hub.run(&["--json", "secret", "list"]).json(), json!(["tracker-work"]));
    let connect = |name: &str, given: &str| {
        let args = ["connection", "add", "tracker", name, "--env", given];
        assert_eq!(hub.run(&args).code, 4, "a credential needs a person");
        let mut person = hub.terminal(&args);
        person.expect(&format!("env TOKEN from {}", given.trim_start_matches("TOKEN=")));
        person.expect("[yes/no] ");
        person.answer("yes");
        let (code, said) = person.end();
        assert_eq!(code, 0, "{said}");
    };
    connect("work", "TOKEN=file:tracker-work");
    let listed = hub.run(&["connection", "list", "tracker"]).out;
    assert!(
        listed.contains("work*") && listed.contains("env TOKEN from file:tracker-work"),
        "{listed}"
    );
    connect("home", "TOKEN=env:HOME");
    let args = ["connection", "default", "tracker", "home"];
    assert_eq!(hub.run(&args).code, 4, "calls would go as another account");
    let mut person = hub.terminal(&args);
    person.expect("unless a call names another");
    person.expect("[yes/no] ");
    person.answer("yes");
    assert_eq!(person.end().0, 0);
    assert!(hub.run(&["connection", "list", "tracker"]).out.contains("home*"));
    assert_eq!(hub.run(&["secret", "remove", "other"]).code, 3);
    let args = ["secret", "remove", "tracker-work"];
    assert_eq!(hub.run(&args).code, 4, "else another could be put in its place");
    assert_eq!(hub.run(&["--json", "secret", "list"]).json(), json!(["tracker-work"]));
    let mut person = hub.terminal(&args);
    person.expect("[yes/no] ");
    person.answer("yes");
    assert_eq!(person.end().0, 0);
    assert_eq!(hub.run(&["--json", "secret", "list"]).json(), json!([]));
    // The name is free, but a connection waits for it.
    let waited = hub.run_with(&["secret", "set", "tracker-work"], "another\n");
    assert_eq!(waited.code, 4, "{}", waited.err);
    assert_eq!(hub.run_with(&["secret", "set", "unused"], "another\n").code, 0);
    let said = hub.run(&["--json", "source", "show", "tracker"]).out + &hub.log_text();
    assert!(!said.contains(literal));
    assert_eq!(hub.run(&["connection", "remove", "tracker", "work"]).code, 0);
    let free = hub.run_with(&["secret", "set", "tracker-work"], "another\n");
    assert_eq!(free.code, 0, "{}", free.err);
    for entry in walk(&hub.home) {
        let bytes = std::fs::read(&entry).unwrap_or_default();
        let holds = bytes.windows(literal.len()).any(|w| w == literal.as_bytes());
        assert!(!holds, "{} holds the secret in clear", entry.display());
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => files.extend(walk(&entry.path())),
            kind if kind.is_file() => files.push(entry.path()),
            _ => {}
        }
    }
    files
}

#[test]
fn a_file_is_applied_once_and_the_second_time_there_is_nothing_to_do() {
    let hub = TestHub::start();
    let file = hub.home.join("hub.toml");
    let text = format!(
        "[sources.tracker]\ncommand = \"{}\"\nargs = [\"sample-server\"]\n\
         [[policy]]\npattern = \"tracker.deleteIssue\"\ndecision = \"deny\"\n",
        TestHub::BIN
    );
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    assert_eq!(hub.run(&["apply", file]).code, 4, "a command needs a person");
    let mut person = hub.terminal(&["apply", file]);
    person.expect("+ source tracker");
    person.expect("[yes/no] ");
    person.answer("yes");
    let (code, said) = person.end();
    assert_eq!(code, 0, "{said}");
    assert_eq!(hub.run(&["--json", "apply", file]).json(), json!([]));
    let explained = hub.run(&["--json", "policy", "explain", "tracker.deleteIssue"]).json();
    assert_eq!(explained["verdict"], "deny");
}

/// Rules outlive the source that they were written for; whatever comes under its name next is
/// let go by them only where a person says so.
#[test]
fn a_source_takes_over_another_ones_rules_with_a_yes_only() {
    let hub = TestHub::with_tracker();
    let mut person = hub.terminal(&["policy", "set", "allow", "tracker.**"]);
    person.expect("[yes/no] ");
    person.answer("yes");
    assert_eq!(person.end().0, 0);
    assert_eq!(hub.run(&["source", "remove", "tracker"]).code, 0);
    let url = "https://other.example/mcp";
    for name in ["tracker", "Tracker"] {
        let args = ["source", "add", name, "--url", url, "--untrusted"];
        assert_eq!(hub.run(&args).code, 4, "{name} becomes tracker in code");
        let mut person = hub.terminal(&args);
        person.expect("by a rule that is there: allow tracker.**");
        person.expect("[yes/no] ");
        person.answer("no");
        assert_eq!(person.end().0, 4);
    }
    let file = hub.home.join("hub.toml");
    std::fs::write(&file, format!("[sources.tracker]\nurl = \"{url}\"\ntrusted = false\n"))
        .unwrap();
    let applied = hub.run(&["apply", file.to_str().unwrap()]);
    assert_eq!(applied.code, 4, "{} {}", applied.out, applied.err);
    assert_eq!(hub.run(&["--json", "source", "list"]).json(), json!([]));
    // A name that no rule is about is added as before.
    let other = hub.run(&["source", "add", "elsewhere", "--url", "http://127.0.0.1:9/mcp"]);
    assert_eq!(other.code, 0, "{} {}", other.out, other.err);
}

#[test]
fn another_clients_servers_are_taken_over_one_by_one_and_their_secrets_sealed() {
    let hub = TestHub::start();
    let file = hub.home.join("mcp.json");
    let servers = json!({ "mcpServers": {
        "tracker": { "command": TestHub::BIN, "args": ["sample-server"],
            "env": { "API_TOKEN": "hunter22hunter22" } },
        "other": { "command": "never", "args": [] },
    }});
    std::fs::write(&file, servers.to_string()).unwrap();
    let mut person = hub.terminal(&["import", file.to_str().unwrap()]);
    person.expect("take it over? [yes/no] ");
    person.answer("yes");
    person.expect("API_TOKEN stands there in clear");
    person.expect("[yes/no] ");
    person.answer("yes");
    person.expect("never");
    person.expect("take it over? [yes/no] ");
    person.answer("no");
    let (code, said) = person.end();
    assert_eq!(code, 0, "{said}");
    assert!(!said.contains("hunter22"));
    let sources = hub.run(&["--json", "source", "list"]).json();
    assert_eq!(sources.as_array().unwrap().len(), 1, "{sources}");
    assert_eq!(sources[0]["tools"], 0, "nothing starts at import");
    let connection = &sources[0]["connections"][0];
    assert_eq!(connection["credentials"][0]["value"], "file:tracker.API_TOKEN");
    let read = hub.run(&["--json", "source", "refresh", "tracker"]).json();
    assert_eq!(read["view"]["tools"], 5, "{read}");
}

#[test]
fn the_doctor_says_what_it_protects_from() {
    let hub = TestHub::with_tracker();
    let told = hub.run(&["doctor"]);
    assert_eq!(told.code, 0, "{} {}", told.out, told.err);
    assert!(told.out.contains("unrestricted shell"), "{}", told.out);
    hub.add("broken", "no-such-command", &[]);
    let told = hub.run(&["--json", "doctor"]);
    assert_eq!(told.code, 1);
    let checks = told.json()["checks"].clone();
    let found = |what: &str| {
        let checks = checks.as_array().unwrap();
        checks.iter().find(|c| c["what"] == what).unwrap_or_else(|| panic!("{what}")).clone()
    };
    assert_eq!(found("source broken")["ok"], false);
    assert_eq!(found("store")["found"], "whole");
    assert_eq!(found("gate")["ok"], true);
}

#[test]
fn wrong_command_lines_are_told_apart() {
    let hub = TestHub::stopped();
    for (args, code) in [
        (&["hub", "status"][..], 5),
        (&["nonsense"], 2),
        (&["source", "add", "x"], 2),
        (&["source", "add", "x", "--url", "ftp://h"], 2),
        (&["apply", "/does/not/exist.toml"], 2),
        (&["client", "connect", "../x"], 2),
    ] {
        let ran = hub.run(args);
        assert_eq!(ran.code, code, "{args:?}: {}", ran.err);
        assert!(!ran.err.is_empty(), "{args:?}");
    }
    let told = hub.run(&["--json", "hub", "status"]);
    let error: serde_json::Value = serde_json::from_str(&told.err).unwrap();
    assert_eq!(error["error"]["kind"], "no_hub");
}

#[test]
fn how_much_a_source_is_asked_is_set_shown_and_taken_back() {
    let hub = TestHub::with_tracker();
    let set = |args: &[&str]| hub.run(&[&["source", "set", "tracker"], args].concat());
    assert_eq!(set(&["--concurrency", "4", "--timeout", "20"]).code, 0);
    let shown = hub.run(&["source", "show", "tracker"]).out;
    assert!(shown.contains("calls at once: 4; seconds per call: 20"), "{shown}");
    assert_eq!(set(&["--timeout", "default"]).code, 0);
    let source = hub.run(&["--json", "source", "show", "tracker"]).json()["view"]["source"].clone();
    assert_eq!((&source["concurrency"], &source["timeout_ms"]), (&json!(4), &json!(null)));
    for wrong in [&[][..], &["--concurrency", "0"], &["--concurrency", "x"], &["--timeout", "0"]] {
        assert_ne!(set(wrong).code, 0, "{wrong:?}");
    }
}

#[test]
fn a_damaged_store_is_told_by_the_doctor() {
    let mut hub = TestHub::with_tracker();
    assert_eq!(hub.stop(), 0);
    let store = hub.home.join("store/hub.db");
    let mut bytes = std::fs::read(&store).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4_096].fill(0xAA);
    std::fs::write(&store, bytes).unwrap();
    let told = hub.run(&["--json", "doctor"]);
    assert_eq!(told.code, 1, "{}", told.out);
    let checks = told.json()["checks"].clone();
    let store = checks.as_array().unwrap().iter().find(|c| c["what"] == "store").unwrap();
    assert_eq!(store["ok"], false, "{store}");
}

#[test]
fn secrets_in_command_lines_and_urls_are_refused_and_imports_leave_them_behind() {
    let hub = TestHub::start();
    let bad: [&[&str]; 5] = [
        &[
            "source",
            "add",
            "x",
            "--",
            "npx",
            "remote",
            "--header",
            "Authorization: Bearer hunter22",
        ],
        &["source", "add", "x", "--", "docker", "run", "-e", "TOKEN=hunter22", "image"],
        &["source", "add", "x", "--url", "https://me:hunter22@h.example/mcp"],
        &["source", "add", "x", "--url", "https://h.example/mcp?api_key=hunter22"],
        &["source", "add", "x", "--plain-env", "DB=postgres://a:hunter22@h/x", "--", "cmd"],
    ];
    for args in bad {
        let ran = hub.run(args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.err);
        assert!(!ran.err.contains("hunter22") && ran.err.contains("secret set"), "{}", ran.err);
    }
    let file = hub.home.join("mcp.json");
    let servers =
        json!({ "mcpServers": { "x": { "command": "cmd", "args": ["--token", "hunter22"] } } });
    std::fs::write(&file, servers.to_string()).unwrap();
    let (code, said) = hub.terminal(&["import", file.to_str().unwrap()]).end();
    assert!(code == 0 && said.contains("left out"), "{said}");
    assert!(!said.contains("hunter22"), "{said}");
    assert_eq!(hub.run(&["--json", "source", "list"]).json(), json!([]));
}
