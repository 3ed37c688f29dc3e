//! `mcp_tools_list`: a source answers tools/list so. What was imported, what an agent sees.

use super::Played;
use super::bench::{Bench, failure};
use super::server::Script;
use serde_json::{Value, json};

/// Targets of one describe.
const TARGETS: usize = 10;

/// Imports and describes everything.
pub async fn play(input: &Value) -> Played {
    let bench = Bench::open().await?;
    let script = Script { list: input["result"].clone(), ..Script::default() };
    let refreshed = bench.add("demo", &script).await?;
    let detail = bench.engine.source("demo").await.map_err(failure)?;
    let addresses: Vec<String> = detail.tools.iter().map(|t| t.address.clone()).collect();
    let mut declarations = Vec::new();
    for targets in addresses.chunks(TARGETS) {
        declarations.push(bench.describe(targets).await);
    }
    let namespace = &detail.view.source.namespace;
    Ok(json!({
        "problem": refreshed.view.problem,
        "tools": detail.tools,
        "broken": detail.view.broken,
        "search": bench.search("", Some(namespace)).await,
        "declaration": declarations,
    }))
}
