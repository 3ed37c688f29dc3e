//! What a rule must be before it is stored: a rule that can never match must not look like one
//! that protects.

use super::condition::{plain_host, plain_segments, split_port};
use super::{ArgumentCondition, ArgumentTest, Rule};
use crate::canonical::check_depth;
use crate::limits::JSON_DEPTH_OUT;
use serde_json::Value;

/// Why a rule is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRule {
    /// The pattern can never match.
    #[error(
        "the pattern {0:?} matches no address; write namespace.tool, with * for one whole \
         segment or ** as the last one"
    )]
    Pattern(String),
    /// No JSON pointer.
    #[error("{0:?} is no JSON pointer; write /name or /name/0")]
    Pointer(String),
    /// The condition can never hold.
    #[error("{0}: {1}")]
    Condition(String, &'static str),
}

/// Checks a rule before it is stored.
pub fn check(rule: &Rule) -> Result<(), BadRule> {
    let segments: Vec<&str> = rule.pattern.split('.').collect();
    let last = segments.len() - 1;
    for (i, segment) in segments.iter().enumerate() {
        let whole = *segment == "*" || (*segment == "**" && i == last);
        if !whole && (segment.is_empty() || segment.contains('*') || segment.trim() != *segment) {
            return Err(BadRule::Pattern(rule.pattern.clone()));
        }
    }
    rule.arguments.iter().try_for_each(condition)
}

/// Checks one condition of a rule.
pub fn condition(condition: &ArgumentCondition) -> Result<(), BadRule> {
    let pointer = &condition.pointer;
    let escaped = pointer.split('~').skip(1).all(|s| s.starts_with(['0', '1']));
    if !(pointer.is_empty() || pointer.starts_with('/')) || !escaped {
        return Err(BadRule::Pointer(pointer.clone()));
    }
    let wrong = |why| Err(BadRule::Condition(pointer.clone(), why));
    let deep = |v: &Value| check_depth(&v.to_string(), JSON_DEPTH_OUT).is_err();
    match &condition.test {
        ArgumentTest::Equals(value) if deep(value) => wrong("the value is nested too deeply"),
        ArgumentTest::OneOf(values) if values.is_empty() => wrong("one_of names no value"),
        ArgumentTest::OneOf(values) if values.iter().any(deep) => {
            wrong("a value is nested too deeply")
        }
        ArgumentTest::Range { min: None, max: None } => wrong("a range needs min or max"),
        ArgumentTest::Range { min: Some(min), max: Some(max) } if min > max => {
            wrong("min is above max")
        }
        ArgumentTest::PathUnder(root) if plain_segments(root).is_none() => {
            wrong("path_under needs a plain path, without .., ~, $ or backslashes")
        }
        ArgumentTest::UrlHost(host) if split_port(host).and_then(|h| plain_host(h.0)).is_none() => {
            wrong("url_host needs a host name such as api.example.com, in ASCII, with no scheme")
        }
        _ => Ok(()),
    }
}
