//! Reading `tools/list`: pages with guards, tools one by one. A tool that cannot be read is
//! listed as broken and costs only itself. Pure; the session fetches the pages.

use crate::fault::{bad_response, cut};
use crate::wire::mend;
use hub_core::catalog::{Annotations, BrokenTool, ToolDef};
use hub_core::limits;
use hub_core::ports::{Sent, UpstreamError};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::collections::HashSet;

/// Pages in a row that bring no new tool before the list is taken to be at its end.
const IDLE_PAGES: usize = 16;
/// Characters of a cursor: it is sent back, so it must fit a request.
const CURSOR_BYTES: usize = 64 << 10;

/// The header of one parameter (`x-mcp-header`, 2026-07-28): path of property names, and name.
pub(crate) type ParamHeaders = Vec<(Vec<String>, String)>;

/// Collects the pages of one `tools/list`.
#[derive(Default)]
pub(crate) struct Pages {
    pub tools: Vec<ToolDef>,
    pub broken: Vec<BrokenTool>,
    /// Parameters that go into headers, per tool; only where `x-mcp-header` counts.
    pub headers: HashMap<String, ParamHeaders>,
    /// Positions in `tools` by name.
    names: HashMap<String, usize>,
    cursors: HashSet<String>,
    count: usize,
    bytes: usize,
    idle: usize,
    http: bool,
}

/// Where to go on, as the server wrote it.
pub(crate) type Cursor = Value;

#[derive(Deserialize)]
struct Page {
    tools: Option<Box<RawValue>>,
    #[serde(rename = "nextCursor")]
    next: Option<Value>,
}

impl Pages {
    /// `http`: the transport carries parameters in headers, so bad marks of that kind count.
    pub fn new(http: bool) -> Self {
        Self { http, ..Self::default() }
    }

    /// Adds the raw result of one page; returns the cursor of the next one, if there is one.
    pub fn add(&mut self, raw: &str) -> Result<Option<Cursor>, UpstreamError> {
        let bad = |what: &str| bad_response(Sent::Refused, format!("tools/list: {what}"));
        let page: Page = serde_json::from_str(raw)
            .or_else(|_| serde_json::from_str(&mend(raw, false)))
            .map_err(|_| bad("the result is not an object with tools"))?;
        let tools = page.tools.ok_or_else(|| bad("the result has no tools"))?;
        let tools: Vec<Box<RawValue>> =
            serde_json::from_str(tools.get()).map_err(|_| bad("tools is not an array"))?;
        let before = self.names.len();
        for tool in &tools {
            if self.tools.len() == limits::TOOLS_PER_SOURCE {
                let most = limits::TOOLS_PER_SOURCE;
                self.list_is(format!("has more than {most} tools; the rest is left out"));
                return Ok(None);
            }
            self.bytes += tool.get().len();
            if self.bytes > limits::LIST_BYTES {
                let most = limits::LIST_BYTES;
                self.list_is(format!("has over {most} bytes of tools; the rest is left out"));
                return Ok(None);
            }
            self.take(tool.get());
        }
        self.count += 1;
        self.idle = if self.names.len() == before { self.idle + 1 } else { 0 };
        Ok(page.next.and_then(|cursor| self.follow(cursor)))
    }

    fn follow(&mut self, cursor: Cursor) -> Option<Cursor> {
        let text = match &cursor {
            Value::Null => return None,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let reason = if text.len() > CURSOR_BYTES {
            "gives a cursor too long to send back"
        } else if !self.cursors.insert(text) {
            "repeats a page cursor; stopped there"
        } else if self.count >= limits::LIST_PAGES {
            "has too many pages; stopped there"
        } else if self.idle >= IDLE_PAGES {
            "gives page after page without a new tool; stopped there"
        } else {
            return Some(cursor);
        };
        self.list_is(reason.to_owned());
        None
    }

    /// A remark about the list itself.
    fn list_is(&mut self, reason: String) {
        self.broken.push(BrokenTool { name: "tools/list".to_owned(), reason });
    }

    fn take(&mut self, raw: &str) {
        match tool(raw, self.http) {
            Ok((tool, headers)) => {
                if let Some(&known) = self.names.get(&tool.name) {
                    // The same again is what a looping cursor brings; another one is a mistake.
                    if self.tools[known] != tool {
                        self.refuse(&tool.name, "is listed twice; the first one counts");
                    }
                    return;
                }
                self.names.insert(tool.name.clone(), self.tools.len());
                if !headers.is_empty() {
                    self.headers.insert(tool.name.clone(), headers);
                }
                self.tools.push(tool);
            }
            Err((name, reason)) => self.refuse(&name, &reason),
        }
    }

    fn refuse(&mut self, name: &str, reason: &str) {
        let broken = BrokenTool { name: cut(name, 80), reason: cut(reason, 300) };
        if self.broken.len() < limits::TOOLS_PER_SOURCE && !self.broken.contains(&broken) {
            self.broken.push(broken);
        }
    }
}

type Refused = (String, String);

fn tool(raw: &str, http: bool) -> Result<(ToolDef, ParamHeaders), Refused> {
    let no = |name: &str, reason: &str| Err((name.to_owned(), reason.to_owned()));
    if raw.len() > limits::TOOL_DEFINITION_BYTES {
        let name = name_of_large(raw);
        let most = limits::TOOL_DEFINITION_BYTES;
        return no(&name, &format!("its definition has {} bytes; {most} at most", raw.len()));
    }
    let value: Value = match serde_json::from_str(raw) {
        Ok(value) => value,
        Err(first) => serde_json::from_str(&mend(raw, false))
            .map_err(|_| ("(unreadable)".to_owned(), format!("is no readable JSON: {first}")))?,
    };
    let name = match value.get("name") {
        Some(Value::String(name)) => name,
        None | Some(Value::Null) => return no("(no name)", "has no name"),
        Some(other) => return no(&other.to_string(), "its name is not a string"),
    };
    if name.trim().is_empty() {
        return no("(empty name)", "its name is empty");
    }
    if name.chars().count() > limits::TOOL_NAME_CHARS {
        return no(name, &format!("its name is over {} characters", limits::TOOL_NAME_CHARS));
    }
    if app_only(&value) {
        return no(name, "is meant for the app's own page only, not for agents");
    }
    let refused = |why: String| (name.clone(), why);
    let input_schema = input_schema(value.get("inputSchema")).map_err(|why| refused(why.into()))?;
    let headers = match http {
        true => param_headers(&input_schema).map_err(refused)?,
        false => Vec::new(),
    };
    let annotations = value.get("annotations");
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let tool = ToolDef {
        name: name.clone(),
        title: text(value.get("title")).or_else(|| text(annotations?.get("title"))),
        description: text(value.get("description")),
        input_schema,
        output_schema: value
            .get("outputSchema")
            .filter(|schema| schema.is_object() || schema.is_boolean())
            .cloned(),
        annotations: annotations.map(read_annotations).unwrap_or_default(),
    };
    Ok((tool, headers))
}

/// The name of a definition that is too large to keep as a tree.
fn name_of_large(raw: &str) -> String {
    #[derive(Deserialize)]
    struct Named {
        name: Option<String>,
    }
    serde_json::from_str::<Named>(raw)
        .ok()
        .and_then(|named| named.name)
        .unwrap_or_else(|| "(unreadable)".to_owned())
}

/// Arguments are an object, so a schema that allows none makes the tool unusable.
fn input_schema(schema: Option<&Value>) -> Result<Value, &'static str> {
    match schema {
        None | Some(Value::Null | Value::Bool(true)) => Ok(json!({"type": "object"})),
        Some(Value::Object(map)) => match map.get("type") {
            Some(Value::String(kind)) if kind != "object" => {
                Err("its input schema is not that of an object; tools take objects only")
            }
            Some(Value::Array(kinds)) if !kinds.iter().any(|kind| kind == "object") => {
                Err("its input schema allows no object; tools take objects only")
            }
            _ => Ok(Value::Object(map.clone())),
        },
        Some(_) => Err("its input schema is not a JSON Schema"),
    }
}

fn read_annotations(value: &Value) -> Annotations {
    let hint = |name: &str| value.get(name).and_then(Value::as_bool);
    Annotations {
        read_only_hint: hint("readOnlyHint"),
        destructive_hint: hint("destructiveHint"),
        idempotent_hint: hint("idempotentHint"),
        open_world_hint: hint("openWorldHint"),
    }
}

/// MCP Apps: a tool whose only audience is the app's own page.
fn app_only(tool: &Value) -> bool {
    let audience = tool.pointer("/_meta/ui/visibility").and_then(Value::as_array);
    audience.is_some_and(|who| !who.is_empty() && who.iter().all(|one| one == "app"))
}

/// Levels of `properties` that are searched for parameters in headers.
const HEADER_DEPTH: usize = 16;

fn param_headers(schema: &Value) -> Result<ParamHeaders, String> {
    let mut found = ParamHeaders::new();
    collect(schema, &mut Vec::new(), &mut found)?;
    let marks = count_marks(schema, 0);
    if marks != found.len() {
        return Err("x-mcp-header stands where no header can be made of it".to_owned());
    }
    let mut seen = HashSet::new();
    match found.iter().find(|(_, name)| !seen.insert(name.to_ascii_lowercase())) {
        Some((_, name)) => Err(format!("x-mcp-header {name:?} is given twice")),
        None => Ok(found),
    }
}

fn collect(at: &Value, path: &mut Vec<String>, found: &mut ParamHeaders) -> Result<(), String> {
    let Some(properties) = at.get("properties").and_then(Value::as_object) else { return Ok(()) };
    for (name, property) in properties {
        path.push(name.clone());
        if let Some(mark) = property.get("x-mcp-header") {
            let header = mark.as_str().filter(|h| is_token(h));
            let header = header.ok_or_else(|| format!("x-mcp-header of {name:?} is no token"))?;
            let kind = property.get("type").and_then(Value::as_str);
            if !matches!(kind, Some("string" | "integer" | "boolean")) {
                return Err(format!("x-mcp-header of {name:?} needs a plain type"));
            }
            found.push((path.clone(), header.to_owned()));
        }
        if path.len() < HEADER_DEPTH {
            collect(property, path, found)?;
        }
        path.pop();
    }
    Ok(())
}

/// RFC 9110 token.
fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// How often the keyword stands anywhere in a schema; a property of that name does not count.
fn count_marks(value: &Value, depth: usize) -> usize {
    if depth > limits::JSON_DEPTH_IN {
        return 0;
    }
    match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| match (key.as_str(), value) {
                ("x-mcp-header", _) => 1,
                (
                    "properties" | "$defs" | "definitions" | "patternProperties",
                    Value::Object(of),
                ) => of.values().map(|value| count_marks(value, depth + 2)).sum(),
                ("const" | "enum" | "default" | "examples", _) => 0,
                _ => count_marks(value, depth + 1),
            })
            .sum(),
        Value::Array(items) => items.iter().map(|item| count_marks(item, depth + 1)).sum(),
        _ => 0,
    }
}

#[cfg(test)]
#[path = "listing_tests.rs"]
mod tests;
