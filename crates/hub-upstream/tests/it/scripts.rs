//! Scripted servers over standard streams. A test starts this very test binary with the name of
//! a script in its environment; `scripted` then is the server, not a test.

use crate::support::source;
use hub_core::catalog::{Source, Transport};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, Write};

const SCRIPT: &str = "HUB_TEST_SCRIPT";

#[expect(clippy::disallowed_methods, reason = "this process is a scripted server, not the hub")]
fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The command line that runs one test of this binary with its streams untouched.
pub fn this_binary(test: &str) -> Vec<String> {
    let program = std::env::current_exe().unwrap().to_str().unwrap().to_owned();
    vec![program, "--exact".into(), test.into(), "--nocapture".into(), "--test-threads=1".into()]
}

/// A source that runs `script`.
pub fn scripted_source(script: &str) -> Source {
    scripted_with(script, &[])
}

/// The same with more environment.
pub fn scripted_with(script: &str, more: &[(&str, &str)]) -> Source {
    let mut line = this_binary("scripts::scripted");
    let command = line.remove(0);
    let mut env = BTreeMap::from([(SCRIPT.to_owned(), script.to_owned())]);
    env.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    source("demo", Transport::Stdio { command, args: line, env, cwd: None })
}

/// No test unless a script is named.
#[test]
fn scripted() {
    let Some(script) = env(SCRIPT) else { return };
    // Ends the line that the test harness has begun.
    say("");
    Server::default().run(&script);
    std::process::exit(0);
}

fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}").unwrap();
    out.flush().unwrap();
}

fn result(id: &Value, result: Value) {
    say(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
}

fn error(id: &Value, code: i64, message: &str) {
    let error = json!({"code": code, "message": message});
    say(&json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string());
}

fn notify(method: &str, params: Value) {
    say(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
}

fn answer(id: &Value, text: &str) {
    result(id, json!({"content": [{"type": "text", "text": text}]}));
}

fn tools(names: &[&str]) -> Value {
    let tool = |name: &&str| json!({"name": name, "inputSchema": {"type": "object"}});
    json!({"tools": names.iter().map(tool).collect::<Vec<_>>()})
}

/// What a scripted server has seen so far.
#[derive(Default)]
struct Server {
    calls: u32,
    lists: u32,
    /// Ids and tools of calls not yet answered.
    open: Vec<(Value, String)>,
    cancelled: Vec<Value>,
    /// What the hub said of itself at the beginning.
    hello: Value,
}

impl Server {
    fn run(&mut self, script: &str) {
        if script == "banner" {
            say("Demo MCP Server version : 1.2\n[db] Connected to /x.db");
        }
        if script == "json_noise" {
            say("{\"level\":\"info\",\"msg\":\"started\"}");
        }
        if script == "deaf" {
            std::thread::sleep(std::time::Duration::from_secs(600));
        }
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
            let (id, params) = (&message["id"], &message["params"]);
            match message["method"].as_str() {
                Some("server/discover") => self.discover(script, id),
                Some("initialize") => {
                    self.hello = params.clone();
                    self.initialize(script, id, params);
                }
                Some("tools/list") => self.list(script, id),
                Some("tools/call") => self.call(script, id, params),
                Some("notifications/cancelled") => {
                    self.cancelled.push(params["requestId"].clone());
                }
                Some(_) => {}
                None => self.answered(&message),
            }
        }
    }

    fn discover(&self, script: &str, id: &Value) {
        match script {
            "modern" => result(id, crate::support::web::discovered()),
            "exits_on_probe" => std::process::exit(1),
            "silent_on_probe" | "wedged_by_probe" => {}
            _ => error(id, -32601, "Method not found"),
        }
        if script == "wedged_by_probe" {
            std::thread::sleep(std::time::Duration::from_secs(600));
        }
    }

    fn initialize(&self, script: &str, id: &Value, params: &Value) {
        let version = params["protocolVersion"].as_str().unwrap_or_default();
        match script {
            "ladder" if version != "2024-11-05" => {
                return error(id, -32602, "Unsupported protocol version");
            }
            "never_ready" => return,
            "dies_at_start" => {
                eprintln!("fatal: no database");
                std::process::exit(9);
            }
            _ => {}
        }
        let info = json!({"name": "demo", "version": "1"});
        result(
            id,
            json!({"protocolVersion": version, "capabilities": {"tools": {}},
            "serverInfo": info, "instructions": "Be kind."}),
        );
        match script {
            "banner" => say("Response headers: {\n  'access-control': '*'\n}"),
            "json_noise" => {
                say("{\"status\":200,\"message\":\"Success\",\"results\":[]}\n42\nnull\n[]")
            }
            _ => {}
        }
    }

    fn list(&mut self, script: &str, id: &Value) {
        self.lists += 1;
        match (script, self.lists) {
            ("reloading", 1) => {
                result(id, tools(&[]));
                notify("notifications/tools/list_changed", json!({}));
            }
            ("reloading", _) => result(id, tools(&["a", "b", "c"])),
            _ => result(id, tools(&["t"])),
        }
    }

    fn call(&mut self, script: &str, id: &Value, params: &Value) {
        self.calls += 1;
        let tool = params["name"].as_str().unwrap_or_default();
        match tool {
            "pid" => answer(id, &std::process::id().to_string()),
            "crash" => {
                eprintln!("panic: out of luck");
                std::process::exit(3);
            }
            "never" => self.open.push((id.clone(), tool.to_owned())),
            "cancelled" => {
                let late = self.open.drain(..).map(|(id, _)| id);
                late.for_each(|id| answer(&id, "too late"));
                result(id, json!({"structuredContent": self.cancelled}));
            }
            "env" => {
                let all: BTreeMap<String, String> = std::env::vars().collect();
                let cwd = std::env::current_dir().unwrap();
                result(id, json!({"structuredContent": {"env": all, "cwd": cwd}}));
            }
            "exact" => result(id, json!({"structuredContent": params["arguments"]})),
            "progress" => {
                let token = &params["_meta"]["progressToken"];
                for done in 1..=3 {
                    let told = json!({"progressToken": token, "progress": done, "total": 3});
                    notify("notifications/progress", told);
                }
                answer(id, "done");
            }
            "storm" => {
                for _ in 0..500 {
                    notify("notifications/tools/list_changed", json!({}));
                }
                answer(id, "stormed");
            }
            "grandchild" => grandchild(id),
            "book" => book(id, &params["arguments"]),
            _ => self.odd_call(script, id, tool, params),
        }
    }

    /// Calls that are answered in odd ways.
    fn odd_call(&mut self, script: &str, id: &Value, tool: &str, params: &Value) {
        let n = id.as_i64().unwrap_or_default();
        match tool {
            "nan" => say(&format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{n},\"result\":{{\"content\":[],\
                 \"structuredContent\":{{\"v\":NaN,\"w\":-Infinity}}}}}}"
            )),
            "id_as_text" => answer(&json!(n.to_string()), "ok"),
            "foreign_id" => {
                answer(&json!(n + 999), "wrong");
                answer(&json!({"id": n}), "wrong");
                answer(id, "ok");
            }
            "twice" => {
                answer(id, "first");
                answer(id, "second");
            }
            "null_id" => error(&Value::Null, -32700, "Parse error"),
            "hello" => result(id, json!({"structuredContent": self.hello})),
            "together" => {
                self.open.push((id.clone(), tool.to_owned()));
                self.together(params);
            }
            "rpc_error" => error(id, -32000, "the database is locked"),
            "gone" => error(id, -32602, "Unknown tool: gone"),
            "modern_ask" if params.get("requestState").is_none() => {
                let request = json!({"method": "elicitation/create",
                    "params": {"message": "Sure?", "requestedSchema": {"type": "object"}}});
                result(
                    id,
                    json!({"resultType": "input_required", "requestState": "st",
                    "inputRequests": {"sure": request}}),
                );
            }
            "modern_ask" => result(id, json!({"structuredContent": params})),
            "ask" => {
                self.open.push((id.clone(), tool.to_owned()));
                let params = json!({"message": "Which?", "requestedSchema": {"type": "object"}});
                say(&json!({"jsonrpc": "2.0", "id": "q1", "method": "elicitation/create",
                    "params": params})
                .to_string());
            }
            "sample" => {
                self.open.push((id.clone(), tool.to_owned()));
                say(&json!({"jsonrpc": "2.0", "id": "q2", "method": "sampling/createMessage",
                    "params": {}})
                .to_string());
            }
            "pair" => self.pair(id, params),
            "large" => {
                let bytes = params["arguments"]["bytes"].as_u64().unwrap_or_default() as usize;
                answer(id, &"x".repeat(bytes));
            }
            "chunks" => chunks(n, params["arguments"]["size"].as_u64().unwrap_or(1) as usize),
            _ => answer(id, &format!("{script}:{tool}:{}", self.calls)),
        }
    }

    /// Answers two calls in the opposite order of their coming.
    fn pair(&mut self, id: &Value, params: &Value) {
        let text = params["arguments"]["text"].as_str().unwrap_or_default();
        self.open.push((id.clone(), text.to_owned()));
        if self.open.len() == 2 {
            while let Some((id, text)) = self.open.pop() {
                answer(&id, &text);
            }
        }
    }

    /// Answers nobody until as many calls are open as each asks for, and then all of them with
    /// that number.
    fn together(&mut self, params: &Value) {
        let wanted = params["arguments"]["wanted"].as_u64().unwrap_or_default() as usize;
        if self.open.len() == wanted {
            for (id, _) in self.open.drain(..) {
                answer(&id, &wanted.to_string());
            }
        }
    }

    /// The hub answered a question of ours: hand the answer on as the result of the call.
    fn answered(&mut self, message: &Value) {
        if let Some((id, _)) = self.open.pop() {
            result(
                &id,
                json!({"structuredContent": {"result": message["result"],
                "error": message["error"]}}),
            );
        }
    }
}

/// A text of many bytes per character, written in pieces.
fn chunks(id: i64, size: usize) {
    let text = many_byte_text();
    let message = json!({"jsonrpc": "2.0", "id": id,
        "result": {"content": [{"type": "text", "text": text}]}});
    let mut line = message.to_string();
    line.push('\n');
    let mut out = std::io::stdout().lock();
    for chunk in line.as_bytes().chunks(size) {
        out.write_all(chunk).unwrap();
        out.flush().unwrap();
    }
}

pub fn many_byte_text() -> String {
    "añ😀漢".repeat(20_000)
}

/// Starts two processes that ignore SIGTERM and the end of their input; one leaves its group
/// and its parent. Answers their ids.
#[expect(clippy::zombie_processes, reason = "who ends it is what the test is about")]
fn grandchild(id: &Value) {
    let script = "trap '' TERM HUP; setsid sh -c 'trap \"\" TERM HUP; echo $$; while :; do sleep 1; done' & \
        echo $$; while :; do sleep 1; done";
    let mut child = std::process::Command::new("sh")
        .args(["-c", script])
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let out = std::io::BufReader::new(child.stdout.take().unwrap());
    let pids: Vec<i64> = out.lines().take(2).map(|line| line.unwrap().parse().unwrap()).collect();
    result(id, json!({"structuredContent": pids}));
}

/// An effect that is written down, and a server that dies around it as told.
fn book(id: &Value, arguments: &Value) {
    let (n, dies) = (&arguments["n"], arguments["dies"].as_str().unwrap_or_default());
    if dies == "before" {
        std::process::exit(5);
    }
    let path = env("BOOK").unwrap();
    let mut book = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    writeln!(book, "{n}").unwrap();
    match dies {
        "after" => std::process::exit(6),
        "inside" => {
            print!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"con");
            std::io::stdout().flush().unwrap();
            std::process::exit(7);
        }
        // So many bytes of the answer, then it is gone.
        "cut" => {
            let content = json!({"content": [{"type": "text", "text": "booked"}]});
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": content});
            let at = arguments["n"].as_u64().unwrap_or_default() as usize;
            let line = format!("{answer}\n");
            print!("{}", &line[..line.len().min(at)]);
            std::io::stdout().flush().unwrap();
            std::process::exit(9);
        }
        "late" => {
            answer(id, "booked");
            std::process::exit(8);
        }
        _ => answer(id, "booked"),
    }
}
