//! `hub stdio`: starts a hub where none runs, and is nothing but a pipe.

use crate::support::TestHub;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// A client of the older protocol on a pipe.
struct Client {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Client {
    fn start(hub: &TestHub, args: &[&str]) -> Self {
        let mut command = hub.command(&[&["hub", "stdio"], args].concat());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let to = child.stdin.take().unwrap();
        let from = BufReader::new(child.stdout.take().unwrap());
        Self { child, to, from }
    }

    fn send(&mut self, message: Value) {
        writeln!(self.to, "{message}").unwrap();
    }

    #[track_caller]
    fn receive(&mut self, id: u64) -> Value {
        loop {
            let mut line = String::new();
            assert_ne!(self.from.read_line(&mut line).unwrap(), 0, "the pipe ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message;
            }
        }
    }

    fn greet(&mut self) -> Value {
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" } });
        self.send(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }));
        let greeted = self.receive(1);
        self.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        greeted
    }

    fn tools(&mut self) -> Vec<String> {
        self.send(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} }));
        let tools = self.receive(2)["result"]["tools"].clone();
        let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
        tools.as_array().unwrap().iter().map(name).collect()
    }

    fn hang_up(mut self) -> i32 {
        drop(self.to);
        self.child.wait().unwrap().code().unwrap()
    }
}

#[test]
fn the_first_pipe_starts_a_hub_that_the_second_one_shares() {
    let hub = TestHub::stopped();
    // The usual port may be taken by the machine's own hub.
    std::fs::create_dir_all(&hub.home).unwrap();
    std::fs::write(hub.home.join("limits.toml"), "port = 0\n").unwrap();
    let mut first = Client::start(&hub, &[]);
    assert!(first.greet()["result"]["serverInfo"]["name"].is_string());
    assert_eq!(first.tools(), ["search", "describe", "execute"]);
    let mut second = Client::start(&hub, &[]);
    second.greet();
    assert_eq!(second.tools().len(), 3);
    let before = hub.run(&["--json", "hub", "status"]).json()["pid"].clone();
    first.hang_up();
    second.hang_up();
    let mut third = Client::start(&hub, &[]);
    third.greet();
    assert_eq!(third.tools().len(), 3, "pipes that ended end no other");
    third.hang_up();
    let after = hub.run(&["--json", "hub", "status"]).json();
    assert_eq!(after["pid"], before, "the hub outlives its pipes");
    assert_eq!(hub.run(&["hub", "stop"]).code, 0);
    assert_eq!(hub.run(&["hub", "status"]).code, 5);
}

#[test]
fn a_client_connects_by_its_name_until_it_is_revoked() {
    let hub = TestHub::start();
    let connected = hub.run(&["--json", "client", "connect", "claude-code", "--mode", "browser"]);
    let server = connected.json()["configuration"]["mcpServers"]["capabilities"].clone();
    let args: Vec<&str> =
        server["args"].as_array().unwrap().iter().map(|a| a.as_str().unwrap()).collect();
    assert_eq!(args[2..], ["hub", "stdio", "--client", "claude-code"]);
    let key = std::fs::read_to_string(hub.home.join("keys/claude-code.key")).unwrap();
    assert!(!connected.out.contains(key.trim()), "the configuration names the client, not its key");
    let mut client = Client::start(&hub, &["--client", "claude-code"]);
    client.greet();
    assert_eq!(client.tools().len(), 3);
    assert_eq!(hub.run(&["client", "revoke", "claude-code"]).code, 0);
    let search = json!({ "name": "search", "arguments": { "query": "x" } });
    client.send(json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": search }));
    let refused = client.receive(3);
    assert!(refused["error"].is_object(), "an open pipe does not outlive its key: {refused}");
    client.hang_up();
    let refused = hub.run(&["hub", "stdio", "--client", "claude-code"]);
    assert_eq!(refused.code, 3, "{}", refused.err);
}

#[test]
fn many_pipes_at_once_share_one_hub_and_stop_leaves_room_for_the_next() {
    let hub = TestHub::stopped();
    std::fs::create_dir_all(&hub.home).unwrap();
    std::fs::write(hub.home.join("limits.toml"), "port = 0\n").unwrap();
    for _ in 0..2 {
        let mut clients: Vec<_> = (0..4).map(|_| Client::start(&hub, &[])).collect();
        for client in &mut clients {
            client.greet();
            assert_eq!(client.tools().len(), 3);
        }
        for client in clients {
            assert_eq!(client.hang_up(), 0);
        }
        let stopped = hub.run(&["--json", "hub", "stop"]);
        assert_eq!(stopped.json(), json!({ "stopped": true }), "{}", stopped.err);
        assert!(!hub_store::is_held(&hub.home.join("store")), "the next one can start");
    }
}

#[test]
fn a_pipe_that_is_refused_or_left_alone_says_so_by_its_exit_code() {
    let mut hub = TestHub::start();
    let keys = hub.home.join("keys");
    std::fs::create_dir_all(&keys).unwrap();
    std::fs::write(keys.join("stranger.key"), "hub_0000\n").unwrap();
    let refused = hub.run(&["hub", "stdio", "--client", "stranger"]);
    assert_eq!(refused.code, 4, "{} {}", refused.out, refused.err);
    assert!(refused.err.contains("opens nothing"), "{}", refused.err);
    let said: Value = serde_json::from_str(&refused.out).unwrap();
    assert!(said["error"].is_object(), "a client that reads is told too: {said}");
    let mut client = Client::start(&hub, &[]);
    client.greet();
    assert_eq!(hub.stop(), 0);
    assert_eq!(client.child.wait().unwrap().code(), Some(5), "its hub went away");
}

#[test]
fn a_key_revoked_by_its_id_leaves_no_file() {
    let hub = TestHub::start();
    assert_eq!(hub.run(&["client", "connect", "one", "--mode", "browser"]).code, 0);
    let keys = hub.run(&["--json", "client", "list"]).json();
    let key = keys.as_array().unwrap().iter().find(|key| key["client"] == "one").unwrap();
    assert_eq!(hub.run(&["client", "revoke", key["id"].as_str().unwrap()]).code, 0);
    assert!(!hub.home.join("keys/one.key").exists());
}
