//! From scores to hits: what may be seen, in which order, and what is counted only.

use super::gather::{Scored, scores};
use super::question::Question;
use super::{Query, Weights, words};
use crate::catalog::{Catalog, Namespace, Tool};
use crate::policy::Verdict;

/// Matches of one query that are looked at and counted; policy is asked for each.
const MATCHES: usize = 1_000;
/// Steps of a score that tell two tools apart, per 1.
const STEPS: f32 = 1_024.0;
/// A match that answers less of the query than this is a weak one.
const WEAK_SHARE: f32 = 0.3;

/// A tool that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Position in [`Catalog::namespaces`].
    pub namespace: usize,
    /// Position in [`Namespace::tools`].
    pub tool: usize,
    /// How well it fits; comparable within one answer only.
    pub score: f32,
    /// Whether a person is asked before a call.
    pub asks: bool,
}

/// What a search gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Best first.
    pub hits: Vec<Hit>,
    /// Visible tools that match and stand behind the hits.
    pub more: usize,
    /// Tools that match and that policy denies.
    pub hidden: usize,
    /// Every match answers only a small part of the query.
    pub weak: bool,
    /// The namespace asked for does not exist.
    pub unknown_namespace: bool,
}

/// Finds tools. `verdict` is what policy says of a tool: denied ones are left out and counted.
pub fn search(
    catalog: &Catalog,
    query: &Query<'_>,
    verdict: &dyn Fn(&Namespace, &Tool) -> Verdict,
) -> Found {
    search_with(catalog, query, verdict, &Weights::default())
}

/// The same over segments that were built with other weights.
pub fn search_with(
    catalog: &Catalog,
    query: &Query<'_>,
    verdict: &dyn Fn(&Namespace, &Tool) -> Verdict,
    weights: &Weights,
) -> Found {
    let asked = query.namespace.filter(|n| !n.trim().is_empty());
    let only = asked.map(|name| resolve(catalog, name));
    let mut matched = match only {
        Some(None) => return Found { unknown_namespace: true, ..Found::default() },
        Some(Some(at)) if says_nothing(query.text) => all_of(catalog, at),
        _ if query.text.trim().is_empty() => return Found::default(),
        _ => best_of(catalog, query.text, only.flatten(), weights),
    };
    let mut found = Found::default();
    matched.hits.retain_mut(|hit| {
        let namespace = &catalog.namespaces[hit.namespace];
        let said = verdict(namespace, &namespace.tools[hit.tool]);
        hit.asks = said != Verdict::Allow;
        found.hidden += usize::from(said == Verdict::Deny);
        said != Verdict::Deny
    });
    let total = matched.hits.len();
    found.hits = matched.hits.into_iter().skip(query.offset).take(query.limit).collect();
    found.more = total.saturating_sub(query.offset.saturating_add(found.hits.len()));
    found.weak = matched.weak && !found.hits.is_empty();
    found
}

struct Matched {
    hits: Vec<Hit>,
    weak: bool,
}

/// The namespace meant by `name`: the one so called, else the only one of the same letters.
fn resolve(catalog: &Catalog, name: &str) -> Option<usize> {
    catalog.position(name).or_else(|| {
        let letters = words::letters(name);
        let members = catalog.index.shards.iter().flat_map(|shard| &*shard.segment.members);
        let alike = members.enumerate().filter(|(_, member)| *member.letters == *letters);
        let mut alike = alike.map(|(at, _)| at);
        alike.next().filter(|_| alike.next().is_none() && !letters.is_empty())
    })
}

/// Whether a query has no word that could tell tools apart: then a namespace is listed whole.
fn says_nothing(text: &str) -> bool {
    let mut says = false;
    words::split(text, &mut |word| says |= !words::is_stop(word.text));
    !says
}

/// Every tool of a namespace, in the order of names.
fn all_of(catalog: &Catalog, namespace: usize) -> Matched {
    let tools = 0..catalog.namespaces[namespace].tools.len();
    Matched { hits: tools.map(|tool| hit(namespace, tool, 0.0)).collect(), weak: false }
}

/// The tools that answer `text`, best first.
fn best_of(catalog: &Catalog, text: &str, only: Option<usize>, weights: &Weights) -> Matched {
    let question = Question::of(text, weights);
    let mut scored = scores(catalog, &question, only, weights);
    let top = scored.iter().map(|one| one.score).fold(0.0, f32::max);
    scored.retain(|one| one.exact || one.score >= top * weights.floor);
    // Steps keep an order that rests on the last bits of a logarithm from differing by machine.
    let rank = |one: &Scored| (one.exact, (one.score * STEPS).round() as i64);
    let place = |one: &Scored| (one.namespace, one.tool);
    let order =
        |a: &Scored, b: &Scored| rank(b).cmp(&rank(a)).then_with(|| place(a).cmp(&place(b)));
    if scored.len() > MATCHES {
        scored.select_nth_unstable_by(MATCHES, order);
        scored.truncate(MATCHES);
    }
    scored.sort_unstable_by(order);
    scored
        .retain(|one| (one.tool as usize) < catalog.namespaces[one.namespace as usize].tools.len());
    let weak = scored.iter().all(|one| !one.exact && one.share < WEAK_SHARE);
    let hits = scored.iter().map(|one| hit(one.namespace as usize, one.tool as usize, one.score));
    Matched { hits: hits.collect(), weak }
}

fn hit(namespace: usize, tool: usize, score: f32) -> Hit {
    Hit { namespace, tool, score, asks: false }
}
