//! Plays trouble cases against the product and prints, for each, what happened: one JSON line,
//! for a person to judge. Nothing here knows a case; a case's `input.type` says how it is played.
//!
//! To add a type: a module with `pub async fn play(input: &Value) -> Played`, and a line in
//! [`play`].

mod bench;
mod call_result;
mod guest;
mod loose;
mod search;
mod server;
mod sources;
mod tools_list;

#[cfg(test)]
mod tests;

use serde_json::{Value, json};
use xtask::Failure;

/// What happened, or why it could not be played.
type Played = Result<Value, Failure>;

/// `case FILE.jsonl [--id X]`.
pub fn run(args: &[String]) -> Result<(), Failure> {
    if let [flag, script, calls] = args
        && flag == server::FLAG
    {
        return server::run(script.as_ref(), calls.as_ref());
    }
    let (file, id) = match args {
        [file] => (file, None),
        [file, flag, id] if flag == "--id" => (file, Some(id.as_str())),
        _ => return Err("usage: cargo xtask case FILE.jsonl [--id X]".into()),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut played = 0;
    for (number, line) in std::fs::read_to_string(file)?.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let case: Value = serde_json::from_str(line)
            .map_err(|e| Failure(format!("{file}:{}: {e}", number + 1)))?;
        if id.is_none_or(|id| case["id"] == id) {
            println!("{}", runtime.block_on(one(&case)));
            played += 1;
        }
    }
    match played {
        0 => Err("no case of that id".into()),
        _ => Ok(()),
    }
}

async fn one(case: &Value) -> Value {
    let kind = case["input"]["type"].as_str().unwrap_or_default();
    let mut told = json!({ "id": case["id"], "type": kind, "checks": case["checks"] });
    match play(kind, &case["input"]).await {
        Some(Ok(happened)) => told["happened"] = happened,
        Some(Err(failure)) => told["could_not_be_played"] = json!(failure.to_string()),
        None => told["not_played"] = json!("no player for this type yet"),
    }
    told
}

async fn play(kind: &str, input: &Value) -> Option<Played> {
    Some(match kind {
        "mcp_tools_list" => tools_list::play(input).await,
        "mcp_call_result" => call_result::play(input).await,
        "guest_js" => guest::play(input).await,
        "sources" => sources::play(input).await,
        "search" => search::play(input).await,
        _ => return None,
    })
}
