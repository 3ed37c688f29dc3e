//! From scores to hits: what may be seen, in which order, and what is counted only.

use super::gather::Plan;
use super::{Query, Weights};
use crate::catalog::{Catalog, Namespace, Tool};
use crate::policy::Verdict;

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
    let only = query.namespace.filter(|n| !n.is_empty());
    if only.is_some_and(|n| catalog.namespace(n).is_none()) {
        return Found { unknown_namespace: true, ..Found::default() };
    }
    let listing = query.text.trim().is_empty();
    if listing && only.is_none() {
        return Found::default();
    }
    let plan = Plan::of(query.text, catalog, weights);
    let mut found = Found::default();
    let mut matched = Vec::new();
    for (at, namespace) in catalog.namespaces.iter().enumerate() {
        if only.is_some_and(|n| n != namespace.source.namespace) {
            continue;
        }
        let scores = if listing {
            vec![1.0; namespace.tools.len()]
        } else {
            plan.scores(&namespace.segment, weights)
        };
        for (tool, score) in scores.into_iter().enumerate().filter(|(_, s)| *s > 0.0) {
            match namespace.tools.get(tool).map(|t| verdict(namespace, t)) {
                None => {}
                Some(Verdict::Deny) => found.hidden += 1,
                Some(said) => {
                    let asks = said != Verdict::Allow;
                    matched.push(Hit { namespace: at, tool, score, asks });
                }
            }
        }
    }
    matched.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then((a.namespace, a.tool).cmp(&(b.namespace, b.tool)))
    });
    let total = matched.len();
    found.hits = matched.into_iter().skip(query.offset).take(query.limit).collect();
    found.more = total.saturating_sub(query.offset.saturating_add(found.hits.len()));
    found
}
