//! `sources`: several sources at once. Which names their tools get, and where calls go.

use super::Played;
use super::bench::{Bench, failure};
use super::server::{Script, text};
use hub_core::catalog::Transport;
use hub_core::policy::Verdict;
use serde_json::{Value, json};
use xtask::Failure;

/// Where nothing listens, with a certificate that nobody signed either.
const NOWHERE: &str = "https://127.0.0.1:9/mcp";

/// Adds them, calls every tool, restarts, and compares the names.
pub async fn play(input: &Value) -> Played {
    let bench = Bench::open().await?;
    let mut problems = Vec::new();
    for (name, tools) in wanted(input) {
        let added = match &tools {
            Some(tools) => bench.add(&name, &script(&name, tools)).await,
            None => bad(&bench, &name).await,
        };
        match added {
            Ok(refreshed) => problems.extend(refreshed.view.problem.map(|p| json!([name, p]))),
            Err(failure) => problems.push(json!([name, failure.to_string()])),
        }
    }
    bench.rule("**", Verdict::Allow).await?;
    let before = addresses(&bench).await?;
    let calls: Vec<String> =
        before.iter().map(|address| format!("await {address}({{}})")).collect();
    let run = bench.execute(&format!("return [{}];", calls.join(", "))).await?;
    let declaration = bench.describe(&before[..before.len().min(10)]).await;
    let bench = bench.reopen().await?;
    let after = addresses(&bench).await?;
    Ok(json!({
        "addresses": before,
        "same_after_restart": before == after,
        "problems": problems,
        "declaration": declaration,
        "run": run,
    }))
}

/// Names of sources, each with its tools; none for one that is to fail.
fn wanted(input: &Value) -> Vec<(String, Option<Vec<String>>)> {
    let texts = |value: &Value| -> Vec<String> {
        let items = value.as_array().into_iter().flatten();
        items.filter_map(|v| v.as_str().map(str::to_owned)).collect()
    };
    if let Some(n) = input["n"].as_u64() {
        let bad = texts(&input["bad"]);
        let good = n.saturating_sub(bad.len() as u64);
        let good = (0..good).map(|i| (format!("source {i}"), Some(vec!["ping".to_owned()])));
        return good.chain(bad.into_iter().map(|words| (words, None))).collect();
    }
    if input["names"].is_array() {
        let tools = texts(&input["tools"]);
        return texts(&input["names"]).into_iter().map(|n| (n, Some(tools.clone()))).collect();
    }
    let sources = input["sources"].as_array().into_iter().flatten();
    let source = |source: &Value| {
        let name = source["name"].as_str().unwrap_or_default().to_owned();
        (name, Some(texts(&source["tools"])))
    };
    sources.map(source).collect()
}

fn script(name: &str, tools: &[String]) -> Script {
    let tool = |tool: &String| {
        json!({ "name": tool, "description": "A tool", "inputSchema": { "type": "object" },
            "annotations": { "readOnlyHint": true } })
    };
    let answer = |tool: &String| {
        let said = text(&format!("{name} answered {tool}"));
        (tool.clone(), super::server::Answer::Result(said))
    };
    Script {
        list: json!({ "tools": tools.iter().map(tool).collect::<Vec<_>>() }),
        answers: tools.iter().map(answer).collect(),
        hangs: false,
    }
}

async fn bad(bench: &Bench, words: &str) -> Result<hub_engine::Refreshed, Failure> {
    if words.contains("hangs") {
        return bench.add(words, &Script { hangs: true, ..Script::default() }).await;
    }
    bench.add_at(words, Transport::Http { url: NOWHERE.to_owned() }).await
}

async fn addresses(bench: &Bench) -> Result<Vec<String>, Failure> {
    let mut addresses = Vec::new();
    for view in bench.engine.sources().await.map_err(failure)? {
        let detail = bench.engine.source(&view.source.name).await.map_err(failure)?;
        addresses.extend(detail.tools.into_iter().map(|tool| tool.address));
    }
    Ok(addresses)
}
