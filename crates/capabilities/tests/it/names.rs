//! Names that sources give, through the whole hub: every tool has one address, which reaches it and
//! no other, before and after a restart, whatever the order of the list; the raw name reaches it
//! in brackets; rules hold for the tool they were made for.

use crate::support::{Agent, Served, TestHub};
use hub_core::catalog::Transport;
use hub_core::policy::Verdict;
use hub_engine::{NewRule, SourceDetail};
use hub_server::api::policy::set::Set;
use hub_server::api::sources::{refresh::Refresh, show::Show};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const LONG: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/// Sources and the raw names of their tools.
fn world() -> Vec<(&'static str, Vec<String>)> {
    let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let long = vec![
        format!("{LONG}_create"),
        format!("{LONG}_delete"),
        "post_api_sn_sc_items_by_sys_id_versioning_checkout_and_submit_order".repeat(3),
    ];
    let odd = &["查询", "123", "ok"];
    vec![
        // Different names that look alike once they are identifiers.
        ("alike", own(&["read-only", "read_only", "readOnly", "ReadOnly", "READ ONLY"])),
        // Sources without a letter of the alphabet, and the same beside it.
        ("阿里巴巴", own(odd)),
        ("...", own(odd)),
        ("@", own(odd)),
        ("🚀", own(odd)),
        ("-MCP", own(odd)),
        ("123MCP", own(odd)),
        ("MCP", own(odd)),
        ("digits", own(&["2fa_enable", "3d-render", "_ok", "7"])),
        // What every object has.
        (
            "objects",
            own(&[
                "__proto__",
                "constructor",
                "toString",
                "hasOwnProperty",
                "valueOf",
                "then",
                "toJSON",
                "prototype",
            ]),
        ),
        ("long", long),
        ("oceanbase", own(&["execute_sql"])),
        ("clickhouse", own(&["execute_sql"])),
        // Where source and tool meet.
        ("acme_", own(&["status"])),
        ("acme", own(&["_status", "__status"])),
        ("a__b", own(&["c"])),
        ("a", own(&["b__c"])),
        ("twice", own(&["run", "run", "runs"])),
        ("Google Sheets (prod)", own(&["google_sheets_read", "read"])),
        ("github", own(&["github_create_issue", "create_issue"])),
        (
            "import",
            own(&[
                "delete",
                "default",
                "new",
                "if",
                "await",
                "yield",
                "let",
                "static",
                "eval",
                "arguments",
                "import",
                "function",
            ]),
        ),
        ("default", own(&["require", "process"])),
        ("my-server", own(&["list.items", "list/items", "list items", "🚀", "é"])),
    ]
}

/// The world on one port, in both orders: odd turns list backwards, the last turn lists nothing.
fn serve(turn: &Arc<AtomicUsize>) -> Served {
    let turn = turn.clone();
    Served::start(move |path, method, params| {
        let at: usize = path.trim_start_matches('/').parse().unwrap();
        let (source, mut tools) = world().swap_remove(at);
        if method == "tools/call" {
            return json!({ "structuredContent": [source, params["name"]] });
        }
        match turn.load(Ordering::SeqCst) {
            2 => tools.clear(),
            1 => tools.reverse(),
            _ => {}
        }
        let tool = |(n, name): (usize, &String)| {
            json!({ "name": name, "description": format!("does {name} ({n})"),
                "inputSchema": { "type": "object", "properties": {} },
                "annotations": { "readOnlyHint": true } })
        };
        json!({ "tools": tools.iter().enumerate().map(tool).collect::<Vec<_>>() })
    })
}

fn details(hub: &TestHub) -> Vec<SourceDetail> {
    let show = |(name, _): (&str, _)| hub.api(&Show { name: name.to_owned() }).unwrap();
    world().into_iter().map(show).collect()
}

/// Address to source and raw name.
fn addresses(hub: &TestHub) -> BTreeMap<String, (String, String)> {
    let mut all = BTreeMap::new();
    for detail in details(hub) {
        for tool in detail.tools {
            let of = (detail.view.source.name.clone(), tool.raw);
            assert_eq!(all.insert(tool.address.clone(), of), None, "{} twice", tool.address);
        }
    }
    all
}

/// Calls every tool by its address and by its raw name in brackets.
fn call_all(hub: &TestHub) {
    let agent = Agent::with(hub, hub.key());
    let namespace = |address: &str| address.split('.').next().unwrap().to_owned();
    let all: Vec<_> = addresses(hub).into_iter().collect();
    for part in all.chunks(40) {
        let one = |(address, (_, raw)): &(String, (String, String))| {
            let brackets = format!("{}[{}]", namespace(address), json!(raw));
            format!("await {address}({{}}), await {brackets}({{}})")
        };
        let calls: Vec<String> = part.iter().map(one).collect();
        let code = format!("return [{}];", calls.join(", "));
        let envelope = agent.execute(json!({ "code": code }));
        assert_eq!(envelope["status"], "completed", "{envelope:#}");
        let reached = envelope["result"].as_array().unwrap();
        let wanted = part.iter().flat_map(|(_, (source, raw))| vec![json!([source, raw]); 2]);
        assert_eq!(*reached, wanted.collect::<Vec<Value>>());
    }
}

fn refresh_all(hub: &TestHub) {
    for (name, _) in world() {
        hub.api(&Refresh { name: name.to_owned() }).unwrap();
    }
}

/// Denies the tools of these raw names.
fn deny(hub: &TestHub, raws: &[&str]) -> BTreeSet<String> {
    let all = addresses(hub).into_iter();
    let denied: BTreeSet<String> = all
        .filter(|(_, (_, raw))| raws.contains(&raw.as_str()))
        .map(|(address, _)| address)
        .collect();
    for pattern in &denied {
        let rule = NewRule {
            pattern: pattern.clone(),
            connection: None,
            arguments: vec![],
            client: None,
            decision: Verdict::Deny,
            note: String::new(),
        };
        hub.api(&Set { rule, who: "test".to_owned() }).unwrap();
    }
    denied
}

fn denied(hub: &TestHub) -> BTreeSet<String> {
    let tools = details(hub).into_iter().flat_map(|detail| detail.tools);
    tools.filter(|tool| tool.verdict == Verdict::Deny).map(|tool| tool.address).collect()
}

#[test]
fn every_tool_has_one_address_that_reaches_it_and_no_other() {
    let (mut hub, turn) = (TestHub::start(), Arc::new(AtomicUsize::new(0)));
    let served = serve(&turn);
    for (n, (name, tools)) in world().into_iter().enumerate() {
        let added = hub.add_at(name, Transport::Http { url: served.url(&format!("/{n}")) });
        let distinct: BTreeSet<_> = tools.iter().collect();
        assert_eq!((added.view.problem, added.view.tools), (None, distinct.len()), "{name}");
        let twice = usize::from(distinct.len() < tools.len());
        // A name given twice is one tool, and said to be; nothing else is lost.
        assert_eq!(added.view.broken.len(), twice, "{name}: {:?}", added.view.broken);
    }
    let before = addresses(&hub);
    call_all(&hub);
    // What is printed is what can be written.
    let agent = Agent::with(&hub, hub.key());
    for address in before.keys() {
        let types = agent.call("describe", json!({ "targets": [address] })).to_string();
        assert!(types.contains("declare const"), "{address}: {types}");
    }
    let found = agent.call("search", json!({ "query": "list items" })).to_string();
    assert!(found.contains("myServer.listItems("), "{found}");
    for absent in ["objects.isPrototypeOf", "objects.__defineGetter__", "isPrototypeOf"] {
        let types = agent.call("describe", json!({ "targets": [absent] })).to_string();
        assert!(!types.contains("declare const"), "{absent}: {types}");
    }
    // Another order changes nothing, nor does a restart; rules stay with their tools, also where
    // the list is empty for a while.
    let rules = deny(&hub, &["read_only", "__proto__"]);
    assert_eq!(rules.len(), 2);
    for now in [1, 2, 0] {
        turn.store(now, Ordering::SeqCst);
        refresh_all(&hub);
        if now != 2 {
            assert_eq!((addresses(&hub), denied(&hub)), (before.clone(), rules.clone()));
        }
    }
    hub.stop();
    hub.restart();
    assert_eq!((addresses(&hub), denied(&hub)), (before, rules));
}
