//! Asks the tools about the calls that were found.

use super::argument::{Known, Path};
use super::{Argument, Call, globals};
use crate::text;
use hub_core::error::RunErrorCode;
use hub_core::limits;
use hub_core::ports::{ArgProblem, KnownTools, PrepareError};
use serde_json::{Map, Value};

/// Problems of one call that a message lists.
const PROBLEMS_TOLD: usize = 5;
/// Further failing calls that a hint lists.
const OTHERS_TOLD: usize = 4;

/// Calls of a program that are judged, of each kind; a run makes no more than 100.
const CALLS_JUDGED: usize = 200;

/// Something wrong with a call.
struct Finding {
    code: RunErrorCode,
    address: String,
    line: u32,
    column: u32,
    /// What is wrong, without the place.
    what: String,
    hint: String,
}

/// Notices for calls that may fail; the error where one surely does.
pub fn judge(
    calls: &[Call],
    text: &str,
    tools: &dyn KnownTools,
) -> Result<Vec<String>, PrepareError> {
    let sets_globals = text.contains("globalThis");
    let find = |sure: bool, most: usize| -> Vec<Finding> {
        let of_kind = calls.iter().filter(|call| call.sure == sure).take(CALLS_JUDGED);
        let found = of_kind.filter_map(|call| {
            let found = finding(call, tools, sets_globals)?;
            let (line, column) = text::place(text, call.at as usize);
            Some(Finding { line, column, ..found })
        });
        found.take(most).collect()
    };
    match find(true, 1 + OTHERS_TOLD).split_first() {
        Some((first, others)) => Err(error(first, others)),
        None => Ok(find(false, limits::NOTICES).iter().map(notice).collect()),
    }
}

/// What is wrong with a call, its place left open.
fn finding(call: &Call, tools: &dyn KnownTools, sets_globals: bool) -> Option<Finding> {
    let (root, member) = (&call.root, &call.member);
    let address = format!("{root}.{member}");
    let new = |code, what, hint| Finding {
        code,
        address: address.clone(),
        line: 0,
        column: 0,
        what,
        hint,
    };
    if !tools.is_namespace(root) {
        if sets_globals || globals::is_explained(root) {
            return None;
        }
        let closest = Some(tools.closest(root, member)).filter(|c| !c.is_empty())?;
        let what = format!("`{root}` is not a connected source");
        return Some(new(RunErrorCode::UnknownTool, what, did_you_mean(&closest)));
    }
    if !tools.is_tool(root, member) {
        if globals::is_of_objects(member) {
            return None;
        }
        let what = format!("`{address}` names no tool");
        let hint = match tools.closest(root, member) {
            closest if closest.is_empty() => "Find the tool with search.".to_owned(),
            closest => did_you_mean(&closest),
        };
        return Some(new(RunErrorCode::UnknownTool, what, hint));
    }
    let Argument::Known(known) = &call.argument else { return None };
    let problems = problems(call, known, tools);
    if problems.is_empty() {
        return None;
    }
    let mut told: Vec<String> =
        problems.iter().take(PROBLEMS_TOLD).map(ToString::to_string).collect();
    if problems.len() > PROBLEMS_TOLD {
        told.push(format!("{} more", problems.len() - PROBLEMS_TOLD));
    }
    let what = format!("`{address}` does not take these arguments: {}", told.join("; "));
    let hint = format!("Read its types with describe(\"{address}\").");
    Some(new(RunErrorCode::InvalidArguments, what, hint))
}

fn did_you_mean(closest: &[String]) -> String {
    format!("Did you mean {}?", closest.join(", "))
}

/// What the schema refuses of an argument, as far as it is known.
fn problems(call: &Call, known: &Known, tools: &dyn KnownTools) -> Vec<ArgProblem> {
    if known.is_whole() {
        return tools.check(&call.root, &call.member, &known.value);
    }
    let Some(schema) = tools.schema(&call.root, &call.member) else { return Vec::new() };
    if !judges_in_parts(&schema, known) {
        return Vec::new();
    }
    let mut found = tools.check(&call.root, &call.member, &known.value);
    found.retain(|problem| concerns_known(&segments(&problem.path), known, &schema));
    found
}

/// Keywords by which one part of a value decides about another.
const DEPENDING: [&str; 15] = [
    "$dynamicRef",
    "$recursiveRef",
    "$ref",
    "allOf",
    "anyOf",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "maxProperties",
    "minProperties",
    "not",
    "oneOf",
    "then",
];

/// Whether the schemas around every unknown part look at each part alone.
fn judges_in_parts(schema: &Value, known: &Known) -> bool {
    known.holes.iter().all(|hole| stands_alone(schema, &hole[..hole.len().saturating_sub(1)]))
        && known.open.iter().all(|open| stands_alone(schema, open))
}

fn stands_alone(schema: &Value, path: &[String]) -> bool {
    around(schema, path).is_some()
}

/// The schema of the object or list at a path, unless parts decide about each other on the way.
fn around<'s>(schema: &'s Value, path: &[String]) -> Option<&'s Map<String, Value>> {
    let alone = |at: &'s Value| {
        let object = at.as_object()?;
        let depends = DEPENDING.iter().any(|word| object.contains_key(*word));
        (!depends).then_some(object)
    };
    path.iter().try_fold(alone(schema)?, |at, step| {
        let named = at.get("properties").and_then(|all| all.get(step));
        alone(named.or_else(|| at.get("items"))?)
    })
}

/// Whether no object of this schema may have the key at the end of the path.
fn is_unknown_key(schema: &Value, path: &[String]) -> bool {
    let Some((key, parents)) = path.split_last() else { return false };
    around(schema, parents).is_some_and(|at| {
        at.get("additionalProperties") == Some(&Value::Bool(false))
            && at.get("patternProperties").is_none()
            && at.get("properties").is_none_or(|all| all.get(key).is_none())
    })
}

/// Whether a problem is about parts that are known, and about those alone.
fn concerns_known(problem: &[String], known: &Known, schema: &Value) -> bool {
    let touches = |path: &Path| path.starts_with(problem) || problem.starts_with(path);
    if known.holes.iter().any(touches) {
        return known.holes.iter().any(|hole| hole == problem) && is_unknown_key(schema, problem);
    }
    known.open.iter().all(|open| {
        if open.starts_with(problem) {
            return false;
        }
        match problem.strip_prefix(open.as_slice()) {
            Some([key, ..]) => {
                value_at(&known.value, open).is_some_and(|object| object.get(key).is_some())
            }
            _ => true,
        }
    })
}

fn value_at<'v>(value: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(value, |at, step| match at {
        Value::Array(all) => all.get(step.parse::<usize>().ok()?),
        _ => at.get(step),
    })
}

/// The steps of a path such as `input.labels[0]["content-type"]`, without its first word.
fn segments(path: &str) -> Path {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix("[\"") {
            let end = quoted.find("\"]").unwrap_or(quoted.len());
            steps.push(quoted[..end].to_owned());
            rest = quoted.get(end + 2..).unwrap_or_default();
        } else if let Some(index) = rest.strip_prefix('[') {
            let end = index.find(']').unwrap_or(index.len());
            steps.push(index[..end].to_owned());
            rest = index.get(end + 1..).unwrap_or_default();
        } else {
            let name = rest.strip_prefix('.').unwrap_or(rest);
            let end = name.find(['.', '[']).unwrap_or(name.len());
            steps.push(name[..end].to_owned());
            rest = &name[end..];
        }
    }
    steps.split_off(steps.len().min(1))
}

fn notice(finding: &Finding) -> String {
    let Finding { line, what, hint, .. } = finding;
    let text = format!("line {line}: {what}. {hint}");
    if text.chars().count() <= limits::NOTICE_CHARS {
        return text;
    }
    text.chars().take(limits::NOTICE_CHARS - 1).chain(['…']).collect()
}

fn error(first: &Finding, others: &[Finding]) -> PrepareError {
    let Finding { line, column, what, hint, .. } = first;
    let mut hint = format!("{hint} Nothing was run.");
    for other in others {
        hint.push_str(&format!(" Also, line {}: {}. {}", other.line, other.what, other.hint));
    }
    PrepareError {
        code: first.code,
        message: format!("{what} (line {line}, column {column})."),
        hint: Some(hint),
        address: Some(first.address.clone()),
        line: Some(*line),
        column: Some(*column),
    }
}
