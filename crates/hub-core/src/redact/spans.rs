//! Secrets inside a string: tokens of known formats, private keys, passwords in URLs, and
//! values behind a secret's name (`password=…`, `"token": "…"`, `Authorization: Bearer …`).

use super::{labels, tokens};
use std::ops::Range;

/// Bytes of one string that are searched; what lies beyond is never shown unless searched.
pub(super) const SEARCHED: usize = 256 << 10;
/// Bytes of the label of a PEM block.
const LABEL: usize = 64;
/// Bytes of a value without quotes; it is searched for its end no further.
const VALUE: usize = 4_096;

/// Where a secret is, and what it looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) range: Range<usize>,
    pub(super) what: What,
}

/// Why something is taken for a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Its form is known.
    Form(&'static str),
    /// Its name says so.
    Name,
}

impl std::fmt::Display for What {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Name => f.write_str("is named like a secret"),
            Self::Form(name) => {
                let vowel = name.starts_with(['A', 'a', 'O'])
                    || name.starts_with("npm")
                    || name.starts_with("xAI");
                write!(f, "looks like {} {name}", if vowel { "an" } else { "a" })
            }
        }
    }
}

/// All secrets in `text`, in order, none inside another.
pub(super) fn find(text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut at = 0;
    let mut boundary = true;
    while at < text.len().min(SEARCHED) {
        let rest = &text[at..];
        let found = if boundary { begins(text, at) } else { None };
        match found {
            Some(span) => {
                at = span.range.end.max(at + 1);
                boundary = true;
                spans.push(span);
            }
            None => {
                let c = rest.chars().next().unwrap_or(' ');
                boundary = !(c.is_ascii_alphanumeric() || c == '_');
                at += c.len_utf8();
            }
        }
    }
    spans
}

/// The secret whose mention begins at `at`; its range may begin later, behind a name.
fn begins(text: &str, at: usize) -> Option<Span> {
    let rest = &text[at..];
    let here = |len: usize, name| Span { range: at..at + len, what: What::Form(name) };
    let joined = text[..at].ends_with(['.', '-']);
    if let Some((len, name)) = tokens::at_start(rest, joined) {
        return Some(here(len, name));
    }
    if rest.starts_with("-----BEGIN ") {
        return pem(rest).map(|len| here(len, "private key"));
    }
    if !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let inside = |range: Range<usize>| at + range.start..at + range.end;
    if let Some((range, name)) = scheme(rest).or_else(|| user_info(rest)) {
        return Some(Span { range: inside(range), what: What::Form(name) });
    }
    let range = labelled(rest, text[..at].ends_with("--"))?;
    Some(Span { range: inside(range), what: What::Name })
}

/// A block whose label says that it holds a private key; without an end, all the rest.
fn pem(rest: &str) -> Option<usize> {
    const BEGIN: &str = "-----BEGIN ";
    let label = rest.strip_prefix(BEGIN)?;
    let label = &label[..label.floor_char_boundary(LABEL)];
    let label = &label[..label.find("-----")?];
    if !label.contains("PRIVATE KEY") {
        return None;
    }
    let end = rest.find("-----END ").and_then(|e| {
        let from = e + "-----END ".len();
        rest[from..].find("-----").map(|i| from + i + "-----".len())
    });
    Some(end.unwrap_or(rest.len()))
}

/// `Bearer …` and `Basic …`.
fn scheme(rest: &str) -> Option<(Range<usize>, &'static str)> {
    let (word, what, least) = match rest.get(..7)?.to_ascii_lowercase().as_str() {
        "bearer " => (7, "bearer token", 16),
        s if s.starts_with("basic ") => (6, "user name and password", 12),
        _ => return None,
    };
    let len = secret_run(&rest[word..]);
    let dense = rest[word..word + len].bytes().any(|b| b.is_ascii_digit() || b == b'=');
    (len >= least && dense).then_some((word..word + len, what))
}

/// `scheme://user:password@host`.
fn user_info(rest: &str) -> Option<(Range<usize>, &'static str)> {
    let scheme = rest
        .bytes()
        .take(20)
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    let start = scheme.count();
    let authority = rest.get(start..)?.strip_prefix("://")?;
    let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'');
    let authority = &authority[..authority.find(ends).unwrap_or(authority.len())];
    let (user, _) = authority.rsplit_once('@')?;
    let (name, password) = user.split_once(':')?;
    let from = start + 3 + name.len() + 1;
    (!password.is_empty()).then_some((from..from + password.len(), "password in a URL"))
}

/// A value behind a secret's name: `name=value`, `name: value`, `"name": "value"`, and behind
/// an option's (`flag`) also `--name value`.
fn labelled(rest: &str, flag: bool) -> Option<Range<usize>> {
    let name_len = rest
        .char_indices()
        .take(80)
        .find(|(_, c)| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')))
        .map(|(i, _)| i)?;
    let name = &rest[..name_len];
    // A closing quote of the name, escaped or not, then = or :, then an opening quote.
    let closing = quotes(&rest[name_len..]);
    let before = spaces(&rest[name_len + closing..]);
    let mut at = name_len + closing + before;
    let sign = rest[at..].chars().next().filter(|c| matches!(c, '=' | ':'));
    if sign.is_none() && !(flag && before > 0) {
        return None;
    }
    if !labels::is_secret(name.rsplit('.').next().unwrap_or(name)) {
        return None;
    }
    at += sign.map_or(0, char::len_utf8);
    let after = spaces(&rest[at..]);
    at += after;
    let open = quotes(&rest[at..]);
    at += open;
    let value = &rest[at..];
    let len = if open > 0 {
        value.find(['"', '\'', '`', '\\', '\n']).unwrap_or(value.len())
    } else {
        let ends = |c: char| c.is_whitespace() || "&;,})\"([{".contains(c);
        let near = &value[..value.floor_char_boundary(VALUE)];
        near.find(ends).unwrap_or(near.len())
    };
    let value = &value[..len];
    // In prose ("Password: see below") and in code (`token = next.token`) words are no secret.
    let words = |b: u8| b.is_ascii_alphabetic() || matches!(b, b'.' | b'_' | b'-');
    let loose = open == 0 && closing == 0 && (sign == Some(':') || after > 0);
    let code = open == 0 && rest[at + len..].starts_with(['(', '[', '{']);
    let plain = code || (loose && value.bytes().all(words));
    (len >= 4 && !plain && !is_placeholder(value)).then_some(at..at + len)
}

fn spaces(text: &str) -> usize {
    text.bytes().take(8).take_while(|b| *b == b' ').count()
}

fn quotes(text: &str) -> usize {
    let escaped = text.bytes().take(3).take_while(|b| *b == b'\\').count();
    match text.as_bytes().get(escaped) {
        Some(b'"' | b'\'' | b'`') => escaped + 1,
        _ => 0,
    }
}

fn secret_run(text: &str) -> usize {
    let part = |b: &u8| b.is_ascii_alphanumeric() || b"-._~+/=".contains(b);
    text.bytes().take_while(part).count()
}

/// A reference to a secret in place of one: `${NAME}`, `{{ name }}`, `***`, `<token>`.
pub(super) fn is_placeholder(text: &str) -> bool {
    let inner = |open: &str, close: &str| {
        text.strip_prefix(open).and_then(|t| t.strip_suffix(close)).is_some_and(|t| {
            let plain = |b: u8| b.is_ascii_alphabetic() || b" _-.".contains(&b);
            t.len() <= 64 && t.bytes().all(plain)
        })
    };
    text.bytes().all(|b| matches!(b, b'*' | b'.' | b'x' | b'X'))
        || matches!(text, "true" | "false" | "null" | "none" | "undefined")
        || inner("${", "}")
        || inner("{{", "}}")
        || inner("<", ">")
        || inner("$", "")
}
