//! A catalogue that was updated source by source is the one that is built at once.

use super::fixtures::{Row, entries_of, found, raws};
use crate::catalog::{Catalog, Entry};
use proptest::prelude::*;
use std::sync::Arc;

const WORDS: [&str; 6] = ["list", "delete", "note", "issue", "space", "größe"];

/// Sources, each with the words of its tools' names.
fn sources() -> impl Strategy<Value = Vec<(usize, Vec<usize>)>> {
    let words = prop::collection::vec(0..WORDS.len(), 0..6);
    prop::collection::vec((0..400_usize, words), 0..60)
}

/// Tools of some sources: names of sources share words, as those of products do.
fn built(sources: &[(usize, Vec<usize>)]) -> Vec<Entry> {
    let mut rows: Vec<(String, String)> = Vec::new();
    for (source, words) in sources {
        for (at, word) in words.iter().enumerate() {
            let name = format!("{} {source}", WORDS[source % WORDS.len()]);
            rows.push((name, format!("{}_{at}", WORDS[*word])));
        }
    }
    let rows: Vec<Row<'_>> =
        rows.iter().map(|(s, n)| (s.as_str(), n.as_str(), "Keeps a list", &[][..])).collect();
    entries_of(&rows)
}

/// The same with the namespaces of `before` that are as they were kept.
fn updated(before: &Catalog, sources: &[(usize, Vec<usize>)]) -> Catalog {
    let same = |one: &Arc<crate::catalog::Namespace>| {
        let tools = |n: &crate::catalog::Namespace| -> Vec<String> {
            n.tools.iter().map(|t| t.raw.to_string()).collect()
        };
        let known = before.namespace(&one.source.namespace);
        known.filter(|known| known.source == one.source && tools(known) == tools(one)).cloned()
    };
    let entries = built(sources).into_iter().map(|entry| match entry {
        Entry::Fresh(namespace, segment) => match same(&namespace) {
            Some(kept) => Entry::Kept(kept),
            None => Entry::Fresh(namespace, segment),
        },
        kept => kept,
    });
    Catalog::new(before.version + 1, entries.collect(), before)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn updates_lead_to_what_is_built_at_once(
        first in sources(), second in sources(), third in sources(),
    ) {
        let mut catalog = Catalog::default();
        for sources in [&first, &second, &third, &first] {
            catalog = updated(&catalog, sources);
            let fresh = Catalog::new(1, built(sources), &Catalog::default());
            prop_assert_eq!(catalog.index.tools as usize, catalog.tool_count());
            prop_assert_eq!(catalog.index.heap_bytes(), fresh.index.heap_bytes());
            for query in ["list", "note 7", "space delete", "delete issue", "größe", "issue 3"] {
                let (a, b) = (found(&catalog, query), found(&fresh, query));
                prop_assert_eq!(raws(&catalog, &a), raws(&fresh, &b));
                prop_assert_eq!(a, b);
            }
        }
    }
}

#[test]
fn a_changed_source_costs_its_neighbourhood() {
    let sources: Vec<(usize, Vec<usize>)> = (0..400).map(|source| (source, vec![0, 1])).collect();
    let before = Catalog::new(1, built(&sources), &Catalog::default());
    assert!(before.index.shards.len() > 2 && before.index.shards.len() < 40);
    let mut changed = sources;
    changed[200].1.push(2);
    let after = updated(&before, &changed);
    let shared = |shard: &&crate::search::index::Shard| {
        before.index.shards.iter().any(|old| Arc::ptr_eq(&old.segment, &shard.segment))
    };
    let kept = after.index.shards.iter().filter(shared).count();
    assert_eq!(kept, after.index.shards.len() - 1);
}
