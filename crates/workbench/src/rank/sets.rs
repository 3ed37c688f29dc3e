//! Reads labelled sets: `<set>/catalog.jsonl` and `<set>/queries*.jsonl`.

use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;

/// A catalogue with the query files that belong to it.
pub struct Set {
    pub name: String,
    pub tools: Vec<Tool>,
    pub files: Vec<QueryFile>,
}

/// A tool as a set lists it.
pub struct Tool {
    pub id: String,
    pub namespace: String,
    pub name: String,
    pub description: String,
    pub parameters: Vec<Parameter>,
}

/// A parameter as far as rankers read it.
#[derive(Clone)]
pub struct Parameter {
    pub name: String,
    pub description: String,
    /// The strings it is one of, or has items of.
    pub values: Vec<String>,
}

/// Queries that are averaged together.
pub struct QueryFile {
    pub name: String,
    pub queries: Vec<Labelled>,
    pub notes: Notes,
}

/// What of a file measures nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Notes {
    /// Queries without a relevant tool: left out.
    pub without: usize,
    /// Relevant ids that no tool has: no ranker finds them, all lose alike.
    pub strange: usize,
}

/// A query and the tools that answer it.
pub struct Labelled {
    pub text: String,
    pub relevant: Vec<String>,
}

/// Every set below `data`, by name.
pub fn load(data: &Path) -> Result<Vec<Set>, String> {
    let mut sets = Vec::new();
    for folder in entries(data)? {
        if folder.join("catalog.jsonl").is_file() {
            sets.push(set(&folder)?);
        }
    }
    if sets.is_empty() {
        return Err(format!("no set below {}: expected <set>/catalog.jsonl", data.display()));
    }
    Ok(sets)
}

fn set(folder: &Path) -> Result<Set, String> {
    let name = file_name(folder);
    let tools: Vec<Tool> = lines(&folder.join("catalog.jsonl"), tool)?;
    let known: HashSet<&str> = tools.iter().map(|tool| tool.id.as_str()).collect();
    let mut files: Vec<QueryFile> = Vec::new();
    for path in entries(folder)? {
        let file = file_name(&path);
        if !file.starts_with("queries") || !file.ends_with(".jsonl") {
            continue;
        }
        let read = lines(&path, labelled)?;
        let lines = read.len();
        let queries: Vec<Labelled> = read.into_iter().flatten().collect();
        let wanted = queries.iter().flat_map(|query| &query.relevant);
        let strange = wanted.filter(|id| !known.contains(id.as_str())).count();
        let notes = Notes { without: lines - queries.len(), strange };
        let kind = file.trim_start_matches("queries").split('.').next().unwrap_or_default();
        let mut title = format!("{name}{}", kind.replace('_', " "));
        // Two parts of one kind, such as its dev half and another, keep apart by their files.
        if files.iter().any(|other| other.name == title) {
            title = format!("{title} ({file})");
        }
        files.push(QueryFile { name: title, queries, notes });
    }
    drop(known);
    Ok(Set { name, tools, files })
}

fn entries(folder: &Path) -> Result<Vec<std::path::PathBuf>, String> {
    let wrong = |e| format!("{}: {e}", folder.display());
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(wrong)? {
        out.push(entry.map_err(wrong)?.path());
    }
    out.sort();
    Ok(out)
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Every line of a file that is not blank, read by `read`.
fn lines<T>(path: &Path, read: impl Fn(&Value) -> Result<T, String>) -> Result<Vec<T>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut out = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let value = serde_json::from_str(line).map_err(|e| e.to_string());
        let one = value.and_then(|value| read(&value));
        out.push(one.map_err(|e| format!("{}:{}: {e}", path.display(), at + 1))?);
    }
    Ok(out)
}

fn word(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn tool(value: &Value) -> Result<Tool, String> {
    let properties = value.pointer("/inputSchema/properties").and_then(Value::as_object);
    let id = word(value, "id");
    if id.is_empty() {
        return Err("a tool has no id".to_owned());
    }
    Ok(Tool {
        id,
        namespace: word(value, "namespace"),
        name: word(value, "name"),
        description: word(value, "description"),
        parameters: properties
            .into_iter()
            .flatten()
            .map(|(name, schema)| Parameter {
                name: name.clone(),
                description: word(schema, "description"),
                values: values(schema),
            })
            .collect(),
    })
}

fn values(schema: &Value) -> Vec<String> {
    let holders = [Some(schema), schema.get("items")];
    let lists = holders.into_iter().flatten().filter_map(|holder| holder.get("enum")?.as_array());
    lists.flatten().filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

/// A query. One without a relevant tool is left out: it measures nothing.
fn labelled(value: &Value) -> Result<Option<Labelled>, String> {
    let Some(list) = value.get("relevant").and_then(Value::as_array) else {
        return Err("a query has no list called relevant".to_owned());
    };
    let ids = list.iter().filter_map(Value::as_str);
    let relevant: Vec<String> = ids.map(str::to_owned).collect();
    Ok((!relevant.is_empty()).then(|| Labelled { text: word(value, "text"), relevant }))
}
