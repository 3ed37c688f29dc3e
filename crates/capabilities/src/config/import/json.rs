//! The JSON forms.

use super::{DEPTH, Entry, jsonc};
use crate::error::CliError;
use serde_json::{Map, Value};

/// Keys under which clients list their servers.
const PLACES: [&str; 3] = ["mcpServers", "servers", "context_servers"];

/// Every server in the file, also those that Claude Code keeps per project.
pub fn entries(text: &str) -> Result<Vec<Entry>, CliError> {
    let value: Value = serde_json::from_str(&jsonc::plain(text)).map_err(|e| {
        CliError::usage(format!("not JSON: line {}, column {}", e.line(), e.column()))
    })?;
    let mut entries = Vec::new();
    collect(&value, DEPTH, &mut entries);
    // The same server of two projects is one.
    let mut seen = Vec::new();
    entries.retain(|entry: &Entry| {
        let told = format!("{:?}", (&entry.name, &entry.command, &entry.args, &entry.url));
        let is_new = !seen.contains(&told);
        seen.push(told);
        is_new
    });
    Ok(entries)
}

/// Looks for the places at the root, under `mcp` and under each of `projects`.
fn collect(value: &Value, depth: usize, entries: &mut Vec<Entry>) {
    let Value::Object(object) = value else { return };
    for place in PLACES {
        if let Some(Value::Object(servers)) = object.get(place) {
            entries.extend(servers.iter().filter_map(|(name, server)| entry(name, server)));
        }
    }
    if depth == 0 {
        return;
    }
    if let Some(settings) = object.get("mcp") {
        collect(settings, depth - 1, entries);
    }
    if let Some(Value::Object(projects)) = object.get("projects") {
        projects.values().for_each(|project| collect(project, depth - 1, entries));
    }
}

fn entry(name: &str, value: &Value) -> Option<Entry> {
    let server = value.as_object()?;
    // One client nests command and arguments: {"command": {"path": …, "args": […], "env": {…}}}.
    let nested = server.get("command").and_then(Value::as_object);
    let program = nested.unwrap_or(server);
    let text =
        |object: &Map<String, Value>, key: &str| object.get(key)?.as_str().map(str::to_owned);
    let list = |value: Option<&Value>| -> Vec<String> {
        let items = value.and_then(Value::as_array).into_iter().flatten();
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    Some(Entry {
        name: name.to_owned(),
        command: text(program, if nested.is_some() { "path" } else { "command" }),
        args: list(program.get("args")),
        env: pairs(program.get("env")),
        cwd: text(server, "cwd"),
        url: ["url", "serverUrl", "httpUrl"].iter().find_map(|key| text(server, key)),
        headers: pairs(server.get("headers")),
        bearer_env: None,
        disabled: server.get("disabled").and_then(Value::as_bool).unwrap_or(false),
    })
}

fn pairs(value: Option<&Value>) -> Vec<(String, String)> {
    let object = value.and_then(Value::as_object).into_iter().flatten();
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    };
    object.filter_map(|(name, value)| Some((name.clone(), text(value)?))).collect()
}
