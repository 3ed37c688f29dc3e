//! `mcp_call_result`: a tool answers so. What the program receives.

use super::Played;
use super::bench::Bench;
use super::server::{Answer, Script};
use hub_core::policy::Verdict;
use serde_json::{Value, json};

/// Calls the tool and returns what came, value or error.
const PROGRAM: &str = "
try { return { value: await demo.TOOL({}) }; }
catch (e) {
  return { error: { code: e.code, message: e.message, hint: e.hint, status: e.status,
    retryable: e.retryable, isToolError: e instanceof ToolError } };
}";

/// Calls it once.
pub async fn play(input: &Value) -> Played {
    let usual = json!({ "name": "get", "inputSchema": { "type": "object" } });
    let tool = input.get("tool").cloned().unwrap_or(usual);
    let name = tool["name"].as_str().unwrap_or("get").to_owned();
    let script = Script {
        list: json!({ "tools": [tool] }),
        answers: [(name.clone(), Answer::Result(input["result"].clone()))].into(),
        hangs: false,
    };
    let bench = Bench::open().await?;
    let refreshed = bench.add("demo", &script).await?;
    bench.rule("demo.*", Verdict::Allow).await?;
    let address = refreshed.added.first().cloned().unwrap_or_else(|| format!("demo.{name}"));
    let program = PROGRAM.replace("demo.TOOL", &address);
    let happened = bench.execute(&program).await?;
    Ok(json!({ "declaration": bench.describe(&[address]).await, "run": happened }))
}
