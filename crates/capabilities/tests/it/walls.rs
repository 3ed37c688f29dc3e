//! An agent that holds a key and may run programs cannot approve its own call through anything
//! that the hub serves: every route of both routers is tried, every command that widens, with a
//! terminal that the agent made. What stands in the way is the process that is known as a client,
//! also after it closed its connection, and after the hub was started anew.

use crate::support::{Agent, Terminal, TestHub, http};
use hub_server::api;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;

/// Routes that anyone may read.
const PUBLIC: &[&str] =
    &["/healthz", "/readyz", "/assets/style.css", "/assets/live.js", "/assets/icon.svg"];

/// Routes of the API that widen nothing: they tell, or take away.
const HARMLESS: &[&str] = &[
    "/api/sources/list",
    "/api/sources/show",
    "/api/sources/refresh",
    "/api/sources/remove",
    "/api/connections/list",
    "/api/connections/remove",
    "/api/policy/list",
    "/api/policy/explain",
    "/api/policy/history",
    "/api/keys/list",
    "/api/keys/revoke",
    "/api/runs/list",
    "/api/runs/show",
    "/api/runs/cancel",
    "/api/runs/resume",
    "/api/runs/replay",
    "/api/waiting/list",
    "/api/tools/search",
    "/api/tools/describe",
    "/api/tools/execute",
    "/api/hub/status",
    "/api/hub/stop",
];

/// The others, each with a request that would widen.
fn widening(pending: &str, rule: &str) -> Vec<(&'static str, Value)> {
    let source = |name: &str| {
        json!({ "source": { "name": name, "transport": { "kind": "stdio", "command": "evil",
            "args": [], "env": {}, "cwd": null }, "trusted": true, "effects": {},
            "timeout_ms": null, "concurrency": null, "from_file": false } })
    };
    let allow = json!({ "pattern": "**", "decision": "allow" });
    let connection = json!({ "source": "tracker", "name": "x", "credentials": [],
        "plain_env": { "A": "b" }, "make_default": true });
    vec![
        (
            "/api/waiting/decide",
            json!({ "pending": pending, "choice": { "choice": "allow_once" }, "by": "agent" }),
        ),
        ("/api/policy/set", json!({ "rule": allow, "who": "agent" })),
        ("/api/policy/unset", json!({ "id": rule, "who": "agent" })),
        ("/api/policy/replace-file", json!({ "rules": [allow], "who": "agent" })),
        ("/api/connections/put", json!({ "connection": connection })),
        ("/api/connections/make-default", json!({ "source": "tracker", "name": "x" })),
        ("/api/sources/add", source("evil")),
        ("/api/sources/keep", source("evil")),
        ("/api/sources/update", source("tracker")),
        ("/api/keys/issue", json!({ "client": "evil", "mode": "auto", "dedupe": true })),
        ("/api/hub/open", json!({})),
        ("/api/hub/gate", json!({ "what": "this" })),
    ]
}

/// Every piece of text between `before` and a quote in the sources of the server: its routes
/// stand there and nowhere else, so that a new one is tried without being named here.
fn routes(before: &str) -> Vec<String> {
    fn walk(folder: &Path, texts: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            match entry.path() {
                path if path.is_dir() => walk(&path, texts),
                path => texts.push(std::fs::read_to_string(path).unwrap()),
            }
        }
    }
    let mut texts = Vec::new();
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hub-server/src");
    for part in ["web.rs", "router.rs", "api.rs"] {
        let text = std::fs::read_to_string(server.join(part)).unwrap();
        assert!(!text.contains(".nest(") && !text.contains("_service("), "{part}: not seen here");
        texts.push(text);
    }
    walk(&server.join("api"), &mut texts);
    walk(&server.join("web"), &mut texts);
    let texts = texts.iter().flat_map(|text| text.split(before).skip(1));
    texts.map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

/// A call that waits; its run and pending.
fn waiting(hub: &TestHub) -> (String, String) {
    let code = json!({ "code": "return await tracker.deleteIssue({ number: 1 })" });
    let envelope = Agent::with(hub, hub.key()).execute(code);
    assert_eq!(envelope["status"], "awaiting_approval", "{envelope}");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (text(&envelope["runId"]), text(&envelope["pending"][0]["id"]))
}

#[track_caller]
fn still_waits(hub: &TestHub) {
    let open = hub.api(&api::waiting::list::List { run: None }).unwrap();
    assert_eq!(open.len(), 1, "nothing decided: {open:?}");
    assert_eq!(hub.calls(), Vec::<String>::new());
}

#[test]
fn no_route_of_the_loopbacks_decides_for_a_key() {
    let hub = TestHub::with_tracker();
    let (run, pending) = waiting(&hub);
    let found = routes(".route(\"");
    assert!(found.len() >= 12 && found.iter().any(|r| r.ends_with("/decide")), "{found:?}");
    let key = format!("Bearer {}", hub.key());
    let origin = format!("http://127.0.0.1:{}", hub.port);
    let body = format!("pendings={pending}&pending={pending}&choice=once&csrf=x&value=x");
    for route in found.iter().filter(|route| *route != "/mcp") {
        let path =
            route.replace("{run}", &run).replace("{session}", "guess").replace("{code}", "x");
        let path = path.replace("{name}", "tracker").replace("{source}", "tracker");
        for method in ["GET", "POST", "PUT", "DELETE"] {
            let headers = [
                ("authorization", key.as_str()),
                ("origin", origin.as_str()),
                ("sec-fetch-site", "same-origin"),
                ("cookie", "hub=guess; session=guess"),
                ("content-type", "application/x-www-form-urlencoded"),
            ];
            let answer = http(hub.port, method, &path, &headers, &body);
            let is_public = PUBLIC.contains(&route.as_str()) && method == "GET";
            assert_eq!(answer.status / 100 == 2, is_public, "{method} {path}: {answer:?}");
            assert!(!answer.body.contains(&pending), "{method} {path}");
        }
    }
    // The endpoint itself takes no decision from a key that asks on the page.
    let agent = Agent::with(&hub, hub.key()).with_forms();
    let answer = json!({ "action": "accept", "content": { "decision": "allow_once" } });
    for (arguments, state) in [(json!({ "resume": run }), "x"), (json!({ "code": "return 1" }), "")]
    {
        let params = json!({ "name": "execute", "arguments": arguments,
            "requestState": state, "inputResponses": { &pending: answer.clone() } });
        agent.post("tools/call", Some("execute"), params);
    }
    still_waits(&hub);
}

#[test]
fn every_route_of_the_socket_is_judged() {
    let tried = widening("", "");
    let mut found = routes("const PATH: &'static str = \"");
    found.sort();
    let mut named: Vec<String> = tried.iter().map(|(path, _)| (*path).to_owned()).collect();
    named.extend(HARMLESS.iter().map(|path| (*path).to_owned()));
    named.sort();
    assert_eq!(found, named, "say of each route whether it widens rights, and gate those that do");
}

/// An agent: a shell in a terminal of its own that speaks MCP with a key, closes its connection
/// and takes commands.
fn agent(hub: &TestHub, socket: &Path) -> Terminal {
    agent_with(hub, socket, &hub.key())
}

fn agent_with(hub: &TestHub, socket: &Path, key: &str) -> Terminal {
    const SHELL: &str = r#"
        body='{"jsonrpc":"2.0","id":1,"method":"ping"}'
        exec 3<>/dev/tcp/127.0.0.1/$PORT
        printf 'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:%s\r\nauthorization: Bearer %s\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\nconnection: close\r\ncontent-length: %s\r\n\r\n%s' "$PORT" "$KEY" "${#body}" "$body" >&3
        read -r status <&3
        exec 3>&-
        echo "connected: $status"
        while read -r command; do eval "$command"; echo "code $?."; done"#;
    let mut command = Command::new("setsid");
    command.args(["-c", "-w", "bash", "-c", SHELL]);
    command.env("CAPABILITIES_HOME", &hub.home).env("NO_COLOR", "1").env("BIN", TestHub::BIN);
    command.env("PORT", hub.port.to_string()).env("KEY", key);
    command.env("TEST", std::env::current_exe().unwrap()).env("HUB_TEST_MOUTH", socket);
    let mut agent = Terminal::start(command);
    agent.expect("connected: HTTP/1.1");
    agent
}

#[test]
fn below_an_agent_neither_commands_nor_the_socket_widen_anything() {
    let mut hub = TestHub::with_tracker();
    let (run, pending) = waiting(&hub);
    let rule = hub_engine::NewRule {
        pattern: "tracker.deleteIssue".into(),
        connection: None,
        arguments: vec![],
        client: None,
        decision: hub_core::policy::Verdict::Ask,
        note: String::new(),
    };
    let who = "test".to_owned();
    let rule = hub.api(&api::policy::set::Set { rule, who }).unwrap();
    let socket = hub.home.join("run").join(hub_server::HUB_SOCKET);
    let list = hub.home.join("tries.json");
    std::fs::write(&list, json!(widening(&pending, rule.id.as_str())).to_string()).unwrap();

    let mut agent = agent(&hub, &socket);
    let refused = |agent: &mut Terminal, command: &str| {
        agent.answer(command);
        agent.expect("client of this hub");
        agent.expect("code 4.");
    };
    let before = (
        hub.run(&["--json", "policy", "list"]).out,
        hub.run(&["--json", "client", "list"]).out,
        hub.run(&["--json", "source", "list"]).out,
    );
    for command in [
        format!("\"$BIN\" hub approve {run}"),
        "\"$BIN\" policy set allow 'tracker.**'".to_owned(),
        format!("\"$BIN\" policy unset {}", rule.id),
        "\"$BIN\" source add evil -- evil".to_owned(),
        "\"$BIN\" source add evil --url https://evil.example/mcp".to_owned(),
        "\"$BIN\" connection add tracker --env TOKEN=env:HOME".to_owned(),
        "\"$BIN\" connection default tracker x".to_owned(),
        "\"$BIN\" client connect evil --mode auto".to_owned(),
        "\"$BIN\" client connect evil --mode native".to_owned(),
        "\"$BIN\" hub open".to_owned(),
        "bash -c 'setsid -c -w \"$BIN\" hub approve; exit $?'".to_owned(),
    ] {
        refused(&mut agent, &command);
    }
    // The same straight through the socket, without the command line.
    agent.answer("\"$TEST\" --exact walls::mouth --nocapture");
    agent.expect("said them all");
    agent.expect("code 0.");
    still_waits(&hub);
    let after = (
        hub.run(&["--json", "policy", "list"]).out,
        hub.run(&["--json", "client", "list"]).out,
        hub.run(&["--json", "source", "list"]).out,
    );
    assert_eq!(after, before);

    // A key without forms is no right, and a hub that starts anew has forgotten nobody.
    agent.answer("\"$BIN\" --json client connect harmless");
    agent.expect("\"mode\":\"browser\"");
    agent.expect("code 0.");
    assert_eq!(hub.stop(), 0);
    hub.restart();
    refused(&mut agent, &format!("\"$BIN\" hub approve {run}"));
    still_waits(&hub);
    drop(agent);

    // And the person, who is below no client, decides.
    let mut person = hub.terminal(&["hub", "approve", &run]);
    person.expect("[s]kip: ");
    person.answer("o");
    assert_eq!(person.end().0, 0);
}

/// An editor speaks MCP in one of its processes and has its terminals in another: both stand
/// below the first, which is the editor.
#[test]
fn an_editors_own_terminal_belongs_to_the_editor() {
    let hub = TestHub::start();
    let editor = hub.home.join("editor");
    std::fs::copy("/bin/bash", &editor).unwrap();
    // The process with the terminal starts the one that speaks, and then a shell.
    let script = r#"
        "$EDITOR" -c 'sleep 600 | "$BIN" hub stdio > /dev/null; :' < /dev/null &
        bash -c 'until "$BIN" policy set allow "tracker.**" < /dev/null 2>&1 |
            grep -q "client of this hub"; do :; done
        "$BIN" policy set allow "tracker.**"
        echo "code $?."'
        kill %1"#;
    let mut command = Command::new("setsid");
    command.args(["-c", "-w"]).arg(&editor).args(["-c", script]);
    command.env("CAPABILITIES_HOME", &hub.home).env("BIN", TestHub::BIN).env("EDITOR", &editor);
    let mut shell = Terminal::start(command);
    // Asked before the hub knows the pipe: a no changes nothing.
    for _ in 0..64 {
        shell.answer("no");
    }
    shell.expect("code 4.");
    drop(shell);
    assert_eq!(hub.run(&["--json", "policy", "list"]).json(), json!([]));
    // And a terminal beside it is the person's.
    let mut person = hub.terminal(&["policy", "set", "allow", "tracker.**"]);
    person.expect("[yes/no] ");
    person.answer("no");
    assert_eq!(person.end().0, 4);
}

/// A program that a client's shell hands to the command line has that client's rules and runs.
#[test]
fn a_program_from_below_a_client_is_the_clients() {
    let hub = TestHub::with_tracker();
    let agent_key = hub.key_of("claude", hub_core::owner::ElicitationMode::Auto);
    let other = hub.key_of("other", hub_core::owner::ElicitationMode::Browser);
    for (client, decision) in [(None, "allow"), (Some("claude"), "deny")] {
        let rule = hub_engine::NewRule {
            pattern: "tracker.createIssue".into(),
            connection: None,
            arguments: vec![],
            client: client.map(str::to_owned),
            decision: serde_json::from_value(json!(decision)).unwrap(),
            note: String::new(),
        };
        hub.api(&api::policy::set::Set { rule, who: "test".into() }).unwrap();
    }
    let code = "try { await tracker.createIssue({ title: 'x' }); return 'sent' }                 catch (error) { return error.code }";
    let run_of = |told: &Value| told["runId"].as_str().unwrap().to_owned();
    let foreign = Agent::with(&hub, other).execute(json!({
        "code": "return await tracker.deleteIssue({ number: 1 })" }));
    let file = hub.home.join("program.js");
    std::fs::write(&file, code).unwrap();
    let socket = hub.home.join("run").join(hub_server::HUB_SOCKET);
    let mut agent = agent_with(&hub, &socket, &agent_key);
    agent.answer(&format!("\"$BIN\" --json execute --file \"{}\"", file.display()));
    agent.expect("\"result\":\"denied\"");
    agent.expect("code 0.");
    for command in ["run resume", "execute --resume"] {
        agent.answer(&format!("\"$BIN\" {command} {}", run_of(&foreign)));
        agent.expect("run_not_found");
        agent.expect("code ");
    }
    let runs = hub.api(&api::runs::list::List { limit: 20 }).unwrap();
    let runs = serde_json::to_value(runs).unwrap();
    assert!(runs.to_string().contains("\"client\":\"claude\""), "{runs}");
    assert_eq!(hub.calls(), Vec::<String>::new());
    // Another key would not be held back by that rule.
    agent.answer("\"$BIN\" client connect fresh");
    agent.expect("client of this hub");
    agent.expect("code 4.");
    // The same in a person's terminal goes by the person's rules.
    let mine = hub.run(&["--json", "execute", "--file", file.to_str().unwrap()]).json();
    assert_eq!(mine["result"], "sent", "{mine}");
    // A key that was taken away runs nothing any more.
    hub.api(&api::keys::revoke::Revoke { key: "claude".into() }).unwrap();
    agent.answer(&format!("\"$BIN\" execute --file \"{}\"", file.display()));
    agent.expect("was taken away");
    agent.expect("code 4.");
}

/// What the agent above says to the socket: run as a process below it, and only then.
#[test]
#[expect(clippy::disallowed_methods, reason = "the test starts itself and says so like this")]
fn mouth() {
    let Ok(socket) = std::env::var("HUB_TEST_MOUTH") else { return };
    let home = Path::new(&socket).parent().unwrap().parent().unwrap();
    let tries = std::fs::read_to_string(home.join("tries.json")).unwrap();
    let tries: Vec<(String, Value)> = serde_json::from_str(&tries).unwrap();
    for (path, body) in tries {
        let body = body.to_string();
        let mut stream = UnixStream::connect(&socket).unwrap();
        let length = body.len();
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nhost: hub\r\nconnection: close\r\n\
             content-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 403"), "{path}: {answer}");
        assert!(answer.contains("client of this hub"), "{path}: {answer}");
    }
    println!("said them all");
}

#[test]
fn a_pipe_makes_a_client_of_whoever_started_it() {
    let hub = TestHub::start();
    let script = r#"
        sleep 600 | "$BIN" hub stdio > /dev/null &
        until "$BIN" policy set allow 'tracker.**' </dev/null 2>&1 | grep -q 'client of this hub'
        do :; done
        "$BIN" policy set allow 'tracker.**'
        echo "code $?."
        kill %1"#;
    let mut command = Command::new("setsid");
    // Without a terminal at first: then every try before the pipe is open is refused as well.
    command.args(["-c", "-w", "bash", "-c", script]);
    command.env("CAPABILITIES_HOME", &hub.home).env("BIN", TestHub::BIN);
    let mut shell = Terminal::start(command);
    // Asked before the hub knows the pipe: a no changes nothing.
    for _ in 0..64 {
        shell.answer("no");
    }
    shell.expect("code 4.");
    drop(shell);
    assert_eq!(hub.run(&["--json", "policy", "list"]).json(), json!([]));
}

/// Cookies know no ports: what keeps this one from a server on another port of this machine is
/// its path, which holds a secret (RFC 6265, 5.1.4).
#[test]
fn a_server_on_another_port_is_sent_no_cookie() {
    let hub = TestHub::start();
    let file = hub.api(&api::hub::open::Open { run: None }).unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    let (_, code) = text.split_once("/enter/").unwrap();
    let code: String = code.chars().take_while(char::is_ascii_alphanumeric).collect();
    let rest = text.split_once("/enter/").unwrap().1;
    let code = rest.split(['"', '\'', '<', ' ', '&']).next().unwrap_or(&code).to_owned();
    let entered = http(hub.port, "GET", &format!("/enter/{code}"), &[], "");
    let cookie = entered.head.lines().find(|l| l.to_lowercase().starts_with("set-cookie:"));
    let cookie = cookie.unwrap_or_else(|| panic!("{entered:?}")).to_lowercase();
    assert!(cookie.contains("httponly") && cookie.contains("samesite=strict"), "{cookie}");
    assert!(!cookie.contains("domain="), "{cookie}");
    let path = cookie.split("path=").nth(1).unwrap().split(';').next().unwrap().trim();
    let secret = path.trim_matches('/').strip_prefix("p/").unwrap();
    assert!(secret.len() >= 22 && !secret.contains('/'), "{cookie}");
    let sent_to = |asked: &str| {
        asked == path
            || asked.starts_with(path)
                && (path.ends_with('/') || asked[path.len()..].starts_with('/'))
    };
    assert!(sent_to(&format!("/p/{secret}/runs")), "to the hub's own pages");
    for elsewhere in ["/", "/p", "/p/", "/p/guess/", "/enter/x", "/mcp", "/assets/style.css"] {
        assert!(!sent_to(elsewhere), "{elsewhere}");
    }
}
