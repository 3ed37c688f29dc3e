//! Why arguments do not fit, in words an agent can act on. Never holds a value of the caller.

use crate::closest::closest;
use crate::signature::brief_type;
use hub_core::ports::ArgProblem;
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::{Map, Value};

/// Problems told at once.
const TOLD: usize = 10;
/// Alternatives looked into.
const ALTERNATIVES: usize = 64;
/// Bytes of one expectation.
const EXPECTED_BYTES: usize = 240;
/// Characters of one name of the caller.
const NAME_CHARS: usize = 64;
/// Levels of alternatives inside alternatives that are looked into.
const DEPTH: usize = 6;

pub fn problems<'i>(
    schema: &Value,
    arguments: &Value,
    errors: impl Iterator<Item = ValidationError<'i>>,
) -> Vec<ArgProblem> {
    let mut found = Vec::new();
    for error in errors.take(TOLD) {
        explain(schema, arguments, &error, 0, &mut found);
        if found.len() >= TOLD {
            break;
        }
    }
    found.truncate(TOLD);
    found
}

fn explain(
    schema: &Value,
    arguments: &Value,
    error: &ValidationError<'_>,
    depth: usize,
    found: &mut Vec<ArgProblem>,
) {
    use ValidationErrorKind as Kind;
    let at = error.instance_path().as_str();
    let mut tell = |path: String, expected: String, closest: Vec<String>| {
        let problem = ArgProblem { path, expected: shortened(expected), closest };
        // One line per place: the first is the most telling.
        if !found.iter().any(|known| known.path == problem.path) {
            found.push(problem);
        }
    };
    match error.kind() {
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let given = arguments.pointer(at).and_then(Value::as_object);
            let known = names_at(schema, error);
            let unknown = given.into_iter().flat_map(|map| map.keys().map(String::as_str));
            let unknown = unknown.filter(|given| !known.iter().any(|k| k == given));
            let meant = closest(name, unknown);
            let expected = match type_of(schema, error, name) {
                Some(kind) => format!("required ({kind}), but missing"),
                None => "required, but missing".into(),
            };
            tell(path(arguments, at, Some(name)), expected, Vec::new());
            for slip in meant.into_iter().take(1) {
                let slip_path = path(arguments, at, Some(&slip));
                tell(slip_path, "not a parameter".into(), vec![name.to_owned()]);
            }
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let known = names_at(schema, error);
            for name in unexpected.iter().take(TOLD) {
                let like = closest(name, known.iter().map(String::as_str));
                let expected = if known.is_empty() {
                    "no parameters are taken".to_owned()
                } else {
                    format!("not a parameter; there are {}", listed(&known))
                };
                tell(path(arguments, at, Some(name)), expected, like);
            }
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } if depth < DEPTH => {
            if let Some((at, expected)) = tag(context, at) {
                return tell(path(arguments, &at, None), expected, Vec::new());
            }
            match nearest(context, at) {
                Some(errors) => {
                    for error in errors.iter().take(TOLD) {
                        explain(schema, arguments, error, depth + 1, found);
                    }
                }
                None => tell(path(arguments, at, None), alternatives(context), Vec::new()),
            }
        }
        kind => tell(path(arguments, at, None), expectation(kind), Vec::new()),
    }
}

/// The alternative that the caller most likely meant: the only one whose type fits, or whose
/// problems lie deepest.
fn nearest<'e>(
    context: &'e [Vec<ValidationError<'static>>],
    at: &str,
) -> Option<&'e [ValidationError<'static>]> {
    let tagged = |errors: &[ValidationError<'_>]| {
        errors.iter().filter(|e| matches!(e.kind(), ValidationErrorKind::Constant { .. })).count()
    };
    fitting(context, at).min_by_key(|errors| (tagged(errors), errors.len())).map(Vec::as_slice)
}

/// Alternatives that fail in a part only, not as a whole.
fn fitting<'e>(
    context: &'e [Vec<ValidationError<'static>>],
    at: &str,
) -> impl Iterator<Item = &'e Vec<ValidationError<'static>>> {
    use ValidationErrorKind as Kind;
    let shallow = |error: &ValidationError<'_>, at: &str| {
        error.instance_path().as_str() == at
            && matches!(
                error.kind(),
                Kind::Type { .. } | Kind::Constant { .. } | Kind::Enum { .. } | Kind::FalseSchema
            )
    };
    let at = at.to_owned();
    context
        .iter()
        .take(ALTERNATIVES)
        .filter(move |errors| !errors.iter().any(|error| shallow(error, &at)))
}

/// Where and what the alternatives expect, if it is the value of one property that none of them
/// has: the tag that tells them apart.
fn tag(context: &[Vec<ValidationError<'static>>], at: &str) -> Option<(String, String)> {
    use ValidationErrorKind as Kind;
    let mut place: Option<&str> = None;
    let mut words: Vec<String> = Vec::new();
    for errors in fitting(context, at) {
        let error = errors.iter().find(|error| {
            matches!(error.kind(), Kind::Constant { .. } | Kind::Enum { .. })
                && place.is_none_or(|place| place == error.instance_path().as_str())
        })?;
        place = Some(error.instance_path().as_str());
        match error.kind() {
            Kind::Constant { expected_value } => words.push(expected_value.to_string()),
            Kind::Enum { options } => {
                words.extend(options.as_array().into_iter().flatten().map(Value::to_string));
            }
            _ => {}
        }
    }
    let expected = match words.as_slice() {
        [] | [_] => return None,
        words => format!("expected one of {}", listed(words)),
    };
    place.map(|place| (place.to_owned(), expected))
}

/// What any of the alternatives would have taken.
fn alternatives(context: &[Vec<ValidationError<'static>>]) -> String {
    let mut words: Vec<String> = Vec::new();
    for error in context.iter().take(ALTERNATIVES).filter_map(|errors| errors.first()) {
        let word = expectation(error.kind());
        let word = word.strip_prefix("expected ").unwrap_or(&word).to_owned();
        if !words.contains(&word) {
            words.push(word);
        }
    }
    format!("expected {}", words.join(" or "))
}

fn expectation(kind: &ValidationErrorKind) -> String {
    use ValidationErrorKind as Kind;
    match kind {
        Kind::Type { kind } => format!("expected {}", types(kind)),
        Kind::Enum { options } => format!("expected one of {}", values(options)),
        Kind::Constant { expected_value } => format!("expected {expected_value}"),
        Kind::Minimum { limit } => format!("expected at least {limit}"),
        Kind::Maximum { limit } => format!("expected at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("expected more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("expected less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("expected a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("expected at least {limit} characters"),
        Kind::MaxLength { limit } => format!("expected at most {limit} characters"),
        Kind::MinItems { limit } => format!("expected at least {limit} items"),
        Kind::MaxItems { limit } => format!("expected at most {limit} items"),
        Kind::AdditionalItems { limit } => format!("expected at most {limit} items"),
        Kind::UnevaluatedItems { .. } => "expected fewer items".into(),
        Kind::MinProperties { limit } => format!("expected at least {limit} properties"),
        Kind::MaxProperties { limit } => format!("expected at most {limit} properties"),
        Kind::UniqueItems => "expected items that all differ".into(),
        Kind::Contains => "expected an item of the kind that must be there".into(),
        Kind::Pattern { pattern } => format!("expected a match of {pattern}"),
        Kind::PropertyNames { error } => {
            format!("property names: {}", expectation(error.kind()))
        }
        Kind::Required { .. } => "expected the properties that are required".into(),
        Kind::AdditionalProperties { .. } | Kind::UnevaluatedProperties { .. } => {
            "expected known properties only".into()
        }
        Kind::Not { .. } => "expected a value that is not of the excluded kind".into(),
        Kind::OneOfMultipleValid { .. } => "expected exactly one of the alternatives to fit".into(),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } if !context.is_empty() => {
            "expected one of the alternatives".into()
        }
        Kind::FalseSchema => "nothing is accepted here".into(),
        other => format!("does not satisfy {}", other.keyword()),
    }
}

fn types(kind: &TypeKind) -> String {
    let name = |name: jsonschema::JsonType| match name.to_string().as_str() {
        "integer" => "a whole number".to_owned(),
        "object" => "an object".to_owned(),
        "array" => "an array".to_owned(),
        "null" => "null".to_owned(),
        other => format!("a {other}"),
    };
    match kind {
        TypeKind::Single(single) => name(*single),
        TypeKind::Multiple(many) => many.iter().map(name).collect::<Vec<_>>().join(" or "),
    }
}

fn values(options: &Value) -> String {
    let Some(options) = options.as_array() else { return "the listed values".into() };
    listed(&options.iter().map(Value::to_string).collect::<Vec<_>>())
}

/// As many as fit, and how many more there are.
fn listed(words: &[String]) -> String {
    let mut out = String::new();
    for (at, word) in words.iter().enumerate() {
        if at > 0 && out.len() + word.len() > EXPECTED_BYTES - 60 {
            return format!("{out}, and {} more", words.len() - at);
        }
        out.push_str(if at > 0 { ", " } else { "" });
        out.push_str(word);
    }
    out
}

fn shortened(text: String) -> String {
    if text.len() <= EXPECTED_BYTES {
        return text;
    }
    format!("{}…", &text[..text.floor_char_boundary(EXPECTED_BYTES)])
}

/// The properties beside the keyword that failed.
fn properties_at<'s>(
    schema: &'s Value,
    error: &ValidationError<'_>,
) -> Option<&'s Map<String, Value>> {
    let at = error.schema_path().as_str();
    let parent = at.rsplit_once('/').map_or("", |(parent, _)| parent);
    schema.pointer(parent)?.get("properties")?.as_object()
}

/// Names of the parameters there.
fn names_at(schema: &Value, error: &ValidationError<'_>) -> Vec<String> {
    properties_at(schema, error).into_iter().flat_map(|map| map.keys().cloned()).collect()
}

/// The type of one of them, where that says anything.
fn type_of(schema: &Value, error: &ValidationError<'_>, name: &str) -> Option<String> {
    let kind = brief_type(schema, properties_at(schema, error)?.get(name)?);
    (kind != "unknown").then_some(kind)
}

/// `input.labels[0]`, as it would be written in code.
fn path(arguments: &Value, pointer: &str, last: Option<&str>) -> String {
    let mut out = String::from("input");
    let mut value = Some(arguments);
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        if let Some(Value::Array(_)) = value {
            out.push_str(&format!("[{token}]"));
            value = value.and_then(|v| v.get(token.parse::<usize>().ok()?));
        } else {
            push_step(&mut out, &token);
            value = value.and_then(|v| v.get(&token));
        }
    }
    if let Some(last) = last {
        push_step(&mut out, last);
    }
    out
}

fn push_step(out: &mut String, name: &str) {
    let short: String = name.chars().take(NAME_CHARS).collect();
    if crate::text::is_identifier(&short) && short.len() == name.len() {
        out.push('.');
        out.push_str(&short);
    } else {
        out.push('[');
        crate::text::push_string(out, &short);
        out.push(']');
    }
}
