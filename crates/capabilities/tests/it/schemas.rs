//! Schemas and queries as they come, through the whole hub: what a schema points at is never
//! fetched, odd names and values reach the source unchanged, odd queries get an answer, and a
//! program pages through the search.

use crate::support::{Agent, Served, TestHub};
use hub_core::catalog::Transport;
use hub_server::api::sources::show::Show;
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

/// A source with these tools, and the arguments it was called with.
fn source(hub: &TestHub, name: &str, tools: Value) -> Arc<Mutex<Vec<Value>>> {
    let got = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&got);
    let served = Served::start(move |_, method, params| {
        if method == "tools/call" {
            kept.lock().unwrap().push(params["arguments"].clone());
            return json!({ "structuredContent": params["arguments"] });
        }
        json!({ "tools": tools })
    });
    let added = hub.add_at(name, Transport::Http { url: served.url("/") });
    assert_eq!((added.view.problem, added.view.broken.len()), (None, 0));
    got
}

fn reading(name: &str, description: &str, input: Value) -> Value {
    json!({ "name": name, "description": description, "inputSchema": input,
        "annotations": { "readOnlyHint": true } })
}

fn text(result: &Value) -> String {
    let blocks = result["content"].as_array().unwrap().iter();
    blocks.filter_map(|block| block["text"].as_str()).collect()
}

#[test]
fn nothing_a_schema_points_at_is_fetched() {
    let trap = TcpListener::bind("127.0.0.1:0").unwrap();
    trap.set_nonblocking(true).unwrap();
    let there = format!("http://{}", trap.local_addr().unwrap());
    let mut file = tempfile::NamedTempFile::new().unwrap();
    write!(file, "{}", json!({ "x": { "enum": ["leaked"] } })).unwrap();
    let path = file.path().to_str().unwrap();
    let hub = TestHub::start();
    let properties = json!({
        "a": { "$ref": format!("{there}/latest/meta-data") },
        "b": { "$ref": format!("file://{path}#/x") },
        "c": { "$ref": "other.json#/D" },
        "d": { "$ref": path },
        "e": { "$dynamicRef": format!("{there}/e#anchor") },
    });
    let input = json!({ "$schema": format!("{there}/meta"), "$id": format!("{there}/schema.json"),
        "type": "object", "properties": properties });
    let got = source(&hub, "outside", json!([reading("ext", "probe", input)]));
    let agent = Agent::with(&hub, hub.key());
    let described = text(&agent.call("describe", json!({ "targets": ["outside.ext"] })));
    for name in ["a", "b", "c", "d", "e"] {
        assert!(described.contains(&format!("{name}?: unknown")), "{name}: {described}");
    }
    assert!(!described.contains("leaked"), "{described}");
    let shown = hub.api(&Show { name: "outside".to_owned() }).unwrap();
    let told = serde_json::to_string(&shown.tools[0]).unwrap();
    for part in ["latest/meta-data", "other.json"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let code = "return await outside.ext({ a: 1, b: { c: 2 }, c: 'x', d: null, e: [] });";
    let envelope = agent.execute(json!({ "code": code }));
    assert_eq!(envelope["status"], "completed", "{envelope:#}");
    assert_eq!(got.lock().unwrap().len(), 1);
    let came = trap.accept().err().map(|error| error.kind());
    assert_eq!(came, Some(std::io::ErrorKind::WouldBlock), "somebody called");
}

#[test]
fn odd_values_and_names_reach_the_source_unchanged() {
    let hub = TestHub::start();
    let keys = json!(["a", "\\", "'", "\"", "\n", "`${x}`", "", "*/", "\u{2028}", "</script>"]);
    let names = [
        "+1",
        "-1",
        "content-type",
        "@type",
        "2fa",
        "",
        "a\"b",
        "class",
        "naïve",
        "__proto__",
        "constructor",
        "toJSON",
        "then",
        "查询",
        "a b",
        "\\",
        "*/",
        "\u{2028}",
    ];
    let properties: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!({ "type": "integer" }))).collect();
    let press = json!({ "type": "object", "properties": { "key": { "enum": keys } },
        "required": ["key"] });
    let react = json!({ "type": "object", "properties": properties, "required": names,
        "additionalProperties": false });
    let tools = json!([reading("press", "probe", press), reading("react", "probe", react)]);
    let got = source(&hub, "odd", tools);
    let agent = Agent::with(&hub, hub.key());
    let whole: serde_json::Map<String, Value> =
        names.iter().enumerate().map(|(n, name)| ((*name).to_owned(), json!(n))).collect();
    // As JSON text, since `__proto__` in an object literal is not a property.
    let text_of = |value: &Value| json!(value.to_string()).to_string();
    let code = format!(
        "for (const key of JSON.parse({})) await odd.press({{ key }});
         const echoed = await odd.react(JSON.parse({}));
         return JSON.stringify(echoed);",
        text_of(&keys),
        text_of(&json!(whole)),
    );
    let envelope = agent.execute(json!({ "code": code }));
    assert_eq!(envelope["status"], "completed", "{envelope:#}");
    let got = got.lock().unwrap();
    let pressed: Vec<&Value> = got.iter().filter_map(|arguments| arguments.get("key")).collect();
    assert_eq!(json!(pressed), keys);
    assert_eq!(got.last(), Some(&json!(whole)));
    let echoed: Value = serde_json::from_str(envelope["result"].as_str().unwrap()).unwrap();
    assert_eq!(echoed, json!(whole));
}

/// More than one page of tools that say the same, and one elsewhere.
fn dashboards(hub: &TestHub) {
    let tool = |n: usize| {
        reading(&format!("dashboard_{n:02}"), "Read a dashboard", json!({ "type": "object" }))
    };
    source(hub, "posthog", (0..25).map(tool).collect());
    let send = reading("send", "Send a message with a dashboard", json!({ "type": "object" }));
    source(hub, "mail", json!([send]));
}

#[test]
fn odd_queries_get_an_answer() {
    let hub = TestHub::start();
    dashboards(&hub);
    let agent = Agent::with(&hub, hub.key());
    let long = "x".repeat(100_000);
    let many = "dashboard ".repeat(10_000);
    for (query, holds) in [
        ("", "posthog"),
        ("   ", "posthog"),
        ("\n\t", "posthog"),
        ("a", "posthog"),
        ("(*&^", "posthog"),
        ("dashboard'; DROP TABLE", "posthog.dashboard"),
        ("DASHBOARD", "posthog.dashboard"),
        (long.as_str(), "posthog"),
        (many.as_str(), "posthog.dashboard"),
        ("\u{202e}\u{0}drauobhsad", "posthog"),
    ] {
        let result = agent.call("search", json!({ "query": query }));
        let short: String = query.chars().take(40).collect();
        assert_ne!(result["isError"], true, "{short}: {result}");
        assert!(text(&result).contains(holds), "{short}: {result}");
    }
}

#[test]
fn a_program_pages_through_the_search() {
    let hub = TestHub::start();
    dashboards(&hub);
    let agent = Agent::with(&hub, hub.key());
    let code = "const pages = [];
        for (let offset = 0; offset < 40; offset += 10) {
            const page = await hub.search('dashboard', { namespace: 'posthog', limit: 10, offset });
            pages.push([page.items.map((item) => item.address), page.more]);
        }
        const all = await hub.search('dashboard', { limit: 50 });
        return [pages, all.items.map((item) => item.address)];";
    let once = agent.execute(json!({ "code": code }))["result"].clone();
    let pages = once[0].as_array().unwrap();
    let more: Vec<u64> = pages.iter().map(|page| page[1].as_u64().unwrap()).collect();
    assert_eq!(more, [15, 5, 0, 0]);
    let wanted: Vec<Value> = (0..25).map(|n| json!(format!("posthog.dashboard{n:02}"))).collect();
    let seen: Vec<&Value> = pages.iter().flat_map(|page| page[0].as_array().unwrap()).collect();
    assert_eq!(json!(seen), json!(wanted));
    let all = once[1].as_array().unwrap();
    assert_eq!((all.len(), all.contains(&json!("mail.send"))), (26, true), "{all:?}");
    assert_eq!(agent.execute(json!({ "code": code }))["result"], once);
}
