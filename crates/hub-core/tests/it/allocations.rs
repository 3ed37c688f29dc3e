//! A search allocates for its words and its hits, never for the tools it passes over.

use crate::big;
use crate::counting::allocations;
use hub_core::policy::Verdict;
use hub_core::search::{Query, search};

/// Allocations of one search: words, their forms and synonyms, rooms for scores, hits.
const MOST: usize = 150;

#[test]
fn a_search_allocates_by_its_words_and_not_by_the_catalogue() {
    let (small, large) = (big::catalog(1_000), big::catalog(10_000));
    for text in ["create an invoice", "sourcezz", "update_issue_43"] {
        let query = Query { text, namespace: None, limit: 10, offset: 0 };
        let count = |catalog| {
            // The first search builds tables that stay.
            search(catalog, &query, &|_, _| Verdict::Allow);
            allocations(|| search(catalog, &query, &|_, _| Verdict::Allow)).0
        };
        let (few, many) = (count(&small), count(&large));
        assert!(few <= MOST, "{text}: {few} allocations");
        // Ten times the tools: lists of hits double a few times more.
        assert!(many <= few + 12, "{text}: {few} allocations became {many}");
    }
}
