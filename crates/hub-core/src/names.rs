//! How names of sources and tools become identifiers (SPEC 2.0).
//!
//! May change here: how a name is split and joined. May not change: a name once given. Callers
//! keep the pairs and hand them back, and nothing in this module takes a kept name away.

mod closest;
mod reserved;
#[cfg(test)]
mod tests;

pub use closest::closest;

use reserved::{is_reserved, is_reserved_namespace};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use unicode_ident::{is_xid_continue, is_xid_start};

/// Whether `name` can be written as a JavaScript identifier. Reserved words count as one: they
/// are legal behind a dot.
pub fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(starts) && chars.all(continues)
}

/// The namespace for a source called `name`; `taken` tells which ones are given away.
pub fn namespace(name: &str, taken: &dyn Fn(&str) -> bool) -> String {
    let mut base = camel(&pieces(name), "source");
    if is_reserved(&base) || is_reserved_namespace(&base) {
        base.push('_');
    }
    numbered(base, taken)
}

/// The name in code of each raw name, in the order of `raws` and each once.
///
/// `kept` are pairs given before: they stay as they are, and no other tool receives their names,
/// even where the tool is gone. The result does not depend on the order of `raws`.
pub fn tool_names(
    source_name: &str,
    raws: &[String],
    kept: &[(String, String)],
) -> Vec<(String, String)> {
    let mut given: HashMap<&str, String> =
        kept.iter().map(|(raw, name)| (raw.as_str(), name.clone())).collect();
    let mut taken: HashSet<String> = given.values().cloned().collect();
    let fresh: BTreeSet<&str> =
        raws.iter().map(String::as_str).filter(|raw| !given.contains_key(raw)).collect();

    let candidates = candidates(source_name, &fresh);
    let mut wanted: BTreeMap<&str, usize> = BTreeMap::new();
    for c in candidates.values() {
        *wanted.entry(&c.full).or_default() += 1;
        if let Some(short) = &c.short {
            *wanted.entry(short).or_default() += 1;
        }
    }
    let all: HashSet<&str> = raws.iter().map(String::as_str).collect();
    // A name in code must never be another tool's raw name: `ns["x"]` would reach the wrong one.
    let foreign = |name: &str, raw: &str| name != raw && all.contains(name);

    for (raw, c) in &candidates {
        let free = |n: &&String| wanted[n.as_str()] == 1 && !taken.contains(*n) && !foreign(n, raw);
        if let Some(short) = c.short.as_ref().filter(free) {
            taken.insert(short.clone());
            given.insert(raw, short.clone());
        }
    }
    // A raw name that is its own name in code goes before those that would become it.
    let (own, other): (Vec<_>, Vec<_>) = candidates.iter().partition(|(raw, c)| c.full == **raw);
    for (raw, c) in own.into_iter().chain(other) {
        if !given.contains_key(raw) {
            let used = |n: &str| taken.contains(n) || foreign(n, raw);
            let name = numbered(c.full.clone(), &used);
            taken.insert(name.clone());
            given.insert(raw, name);
        }
    }
    let mut seen = HashSet::new();
    raws.iter()
        .filter(|raw| seen.insert(raw.as_str()))
        .map(|raw| (raw.clone(), given[raw.as_str()].clone()))
        .collect()
}

/// What a raw name would like to be called.
struct Candidate {
    /// All of it.
    full: String,
    /// Without the source's own name in front.
    short: Option<String>,
}

fn candidates<'a>(source_name: &str, raws: &BTreeSet<&'a str>) -> BTreeMap<&'a str, Candidate> {
    let key = letters(source_name);
    let member = |pieces: &[&str]| {
        let mut name = camel(pieces, "tool");
        if is_reserved(&name) {
            name.push('_');
        }
        name
    };
    raws.iter()
        .map(|raw| {
            let full = member(&pieces(raw));
            let short = behind_prefix(raw, &key)
                .map(pieces)
                .filter(|rest| !rest.is_empty())
                .map(|rest| member(&rest))
                .filter(|short| *short != full);
            (*raw, Candidate { full, short })
        })
        .collect()
}

/// What follows `key` in `raw`, where `key` ends at a boundary between words.
fn behind_prefix<'a>(raw: &'a str, key: &str) -> Option<&'a str> {
    if key.is_empty() {
        return None;
    }
    let mut open = key;
    let mut chars = raw.char_indices().peekable();
    while let Some((_, c)) = chars.next() {
        if !c.is_alphanumeric() {
            continue;
        }
        for low in c.to_lowercase().filter(|l| l.is_alphanumeric()) {
            open = open.strip_prefix(low)?;
        }
        if open.is_empty() {
            let (at, next) = *chars.peek()?;
            let boundary = !next.is_alphanumeric() || (next.is_uppercase() && !c.is_uppercase());
            return boundary.then_some(&raw[at..]);
        }
    }
    None
}

/// Letters and digits only, in lower case.
fn letters(name: &str) -> String {
    name.chars().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect()
}

fn starts(c: char) -> bool {
    c == '$' || c == '_' || (is_xid_start(c) && !is_treacherous(c))
}

fn continues(c: char) -> bool {
    c == '$' || (is_xid_continue(c) && !is_treacherous(c))
}

/// Legal in an identifier, but not seen (two names would look the same), or legal only since
/// lately (an engine with older tables refuses it). They part words instead.
fn is_treacherous(c: char) -> bool {
    matches!(c, '\u{034f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}'
        | '\u{180b}'..='\u{180f}' | '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{ffa0}' | '\u{e0100}'..='\u{e01ef}' | '・' | '･')
}

/// The stretches of `name` between `_` and whatever no identifier holds.
fn pieces(name: &str) -> Vec<&str> {
    name.split(|c| c == '_' || !continues(c)).filter(|piece| !piece.is_empty()).collect()
}

/// Joins pieces in camelCase; `none` where there are none.
fn camel(pieces: &[&str], none: &str) -> String {
    let shouted = !pieces.iter().any(|p| p.chars().any(char::is_lowercase));
    let mut out = String::new();
    for piece in pieces {
        let lowered = shouted.then(|| piece.to_lowercase());
        let piece = lowered.as_deref().unwrap_or(piece);
        if out.is_empty() {
            lower_head(piece, &mut out);
        } else {
            let mut chars = piece.chars();
            out.extend(chars.next().into_iter().flat_map(char::to_uppercase));
            out.push_str(chars.as_str());
        }
    }
    // Case mapping may leave a character that no identifier holds.
    out.retain(continues);
    if out.is_empty() {
        out.push_str(none);
    } else if !out.starts_with(starts) {
        out.insert(0, '_');
    }
    out
}

/// Lowers the capital or the acronym in front: `ReadOnly` → `readOnly`, `HTTPGet` → `httpGet`.
fn lower_head(piece: &str, out: &mut String) {
    let run = piece.chars().take_while(|c| c.is_uppercase()).count();
    let rest_is_word = piece.chars().nth(run).is_some_and(char::is_lowercase);
    let lower = if run > 1 && rest_is_word { run - 1 } else { run };
    for (i, c) in piece.chars().enumerate() {
        if i < lower {
            out.extend(c.to_lowercase());
        } else {
            out.push(c);
        }
    }
}

/// `base`, or the first of `base_2`, `base_3`, … that is free.
fn numbered(base: String, taken: &dyn Fn(&str) -> bool) -> String {
    if !taken(&base) {
        return base;
    }
    let mut n = 2_u64;
    loop {
        let name = format!("{base}_{n}");
        if !taken(&name) {
            return name;
        }
        n += 1;
    }
}
