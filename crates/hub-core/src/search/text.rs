//! What an agent reads: hits as plain text under a token budget (SPEC 2.1).

use super::{Found, Hit, Query};
use crate::catalog::{Catalog, Namespace};
use crate::limits::{CONNECTIONS_NAMED, SEARCH_TOKENS};
use crate::names::closest;
use crate::ports::TokenCount;
use std::fmt::Write;

/// The answer to `query` in plain text. Where it would cost more than
/// [`SEARCH_TOKENS`], hits are dropped from the end and counted.
pub fn text(
    catalog: &Catalog,
    query: &Query<'_>,
    found: &Found,
    tokens: &dyn TokenCount,
) -> String {
    let most = if found.hits.is_empty() { catalog.namespaces.len() } else { found.hits.len() };
    let render = |shown: usize| {
        if found.hits.is_empty() {
            nothing(catalog, query, found, shown)
        } else {
            listing(catalog, found, shown)
        }
    };
    let fits = |text: &str| tokens.count(text) <= SEARCH_TOKENS;
    let whole = render(most);
    if fits(&whole) {
        return whole;
    }
    // The most that fit, found by halving: the text grows with every entry.
    let (mut good, mut bad) = (0, most);
    while bad - good > 1 {
        let middle = usize::midpoint(good, bad);
        if fits(&render(middle)) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    render(good)
}

fn listing(catalog: &Catalog, found: &Found, shown: usize) -> String {
    let mut out = String::new();
    let hits = &found.hits[..shown];
    for (i, first) in hits.iter().enumerate() {
        if hits[..i].iter().any(|h| h.namespace == first.namespace) {
            continue;
        }
        let namespace = &catalog.namespaces[first.namespace];
        out.push_str(&head(namespace));
        out.push('\n');
        for hit in hits[i..].iter().filter(|h| h.namespace == first.namespace) {
            tool(namespace, hit, &mut out);
        }
    }
    let more = found.more + found.hits.len() - shown;
    out.push_str(&last_line(more, found));
    out.truncate(out.trim_end().len());
    out
}

/// `github  (connections: personal*, work)`
fn head(namespace: &Namespace) -> String {
    let mut out = namespace.source.namespace.clone();
    for (i, name) in namespace.connections.iter().take(CONNECTIONS_NAMED).enumerate() {
        out.push_str(if i == 0 { "  (connections: " } else { ", " });
        out.push_str(name);
        if i == 0 {
            out.push('*');
        }
    }
    if let Some(rest) = namespace.connections.len().checked_sub(CONNECTIONS_NAMED + 1) {
        let _ = write!(out, ", +{}", rest + 1);
    }
    if !namespace.connections.is_empty() {
        out.push(')');
    }
    out
}

fn tool(namespace: &Namespace, hit: &Hit, out: &mut String) {
    let tool = &namespace.tools[hit.tool];
    let asks = if hit.asks { "   [asks]" } else { "" };
    let _ = writeln!(out, "  {}{}{asks}", namespace.address(tool), tool.signature);
    if !tool.summary.is_empty() {
        let _ = writeln!(out, "    {}", tool.summary);
    }
}

fn last_line(more: usize, found: &Found) -> String {
    let mut parts = Vec::new();
    if more > 0 {
        parts.push(format!("{more} more match; ask more narrowly or give a namespace."));
    }
    if found.hidden > 0 {
        parts.push(format!("{} hidden by policy.", found.hidden));
    }
    if found.weak {
        parts.push("No close match: each of these shares only few words with the query.".into());
    }
    parts.join(" ")
}

fn nothing(catalog: &Catalog, query: &Query<'_>, found: &Found, shown: usize) -> String {
    let mut out = String::new();
    let asked = query.namespace.filter(|n| !n.is_empty());
    match asked {
        Some(name) if found.unknown_namespace => {
            let _ = write!(out, "No namespace is called {}.", quoted(name));
            let known = catalog.namespaces.iter().map(|n| n.source.namespace.as_str());
            let like = closest(name, known, 3);
            if !like.is_empty() {
                let _ = write!(out, " Closest: {}.", like.join(", "));
            }
            out.push('\n');
        }
        _ if asked.is_none() && query.text.trim().is_empty() => {}
        _ => {
            out.push_str("No tool matches. Say what you want to do in other words");
            out.push_str(", or give a namespace with an empty query to list its tools.\n");
        }
    }
    out.push_str(&namespaces(catalog, shown));
    if found.hidden > 0 {
        let _ = write!(out, "\n{}", last_line(0, found));
    }
    out
}

/// Every namespace with what it offers, as far as there is room.
fn namespaces(catalog: &Catalog, shown: usize) -> String {
    if catalog.namespaces.is_empty() {
        return "No source is connected.".to_owned();
    }
    let mut out = "Namespaces:".to_owned();
    for namespace in catalog.namespaces.iter().take(shown) {
        let tools = namespace.tools.len();
        let word = if tools == 1 { "tool" } else { "tools" };
        let _ = write!(out, "\n  {}  {tools} {word}", head(namespace));
    }
    let rest = catalog.namespaces.len().saturating_sub(shown);
    if rest > 0 {
        let _ = write!(out, "\n  +{rest}");
    }
    out
}

/// A caller's word, short and in one line.
fn quoted(name: &str) -> String {
    let short: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
    format!("\"{short}\"")
}
