//! The servers that the tools hold, each as a source.

use crate::support::{Agent, TestHub, Tools};
use hub_core::catalog::Transport;
use hub_engine::NewSource;
use serde_json::json;
use std::path::Path;
use std::process::Command;

/// A hub with five real servers behind it.
pub fn hub_with_servers(tools: &Tools) -> TestHub {
    let hub = TestHub::start();
    let folder = hub.home.join("files");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("hello.txt"), "hello").unwrap();
    let repository = hub.home.join("repository");
    let at = repository.to_str().unwrap();
    self::repository(&hub.home, at);

    let node = tools.node();
    let npm = |name: &str| tools.npm(&format!("@modelcontextprotocol/{name}/dist/index.js"));
    let added = [
        hub.add("everything", &node, &[&npm("server-everything"), "stdio"]),
        hub.add("files", &node, &[&npm("server-filesystem"), folder.to_str().unwrap()]),
        hub.add("git", &tools.python("servers", "mcp-server-git"), &["--repository", at]),
        hub.add("time", &tools.python("servers", "mcp-server-time"), &[]),
        add_memory(&hub, &node, &npm("server-memory")),
    ];
    for refreshed in &added {
        let view = &refreshed.view;
        assert_eq!(view.problem, None, "{}", view.source.name);
        assert!(view.tools > 0 && view.broken.is_empty(), "{}", view.source.name);
    }
    hub
}

/// A git repository with one commit.
pub fn repository(home: &Path, at: &str) {
    let who = ["-c", "user.name=t", "-c", "user.email=t@t"];
    let commit = ["commit", "-q", "--allow-empty", "-m", "first commit"];
    for args in [vec!["init", "-q", at], [&["-C", at][..], &who, &commit].concat()] {
        let done = Command::new("git").args(args).current_dir(home).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }
}

/// A rule that lets everything go to `pattern`.
pub fn allow(hub: &TestHub, pattern: &str) {
    let rule = hub_engine::NewRule {
        pattern: pattern.to_owned(),
        connection: None,
        arguments: vec![],
        client: None,
        decision: hub_core::policy::Verdict::Allow,
        note: String::new(),
    };
    hub.api(&hub_server::api::policy::set::Set { rule, who: "test".to_owned() }).unwrap();
}

fn add_memory(hub: &TestHub, node: &str, server: &str) -> hub_engine::Refreshed {
    let file = hub.home.join("memory.jsonl").to_str().unwrap().to_owned();
    let transport = Transport::Stdio {
        command: node.to_owned(),
        args: vec![server.to_owned()],
        env: [("MEMORY_FILE_PATH".to_owned(), file)].into(),
        cwd: None,
    };
    let source = NewSource {
        name: "memory".to_owned(),
        transport,
        trusted: true,
        effects: Default::default(),
        timeout_ms: None,
        concurrency: None,
        from_file: false,
    };
    hub.api(&hub_server::api::sources::add::Add { source }).unwrap()
}

#[test]
fn one_program_reads_five_servers_at_once() {
    let Some(tools) = Tools::find() else { return };
    let hub = hub_with_servers(&tools);
    let file = hub.home.join("files/hello.txt");
    let repository = hub.home.join("repository");
    allow(&hub, "everything.echo");
    allow(&hub, "everything.getSum");
    let code = format!(
        "const [echo, text, log, now, graph] = await Promise.all([
            everything.echo({{ message: 'hi' }}),
            files.readTextFile({{ path: {} }}),
            git.log({{ repo_path: {} }}),
            time.getCurrentTime({{ timezone: 'UTC' }}),
            memory.readGraph({{}}),
        ]);
        return {{ echo, text, log, now, graph }};",
        json!(file.to_str().unwrap()),
        json!(repository.to_str().unwrap()),
    );
    let envelope = Agent::with(&hub, hub.key()).execute(json!({ "code": code }));
    assert_eq!(envelope["status"], "completed", "{envelope:#}");
    let result = &envelope["result"];
    assert!(result["echo"].to_string().contains("hi"), "{result:#}");
    assert!(result["text"].to_string().contains("hello"), "{result:#}");
    assert!(result["log"].to_string().contains("first commit"), "{result:#}");
    assert_eq!(result["now"]["timezone"], "UTC", "{result:#}");
    assert_eq!(result["graph"]["entities"], json!([]), "{result:#}");
}
