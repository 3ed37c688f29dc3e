//! Where the tools come from.

use super::NamedTool;
use hub_core::catalog::ToolDef;
use hub_core::ports::{TypeNames, Types};
use hub_schema::Schemas;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use xtask::Failure;

/// The name of the set that comes from an OpenAPI document.
pub const OPENAPI_SET: &str = "octokit-openapi";

/// One set of tools.
pub struct Subject {
    pub set: String,
    pub namespace: String,
    pub tools: Vec<NamedTool>,
    /// What its contested names of types stand for.
    pub names: TypeNames,
}

impl Subject {
    fn new(set: String, namespace: String, tools: Vec<NamedTool>) -> Self {
        let definitions: Vec<&ToolDef> = tools.iter().map(|tool| &*tool.1).collect();
        let names = Schemas::new().type_names(&definitions);
        Self { set, namespace, tools, names }
    }
}

/// The `tools/list` answers in `dir`, one server per file.
pub fn catalogs(dir: &Path) -> Result<Vec<Subject>, Failure> {
    let mut files: Vec<_> = std::fs::read_dir(dir)
        .map_err(|why| format!("no catalogues in {}: {why}; give --data DIR", dir.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|kind| kind == "json"))
        .collect();
    files.sort();
    files.iter().map(|file| catalog(file)).collect()
}

fn catalog(file: &Path) -> Result<Subject, Failure> {
    let answer: Value = serde_json::from_slice(&std::fs::read(file)?)?;
    let set = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let listed = answer["tools"].as_array().cloned().unwrap_or_default();
    let tools = listed.into_iter().map(|tool| {
        let tool: ToolDef = serde_json::from_value(tool)?;
        Ok((tool.name.clone(), Arc::new(tool)))
    });
    Ok(Subject::new(set.clone(), identifier(&set), tools.collect::<Result<_, Failure>>()?))
}

fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// Every operation of an OpenAPI document: its parameters and body as input, its first success
/// as output, each with the components it refers to.
pub fn openapi(file: &Path) -> Result<Subject, Failure> {
    let document: Value = serde_json::from_slice(&std::fs::read(file)?)?;
    let mut tools = Vec::new();
    let paths = document["paths"].as_object().ok_or("a document without paths")?;
    for path in paths.values().filter_map(Value::as_object) {
        for operation in path.values().filter_map(Value::as_object) {
            let Some(name) = operation.get("operationId").and_then(Value::as_str) else { continue };
            let tool = ToolDef {
                name: name.to_owned(),
                title: None,
                description: operation.get("summary").and_then(Value::as_str).map(str::to_owned),
                input_schema: input(&document, operation),
                output_schema: output(&document, operation),
                annotations: Default::default(),
            };
            tools.push((name.replace(['/', '-'], "_"), Arc::new(tool)));
        }
    }
    Ok(Subject::new(OPENAPI_SET.into(), "octokit".into(), tools))
}

fn input(document: &Value, operation: &Map<String, Value>) -> Value {
    let mut properties = Map::new();
    let mut required = BTreeSet::new();
    let parameters = operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
    for parameter in parameters {
        let parameter = target(document, parameter);
        let Some(name) = parameter["name"].as_str() else { continue };
        let mut schema = parameter["schema"].clone();
        if let (Some(schema), Some(said)) = (schema.as_object_mut(), parameter.get("description")) {
            schema.entry("description").or_insert_with(|| said.clone());
        }
        properties.insert(name.to_owned(), schema);
        if parameter["required"] == json!(true) {
            required.insert(name.to_owned());
        }
    }
    let body = operation.get("requestBody").map(|body| target(document, body));
    if let Some(schema) = body.and_then(|body| json_content(body)) {
        properties.insert("body".into(), schema.clone());
        required.insert("body".into());
    }
    standing_alone(
        document,
        json!({ "type": "object", "properties": properties, "required": required }),
    )
}

fn output(document: &Value, operation: &Map<String, Value>) -> Option<Value> {
    let responses = operation.get("responses")?.as_object()?;
    let (_, success) = responses.iter().find(|(status, _)| status.starts_with('2'))?;
    json_content(target(document, success)).map(|schema| standing_alone(document, schema.clone()))
}

fn json_content(body: &Value) -> Option<&Value> {
    body["content"].get("application/json")?.get("schema")
}

fn target<'d>(document: &'d Value, value: &'d Value) -> &'d Value {
    let at = value.get("$ref").and_then(Value::as_str).and_then(|at| at.strip_prefix('#'));
    at.and_then(|at| document.pointer(at)).unwrap_or(value)
}

/// `schema` with every component that it refers to, at the component's place.
fn standing_alone(document: &Value, mut schema: Value) -> Value {
    let mut found = BTreeSet::new();
    references(&schema, &mut found);
    let mut queue: Vec<String> = found.iter().cloned().collect();
    let mut schemas = Map::new();
    while let Some(at) = queue.pop() {
        let Some(name) = at.strip_prefix("#/components/schemas/") else { continue };
        let component = &document["components"]["schemas"][name];
        let mut more = BTreeSet::new();
        references(component, &mut more);
        schemas.insert(name.to_owned(), component.clone());
        queue.extend(more.into_iter().filter(|at| found.insert(at.clone())));
    }
    if let (Some(map), false) = (schema.as_object_mut(), schemas.is_empty()) {
        map.insert("components".into(), json!({ "schemas": schemas }));
    }
    schema
}

fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            if let Some(at) = map.get("$ref").and_then(Value::as_str) {
                found.insert(at.to_owned());
            }
            map.values().for_each(|part| references(part, found));
        }
        Value::Array(parts) => parts.iter().for_each(|part| references(part, found)),
        _ => {}
    }
}
