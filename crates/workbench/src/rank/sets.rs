//! Reads labelled sets: `<set>/catalog.jsonl` and `<set>/queries*.jsonl`.

use serde_json::Value;
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
    /// Name and description.
    pub parameters: Vec<(String, String)>,
}

/// Queries that are averaged together.
pub struct QueryFile {
    pub name: String,
    pub queries: Vec<Labelled>,
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
        if !folder.join("catalog.jsonl").is_file() {
            continue;
        }
        let name = file_name(&folder);
        let tools = lines(&folder.join("catalog.jsonl"))?.iter().map(tool).collect();
        let mut files = Vec::new();
        for path in entries(&folder)? {
            let file = file_name(&path);
            if !file.starts_with("queries") || !file.ends_with(".jsonl") {
                continue;
            }
            let queries = lines(&path)?.iter().map(labelled).collect();
            let kind = file.trim_start_matches("queries").split('.').next().unwrap_or_default();
            files.push(QueryFile { name: format!("{name}{}", kind.replace('_', " ")), queries });
        }
        sets.push(Set { name, tools, files });
    }
    if sets.is_empty() {
        return Err(format!("no set below {}: expected <set>/catalog.jsonl", data.display()));
    }
    Ok(sets)
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

fn lines(path: &Path) -> Result<Vec<Value>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).map_err(|e| format!("{}: {e}", path.display())))
        .collect()
}

fn word(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn tool(value: &Value) -> Tool {
    let properties = value.pointer("/inputSchema/properties").and_then(Value::as_object);
    Tool {
        id: word(value, "id"),
        namespace: word(value, "namespace"),
        name: word(value, "name"),
        description: word(value, "description"),
        parameters: properties
            .into_iter()
            .flatten()
            .map(|(name, schema)| (name.clone(), word(schema, "description")))
            .collect(),
    }
}

fn labelled(value: &Value) -> Labelled {
    let relevant = value.get("relevant").and_then(Value::as_array);
    Labelled {
        text: word(value, "text"),
        relevant: relevant
            .into_iter()
            .flatten()
            .filter_map(|id| id.as_str().map(str::to_owned))
            .collect(),
    }
}
