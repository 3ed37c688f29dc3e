//! The scripted source: an MCP server on standard streams that says exactly what its script
//! says, right or wrong, and writes down every call that reached it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::Path;
use xtask::Failure;

/// The hidden argument that makes this program the server.
pub const FLAG: &str = "--serve";

/// What the server says.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Script {
    /// The result of `tools/list`, as it is.
    pub list: Value,
    /// How each tool answers.
    pub answers: BTreeMap<String, Answer>,
    /// Never answers anything.
    pub hangs: bool,
}

/// How a tool answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// This result, as it is.
    Result(Value),
    /// Its arguments, as structured content.
    Echo,
    /// How often it was called, in these fields.
    Count(Vec<String>),
}

/// Serves until standard input ends.
pub fn run(script: &Path, calls: &Path) -> Result<(), Failure> {
    let script: Script = serde_json::from_str(&std::fs::read_to_string(script)?)?;
    let mut calls = std::fs::OpenOptions::new().append(true).create(true).open(calls)?;
    let mut count = 0_u64;
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        if request.get("id").is_none() || script.hangs {
            continue;
        }
        let params = &request["params"];
        let answer = match request["method"].as_str() {
            Some("initialize") => Ok(json!({
                "protocolVersion": params["protocolVersion"],
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "scripted", "version": "1" },
            })),
            Some("tools/list") => Ok(script.list.clone()),
            Some("ping") => Ok(json!({})),
            Some("tools/call") => {
                writeln!(
                    calls,
                    "{}",
                    json!({
                        "tool": params["name"], "arguments": params["arguments"],
                    })
                )?;
                count += 1;
                Ok(script.answer(params, count))
            }
            _ => Err(json!({ "code": -32601, "message": "no such method" })),
        };
        let told = match answer {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }),
            Err(error) => json!({ "jsonrpc": "2.0", "id": request["id"], "error": error }),
        };
        let mut out = std::io::stdout().lock();
        writeln!(out, "{told}")?;
        out.flush()?;
    }
    Ok(())
}

impl Script {
    fn answer(&self, params: &Value, count: u64) -> Value {
        let name = params["name"].as_str().unwrap_or_default();
        match self.answers.get(name) {
            Some(Answer::Result(result)) => result.clone(),
            Some(Answer::Echo) => structured(params["arguments"].clone()),
            Some(Answer::Count(fields)) => {
                let counted = fields.iter().map(|field| (field.clone(), json!(count)));
                structured(Value::Object(counted.collect::<Map<_, _>>()))
            }
            None => text("ok"),
        }
    }
}

/// A result with structured content.
pub fn structured(value: Value) -> Value {
    json!({ "content": [{ "type": "text", "text": value.to_string() }],
        "structuredContent": value })
}

/// A result of one text.
pub fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}
