//! Ten real servers and more, of every era and transport: each is imported whole, and one call
//! through a program brings the right value.

use crate::support::{Agent, TestHub, Tools};
use hub_core::catalog::Transport;
use hub_engine::NewSource;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server, what it is to speak, and a call with something that its answer is to hold.
struct Row {
    name: &'static str,
    transport: Transport,
    version: &'static str,
    tools: usize,
    call: String,
    holds: &'static str,
}

fn row(
    name: &'static str,
    transport: Transport,
    version: &'static str,
    tools: usize,
    call: &str,
    holds: &'static str,
) -> Row {
    Row { name, transport, version, tools, call: call.to_owned(), holds }
}

/// A server that listens; ended with the test.
struct Listening(Child, u16);

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Listening {
    /// Starts it on a free port, which `command` is given, and waits until it listens.
    fn start(command: impl FnOnce(u16) -> Command) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = command(port);
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let listening = Self(quiet.spawn().unwrap(), port);
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(began.elapsed() < Duration::from_secs(60), "nobody listens on {port}");
            std::thread::sleep(Duration::from_millis(20));
        }
        listening
    }

    fn at(&self, path: &str) -> Transport {
        Transport::Http { url: format!("http://127.0.0.1:{}{path}", self.1) }
    }
}

/// What the servers find where they would go out: three pages. Ends with the process.
fn outside() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || page(stream));
        }
    });
    port
}

fn page(mut stream: TcpStream) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut line = String::new();
    while reader.read_line(&mut line).ok()? > 2 {
        line.clear();
    }
    let path = first.split([' ', '?']).nth(1)?;
    let namespace = json!({ "id": 7, "name": "Seven", "path": "seven", "kind": "group",
        "full_path": "seven", "parent_id": null, "avatar_url": null, "web_url": "http://x/seven" });
    let (status, kind, body) = match path {
        "/api/v4/namespaces/7" => ("200 OK", "application/json", namespace.to_string()),
        "/api/v2/context" => ("200 OK", "text/plain", "the answer is forty-two".to_owned()),
        "/page" => (
            "200 OK",
            "text/html",
            "<html><body><article><h1>Forty-two</h1><p>It is the answer to everything, they say.\
             </p></article></body></html>"
                .to_owned(),
        ),
        _ => ("404 Not Found", "text/plain", String::new()),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n"
    );
    stream.write_all(format!("{head}{body}").as_bytes()).ok()
}

fn stdio(command: &str, args: &[&str], env: &[(&str, &str)]) -> Transport {
    Transport::Stdio {
        command: command.to_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: env.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        cwd: None,
    }
}

/// Over npm, on standard streams.
fn from_npm(tools: &Tools, home: &Path, outside: u16) -> Vec<Row> {
    let node = tools.node();
    let at = |file: &str| home.join(file).to_str().unwrap().to_owned();
    let official = |name: &str| tools.npm(&format!("@modelcontextprotocol/{name}/dist/index.js"));
    let gitlab = tools.npm("@zereight/mcp-gitlab/build/index.js");
    let oldest = tools.npm("server-memory-2024-11-05/dist/index.js");
    let files = at("files");
    std::fs::create_dir(&files).unwrap();
    std::fs::write(home.join("files/hello.txt"), "hello from a file").unwrap();
    let read = format!("files.readTextFile({{ path: {} }})", json!(format!("{files}/hello.txt")));
    let api = format!("http://127.0.0.1:{outside}/api/v4");
    let thought = "thinking.sequentialthinking({ thought: 'x', nextThoughtNeeded: false, \
                   thoughtNumber: 41, totalThoughts: 42 })";
    let remember = "memory.createEntities({ entities: [{ name: 'Ada', entityType: 'person', \
                    observations: ['counts'] }] }).then(() => memory.readGraph({}))";
    let env = |file: &str| [("MEMORY_FILE_PATH".to_owned(), at(file))];
    let memory = |server: &str, file| {
        let env = env(file);
        stdio(&node, &[server], &[(&env[0].0, &env[0].1)])
    };
    let token = ("GITLAB_PERSONAL_ACCESS_TOKEN", "x");
    vec![
        row(
            "everything",
            stdio(&node, &[&official("server-everything"), "stdio"], &[]),
            "2025-11-25",
            13,
            "everything.getSum({ a: 19, b: 23 })",
            "42",
        ),
        row(
            "files",
            stdio(&node, &[&official("server-filesystem"), &files], &[]),
            "2025-11-25",
            14,
            &read,
            "hello from a file",
        ),
        row("memory", memory(&official("server-memory"), "m"), "2025-11-25", 9, remember, "counts"),
        row(
            "thinking",
            stdio(&node, &[&official("server-sequential-thinking")], &[]),
            "2025-11-25",
            1,
            thought,
            "\"thoughtNumber\":41",
        ),
        row(
            "oldest",
            memory(&oldest, "o"),
            "2024-11-05",
            9,
            &remember.replace("memory.", "oldest."),
            "counts",
        ),
        row(
            "gitlab",
            stdio(&node, &[&gitlab], &[token, ("GITLAB_API_URL", &api)]),
            "2025-11-25",
            118,
            "gitlab.getNamespace({ namespace_id: '7' })",
            "Seven",
        ),
    ]
}

/// From PyPI, on standard streams.
fn from_pypi(tools: &Tools, home: &Path, outside: u16) -> Vec<Row> {
    let at = |file: &str| home.join(file).to_str().unwrap().to_owned();
    let repository = at("repository");
    super::servers::repository(home, &repository);
    let python = |program: &str, args: &[&str]| stdio(&tools.python("servers", program), args, &[]);
    let log = format!("git.log({{ repo_path: {} }})", json!(repository));
    // Raw: to simplify a page this server installs a package from npm at its first call.
    let page = format!("web.fetch({{ url: 'http://127.0.0.1:{outside}/page', raw: true }})");
    let noon = "time.convertTime({ source_timezone: 'UTC', time: '12:00', \
                target_timezone: 'Asia/Tokyo' })";
    let today = "2026-07-28";
    vec![
        row(
            "git",
            python("mcp-server-git", &["--repository", &repository]),
            today,
            12,
            &log,
            "first commit",
        ),
        row("time", python("mcp-server-time", &[]), today, 2, noon, "T21:00:00+09:00"),
        row(
            "web",
            python("mcp-server-fetch", &["--ignore-robots-txt", "--allow-private-ips"]),
            today,
            1,
            &page,
            "answer to everything",
        ),
        row(
            "db",
            stdio(
                &tools.python("sqlite", "mcp-server-sqlite"),
                &["--db-path", &at("database")],
                &[],
            ),
            "2025-11-25",
            6,
            "db.readQuery({ query: 'select 6 * 7 as n' })",
            "42",
        ),
    ]
}

/// Over HTTP: both eras of streamable HTTP, and HTTP+SSE.
fn listening(tools: &Tools, outside: u16) -> (Vec<Listening>, Vec<Row>) {
    let everything = tools.npm("@modelcontextprotocol/server-everything/dist/index.js");
    let context7 = tools.npm("@upstash/context7-mcp/dist/index.js");
    let node = |args: &[&str], env: &[(&str, &str)]| {
        let mut command = Command::new(tools.node());
        command.args(args).env_clear().envs(env.iter().copied());
        command
    };
    let with_port = |kind: &str| {
        Listening::start(|port| node(&[&everything, kind], &[("PORT", &port.to_string())]))
    };
    let (streamable, sse) = (with_port("streamableHttp"), with_port("sse"));
    let api = format!("http://127.0.0.1:{outside}/api");
    let docs = Listening::start(|port| {
        let args = [&context7, "--transport", "http", "--port", &port.to_string()];
        node(&args, &[("CONTEXT7_API_URL", &api)])
    });
    let rows = vec![
        row(
            "sessions",
            streamable.at("/mcp"),
            "2025-11-25",
            13,
            "sessions.echo({ message: 'over a session' })",
            "over a session",
        ),
        row(
            "events",
            sse.at("/sse"),
            "2025-11-25",
            13,
            "events.echo({ message: 'over events' })",
            "over events",
        ),
        row(
            "docs",
            docs.at("/mcp"),
            "2026-07-28",
            2,
            "docs.queryDocs({ libraryId: '/a/b', query: 'what is the answer?' })",
            "forty-two",
        ),
    ];
    (vec![streamable, sse, docs], rows)
}

fn add(hub: &TestHub, row: &Row) {
    let source = NewSource {
        name: row.name.into(),
        transport: row.transport.clone(),
        trusted: true,
        effects: BTreeMap::new(),
        timeout_ms: None,
        concurrency: None,
        from_file: false,
    };
    let added = hub.api(&hub_server::api::sources::add::Add { source }).unwrap();
    let view = &added.view;
    assert_eq!((&view.problem, &view.broken), (&None, &vec![]), "{}", row.name);
    assert_eq!(view.protocol_version, row.version, "{}", row.name);
    assert!(view.tools >= row.tools, "{}: {} tools", row.name, view.tools);
}

#[test]
fn each_is_imported_and_called() {
    let Some(tools) = Tools::find() else { return };
    let (hub, outside) = (TestHub::start(), outside());
    let (_held, mut rows) = listening(&tools, outside);
    rows.extend(from_npm(&tools, &hub.home, outside));
    rows.extend(from_pypi(&tools, &hub.home, outside));
    super::servers::allow(&hub, "**");
    rows.iter().for_each(|row| add(&hub, row));
    let agent = Agent::with(&hub, hub.key());
    for row in &rows {
        let envelope = agent.execute(json!({ "code": format!("return await {};", row.call) }));
        assert_eq!(envelope["status"], "completed", "{}: {envelope:#}", row.name);
        let result = match &envelope["result"] {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        assert!(result.contains(row.holds), "{}: {result}", row.name);
    }
    assert!(rows.len() >= 10);
    // The hub comes back and every source is spoken to as before, without being added again.
    let mut hub = hub;
    hub.stop();
    hub.restart();
    let all: Vec<String> = rows.iter().map(|row| format!("await {}", row.call)).collect();
    let code = json!({ "code": format!("return [{}];", all.join(", ")) });
    let envelope = Agent::with(&hub, hub.key()).execute(code);
    assert_eq!(envelope["status"], "completed", "{envelope:#}");
    assert_eq!(envelope["result"].as_array().unwrap().len(), rows.len());
}
