//! `search`: tools of some sources and one or several queries. What an agent reads.

use super::Played;
use super::bench::Bench;
use super::server::Script;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Searches, describes what was found, and looks whether code can name it.
pub async fn play(input: &Value) -> Played {
    let bench = Bench::open().await?;
    let mut sources: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for tool in input["tools"].as_array().into_iter().flatten() {
        let name = tool["name"].as_str().unwrap_or_default();
        let schema = input["schemas"].get(name).cloned();
        let tools = sources.entry(tool["source"].as_str().unwrap_or_default().to_owned());
        tools.or_default().push(json!({
            "name": name, "description": tool["description"],
            "inputSchema": schema.unwrap_or_else(|| json!({ "type": "object" })),
            "annotations": { "readOnlyHint": true },
        }));
    }
    for (name, tools) in &sources {
        let script = Script { list: json!({ "tools": tools }), ..Script::default() };
        bench.add(name, &script).await?;
    }
    let queries = match &input["query"] {
        Value::Array(queries) => queries.clone(),
        query => vec![query.clone()],
    };
    let namespace = input["options"]["namespace"].as_str();
    let mut answers = Vec::new();
    for query in queries {
        let query = query.as_str().unwrap_or_default();
        let text = bench.search(query, namespace).await;
        answers.push(json!({
            "query": query,
            "answer": text,
            "in_code": in_code(&bench, query, &input["options"]).await?,
        }));
    }
    Ok(json!(answers))
}

/// The same from inside a program: the addresses in order, and whether each can be called.
async fn in_code(bench: &Bench, query: &str, options: &Value) -> Played {
    let options = if options.is_null() { json!({}) } else { options.clone() };
    let program = format!(
        "const {{ items, more, hidden }} = await hub.search({}, {options});\n\
         return {{ more, hidden, addresses: items.map((i) => i.address) }};",
        json!(query)
    );
    let run = bench.execute(&program).await?;
    let envelopes = run["envelopes"].as_array();
    let Some(last) = envelopes.and_then(|all| all.last()) else { return Ok(run) };
    let addresses = last["result"]["addresses"].as_array().cloned().unwrap_or_default();
    let kinds: Vec<String> =
        addresses.iter().filter_map(|a| Some(format!("typeof {}", a.as_str()?))).collect();
    let called = bench.execute(&format!("return [{}];", kinds.join(", "))).await?;
    Ok(json!({
        "found": last["result"], "error": last["error"],
        "typeof": called["envelopes"][0]["result"],
    }))
}
