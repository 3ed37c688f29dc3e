//! What holds for every catalogue and every query.

use super::fixtures::{Quarter, catalog, page, raws};
use crate::catalog::Catalog;
use crate::limits::SEARCH_TOKENS;
use crate::ports::TokenCount;
use crate::search::{Query, first_sentence, text, words};
use proptest::prelude::*;

/// Words that meet, so that queries match.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec!["issue", "list", "create", "repo", "file", "消息", "größe"])
            .prop_map(str::to_owned),
        "[a-zA-Z0-9_./-]{1,12}",
        "\\PC{1,6}",
    ]
}

fn sentence(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 0..most).prop_map(|words| words.join(" "))
}

fn any_catalog() -> impl Strategy<Value = Catalog> {
    let tool = (prop::sample::select(vec!["git", "mail", "文"]), sentence(4), sentence(12));
    prop::collection::vec(tool, 0..30).prop_map(|tools| {
        let rows: Vec<(&str, &str, &str)> =
            tools.iter().map(|(s, n, d)| (*s, n.as_str(), d.as_str())).collect();
        catalog(&rows)
    })
}

proptest! {
    #[test]
    fn pages_are_parts_of_one_fixed_order(catalog in any_catalog(), words in sentence(6)) {
        let whole = page(&catalog, &words, None, 0, usize::MAX);
        let mut pages = Vec::new();
        for offset in (0..whole.hits.len()).step_by(3) {
            let part = page(&catalog, &words, None, offset, 3);
            prop_assert_eq!(offset + part.hits.len() + part.more, whole.hits.len());
            pages.extend(part.hits);
        }
        prop_assert_eq!(&pages, &whole.hits);
        let mut places: Vec<_> = pages.iter().map(|h| (h.namespace, h.tool)).collect();
        places.sort_unstable();
        places.dedup();
        prop_assert_eq!(places.len(), pages.len());
    }

    #[test]
    fn a_tool_is_found_by_its_name(catalog in any_catalog()) {
        for namespace in &catalog.namespaces {
            for tool in &namespace.tools {
                let letters = words::letters(&tool.raw);
                if letters.is_empty() {
                    continue;
                }
                let found = page(&catalog, &tool.raw, None, 0, usize::MAX);
                let wanted = format!("{}/{}", namespace.source.name, tool.raw);
                let hits = raws(&catalog, &found);
                let place = hits.iter().position(|h| *h == wanted);
                let rivals = catalog.namespaces.iter().flat_map(|n| &n.tools);
                let equals = rivals.filter(|t| {
                    [&t.raw, &t.name].iter().any(|n| words::letters(n) == letters)
                });
                let among = equals.count() + 4;
                prop_assert!(place.is_some_and(|p| p < among), "{wanted} in {hits:?}");
            }
        }
    }

    #[test]
    fn the_answer_fits_its_budget(catalog in any_catalog(), words in sentence(6)) {
        let query = Query { text: &words, namespace: None, limit: 10, offset: 0 };
        let found = page(&catalog, &words, None, 0, 10);
        prop_assert!(Quarter.count(&text(&catalog, &query, &found, &Quarter)) <= SEARCH_TOKENS);
    }

    #[test]
    fn words_are_never_empty_and_never_long(text in "\\PC{0,200}") {
        let mut ok = true;
        words::split(&text, &mut |w| ok &= w.text.chars().count() <= 120);
        prop_assert!(ok);
        let again: Vec<String> = words::folded(&text);
        prop_assert_eq!(again, words::folded(&text));
    }

    #[test]
    fn a_summary_is_one_short_line(text in "(?s).{0,400}") {
        let summary = first_sentence(&text);
        prop_assert!(summary.chars().count() <= 160);
        prop_assert!(!summary.chars().any(char::is_control));
    }
}
