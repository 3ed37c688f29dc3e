//! Conditions on arguments, in three values.
//!
//! A value that a source may read in another way than we do (a path with `..`, a URL with
//! a user part) is *unclear*: it neither frees a call by an allowing rule nor slips past
//! a forbidding one. `judge` takes the strictest verdict that any reading gives.

use super::{ArgumentCondition, ArgumentTest};
use crate::canonical::to_jcs;
use serde_json::Value;

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Holds {
    /// It does not.
    No,
    /// It depends on how the source reads the value.
    Unclear,
    /// It does.
    Yes,
}

impl From<bool> for Holds {
    fn from(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}

/// Whether all conditions hold of `arguments`.
pub(super) fn all_hold(conditions: &[ArgumentCondition], arguments: &Value) -> Holds {
    conditions.iter().map(|c| holds(c, arguments)).min().unwrap_or(Holds::Yes)
}

pub(super) fn holds(condition: &ArgumentCondition, arguments: &Value) -> Holds {
    let Some(value) = arguments.pointer(&condition.pointer) else { return Holds::No };
    holds_of(&condition.test, value)
}

/// Whether a test holds of the value that it is about.
fn holds_of(test: &ArgumentTest, value: &Value) -> Holds {
    match test {
        ArgumentTest::Equals(wanted) => same(value, wanted).into(),
        ArgumentTest::OneOf(wanted) => wanted.iter().any(|w| same(value, w)).into(),
        ArgumentTest::Range { min, max } => {
            number(value, |n| (min.is_none_or(|m| n >= m) && max.is_none_or(|m| n <= m)).into())
        }
        ArgumentTest::PathUnder(root) => text(value, |path| path_under(root, path)),
        ArgumentTest::UrlHost(host) => text(value, |url| url_host(host, url)),
    }
}

/// Whether `other` surely holds of no value of which `test` surely holds.
pub(super) fn exclude(test: &ArgumentTest, other: &ArgumentTest) -> bool {
    use ArgumentTest::{Equals, OneOf, PathUnder, Range, UrlHost};
    let never = |test, values: &[Value]| values.iter().all(|v| holds_of(test, v) == Holds::No);
    match (test, other) {
        (Equals(value), other) | (other, Equals(value)) => {
            never(other, std::slice::from_ref(value))
        }
        (OneOf(values), other) | (other, OneOf(values)) => never(other, values),
        (Range { min: a, max: b }, Range { min: c, max: d }) => {
            let below =
                |max: &Option<f64>, min: &Option<f64>| max.zip(*min).is_some_and(|(x, n)| x < n);
            below(b, c) || below(d, a)
        }
        (PathUnder(a), PathUnder(b)) => {
            [(a, b), (b, a)].iter().all(|(root, path)| path_under(root, path) == Holds::No)
        }
        (UrlHost(a), UrlHost(b)) => {
            let host = |text: &str| split_port(text).and_then(|(host, _)| plain_host(host));
            host(a).zip(host(b)).is_some_and(|(a, b)| a != b)
        }
        _ => false,
    }
}

/// The same JSON value, as the canonical form sees it: `1` is `1.0`, order of keys is nothing.
fn same(a: &Value, b: &Value) -> bool {
    to_jcs(a) == to_jcs(b)
}

fn number(value: &Value, test: impl FnOnce(f64) -> Holds) -> Holds {
    match value {
        Value::Null => Holds::No,
        value => value.as_f64().map_or(Holds::Unclear, test),
    }
}

fn text(value: &Value, test: impl FnOnce(&str) -> Holds) -> Holds {
    match value {
        Value::Null => Holds::No,
        value => value.as_str().map_or(Holds::Unclear, test),
    }
}

/// Segments of a path that has only one reading, or none: no `..`, no separators in disguise,
/// nothing that a shell, a URL parser or another system would read differently.
pub(super) fn plain_segments(path: &str) -> Option<Vec<&str>> {
    let lower = path.to_ascii_lowercase();
    let disguised = ["%2e", "%2f", "%5c", "%00"].iter().any(|code| lower.contains(code));
    let first = path.split('/').next().unwrap_or_default();
    let odd = path.is_empty()
        || path.chars().any(|c| c.is_control() || matches!(c, '\\' | '$' | '`'))
        || path.starts_with("//")
        || path.starts_with('~')
        || path.trim() != path
        || first.contains(':')
        || disguised;
    let segments: Vec<&str> = path.split('/').filter(|s| !s.is_empty() && *s != ".").collect();
    (!odd && !segments.contains(&"..")).then_some(segments)
}

fn path_under(root: &str, path: &str) -> Holds {
    let (Some(base), Some(segments)) = (plain_segments(root), plain_segments(path)) else {
        return Holds::Unclear;
    };
    if root.starts_with('/') != path.starts_with('/') {
        return Holds::Unclear;
    }
    segments.starts_with(&base).into()
}

fn url_host(wanted: &str, url: &str) -> Holds {
    let (Some((host, port)), Some((wanted, wanted_port))) =
        (host_and_port(url), split_port(wanted))
    else {
        return Holds::Unclear;
    };
    if plain_host(&host).is_none() {
        return Holds::Unclear;
    }
    let same_port = wanted_port.is_none() || wanted_port == port;
    (plain_host(wanted).as_deref() == plain_host(&host).as_deref() && same_port).into()
}

/// The host of an absolute URL that has only one reading, or none.
pub(crate) fn plain_url_host(url: &str) -> Option<String> {
    plain_host(&host_and_port(url)?.0)
}

/// Host and port of an absolute URL that every parser reads alike, or none.
fn host_and_port(url: &str) -> Option<(String, Option<u16>)> {
    if url.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
        return None;
    }
    let (scheme, rest) = url.split_once("://")?;
    let named = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    let authority = rest.split(['/', '?', '#']).next().filter(|a| named && !a.contains('@'))?;
    let (host, port) = split_port(authority)?;
    let usual = match scheme.to_ascii_lowercase().as_str() {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        _ => None,
    };
    Some((host.to_owned(), port.or(usual)))
}

/// `host[:port]`; none where the port is no number.
pub(super) fn split_port(authority: &str) -> Option<(&str, Option<u16>)> {
    let end = authority.rfind(']').map_or(0, |i| i + 1);
    match authority.get(end..)?.find(':') {
        None => Some((authority, None)),
        Some(colon) => {
            let (host, port) = authority.split_at(end + colon);
            let digits = port[1..].bytes().all(|b| b.is_ascii_digit());
            let port = port[1..].parse().ok().filter(|_| digits)?;
            Some((host, Some(port)))
        }
    }
}

/// A host in the form that is compared, or none where it has several spellings that we do not
/// resolve (percent, other scripts, numbers in place of an address).
pub(super) fn plain_host(host: &str) -> Option<String> {
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    if let Some(inner) = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')) {
        let address: std::net::Ipv6Addr = inner.parse().ok()?;
        return Some(format!("[{address}]"));
    }
    let named = host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_'));
    let last = host.rsplit('.').next().unwrap_or_default();
    let numeric = last.bytes().all(|b| b.is_ascii_digit()) || last.starts_with("0x");
    let canonical = || host.parse::<std::net::Ipv4Addr>().is_ok();
    (named && !host.is_empty() && (!numeric || canonical())).then_some(host)
}

#[cfg(test)]
mod tests;
