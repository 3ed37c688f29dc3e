//! Where in the code calls stand that were made.

use crate::preflight::{Argument, Call, Known};
use crate::text;
use hub_core::ports::{Place, Sought};
use serde_json::Value;

/// For each of `sought`, the places whose written-out arguments do not contradict.
pub fn of(calls: &[Call], text: &str, sought: &[Sought<'_>]) -> Vec<Vec<Place>> {
    let places = |one: &Sought<'_>| {
        let made = calls.iter().filter(|call| may_have_made(call, one));
        made.map(|call| {
            let (line, column) = text::place(text, call.at as usize);
            Place { line, column }
        })
        .collect()
    };
    sought.iter().map(places).collect()
}

fn may_have_made(call: &Call, sought: &Sought<'_>) -> bool {
    call.root == sought.namespace
        && sought.names.contains(&call.member.as_str())
        && match &call.argument {
            Argument::Unknown => true,
            Argument::Known(known) => fits(known, &known.value, sought.arguments, &mut Vec::new()),
        }
}

/// Whether what is written out may have become `actual`. Walks no deeper than the code is nested.
fn fits(known: &Known, written: &Value, actual: &Value, path: &mut Vec<String>) -> bool {
    if known.holes.contains(path) {
        return true;
    }
    match (written, actual) {
        (Value::Object(written), Value::Object(actual)) => {
            let open = known.open.contains(path);
            let all = written.iter().all(|(key, value)| {
                below(known, key, value, actual.get(key).unwrap_or(&Value::Null), path)
            });
            all && (open || actual.keys().all(|key| written.contains_key(key)))
        }
        (Value::Array(written), Value::Array(actual)) => {
            written.len() == actual.len()
                && written.iter().zip(actual).enumerate().all(|(at, (written, actual))| {
                    below(known, &at.to_string(), written, actual, path)
                })
        }
        (Value::Number(written), Value::Number(actual)) => written.as_f64() == actual.as_f64(),
        _ => written == actual,
    }
}

fn below(
    known: &Known,
    step: &str,
    written: &Value,
    actual: &Value,
    path: &mut Vec<String>,
) -> bool {
    path.push(step.to_owned());
    let fits = fits(known, written, actual, path);
    path.pop();
    fits
}
