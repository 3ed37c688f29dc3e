//! `guest_js`: a program, stub tools, sometimes a policy. Envelopes, and what reached the tools.

use super::bench::Bench;
use super::server::{Answer, Script, text};
use super::{Played, loose};
use hub_core::policy::Verdict;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Runs it, and its variants.
pub async fn play(input: &Value) -> Played {
    let mut runs = vec![one(input, input["code"].as_str().unwrap_or_default()).await?];
    for variant in input["variants"].as_array().into_iter().flatten() {
        runs.push(one(input, variant.as_str().unwrap_or_default()).await?);
    }
    Ok(json!(runs))
}

async fn one(input: &Value, code: &str) -> Played {
    let (code, named) = loose::on_this_surface(code);
    let bench = Bench::open().await?;
    for (namespace, stubs) in stubs(input, &named) {
        bench.add(&namespace, &script(input, &stubs)).await?;
        bench.rule(&format!("{namespace}.*"), Verdict::Allow).await?;
    }
    for rule in input["policy"].as_array().into_iter().flatten() {
        let action = serde_json::from_value(rule["action"].clone())?;
        bench.rule(rule["tool"].as_str().unwrap_or_default(), action).await?;
    }
    bench.execute(&code).await
}

type Stubs = BTreeMap<String, String>;

/// Stubs per namespace; a tool that the code calls and the case does not describe answers `ok`.
fn stubs(input: &Value, named: &[(String, String)]) -> BTreeMap<String, Stubs> {
    let empty = Map::new();
    let mut all = BTreeMap::new();
    for (namespace, tools) in input["stub"].as_object().unwrap_or(&empty) {
        let described = tools.as_object().unwrap_or(&empty).iter();
        let words = |v: &Value| v.as_str().unwrap_or_default().to_owned();
        let stubs: Stubs = described.map(|(name, v)| (name.clone(), words(v))).collect();
        all.insert(namespace.clone(), stubs);
    }
    for (namespace, tool) in named {
        let tools: &mut Stubs = all.entry(namespace.clone()).or_default();
        let usual = if tool == "list" { "returns {items: []}" } else { "" };
        tools.entry(tool.clone()).or_insert_with(|| usual.to_owned());
    }
    all
}

fn script(input: &Value, stubs: &Stubs) -> Script {
    let tool = |(name, words): (&String, &String)| {
        json!({
            "name": name, "description": words, "inputSchema": { "type": "object" },
            "annotations": { "readOnlyHint": loose::is_read(words), "openWorldHint": false },
        })
    };
    let answer = |(name, words): (&String, &String)| {
        let told = input["stub_result"].as_str().filter(|_| loose::is_read(words));
        let answer = told.map_or_else(|| loose::answer(words), |t| Answer::Result(text(t)));
        (name.clone(), answer)
    };
    Script {
        list: json!({ "tools": stubs.iter().map(tool).collect::<Vec<_>>() }),
        answers: stubs.iter().map(answer).collect(),
        hangs: false,
    }
}
