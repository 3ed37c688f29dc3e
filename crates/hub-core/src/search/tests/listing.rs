//! What an agent reads.

use super::fixtures::{Quarter, catalog, page};
use crate::catalog::Catalog;
use crate::limits::{CONNECTIONS_NAMED, SEARCH_TOKENS};
use crate::policy::Verdict;
use crate::ports::TokenCount;
use crate::search::{Query, search, text};
use std::sync::Arc;

fn answer(catalog: &Catalog, words: &str, namespace: Option<&str>) -> String {
    let query = Query { text: words, namespace, limit: 10, offset: 0 };
    let found = search(catalog, &query, &|_, tool| match &*tool.raw {
        "purge_note" => Verdict::Deny,
        "write_note" => Verdict::Ask,
        _ => Verdict::Allow,
    });
    text(catalog, &query, &found, &Quarter)
}

fn notes() -> Catalog {
    catalog(&[
        ("notes", "write_note", "Write a note.\n\nIt is kept."),
        ("notes", "purge_note", "Purge a note."),
        ("other", "note_reader", "Read a note."),
        ("silent", "note", ""),
    ])
}

#[test]
fn hits_stand_in_groups() {
    let wanted = "\
silent  (connections: main*, spare)
  silent.note(input: {}): Promise<unknown>
notes  (connections: main*, spare)
  notes.writeNote(input: {}): Promise<unknown>   [asks]
    Write a note.
other  (connections: main*, spare)
  other.noteReader(input: {}): Promise<unknown>
    Read a note.
1 hidden by policy.";
    assert_eq!(answer(&notes(), "note", None), wanted);
}

#[test]
fn the_last_line_has_what_is_not_zero() {
    let catalog = notes();
    let query = Query { text: "note", namespace: None, limit: 1, offset: 0 };
    let last = |denied: &str| {
        let found = search(&catalog, &query, &|_, tool| match &*tool.raw {
            raw if raw == denied => Verdict::Deny,
            _ => Verdict::Allow,
        });
        text(&catalog, &query, &found, &Quarter).lines().last().unwrap_or_default().to_owned()
    };
    assert_eq!(
        last("purge_note"),
        "2 more match; ask more narrowly or give a namespace. 1 hidden by policy."
    );
    assert_eq!(last(""), "3 more match; ask more narrowly or give a namespace.");
}

#[test]
fn nothing_found_names_the_namespaces() {
    let catalog = notes();
    for words in ["zzqx", "", "   "] {
        let answer = answer(&catalog, words, None);
        assert_eq!(answer.starts_with("No tool matches"), words == "zzqx", "{answer}");
        for name in ["notes", "other", "silent"] {
            assert!(answer.contains(name), "{answer}");
        }
    }
    let unknown = answer(&catalog, "note", Some("note"));
    assert!(unknown.starts_with("No namespace is called \"note\". Closest: notes"), "{unknown}");
    assert_eq!(answer(&Catalog::default(), "x", None).lines().count(), 2);
}

#[test]
fn weak_matches_are_said_to_be_weak() {
    let weak = answer(&notes(), "transfer bitcoin from a kraken wallet with a note", None);
    assert!(weak.lines().last().is_some_and(|l| l.contains("No close match")), "{weak}");
    assert!(!answer(&notes(), "write a note", None).contains("No close match"));
}

#[test]
fn only_a_denied_match_is_told() {
    let catalog = catalog(&[("notes", "purge_note", "Purge a note.")]);
    let answer = answer(&catalog, "purge", None);
    assert!(answer.ends_with("1 hidden by policy."), "{answer}");
}

#[test]
fn connections_are_named_up_to_a_limit() {
    let mut catalog = notes();
    for (count, tail) in
        [(0, "notes\n"), (CONNECTIONS_NAMED, "c7)"), (CONNECTIONS_NAMED + 2, "c7, +2)")]
    {
        let namespace = Arc::get_mut(&mut catalog.namespaces[0]).expect("not shared");
        namespace.connections = (0..count).map(|i| format!("c{i}")).collect();
        let answer = answer(&catalog, "", Some("notes"));
        assert!(answer.contains(tail), "{count}: {answer}");
        assert_eq!(answer.contains("c0*"), count > 0);
    }
}

#[test]
fn the_answer_keeps_its_budget() {
    let long = "word ".repeat(40);
    let names: Vec<String> = (0..10).map(|i| format!("note_{i}_{}", "x".repeat(1_000))).collect();
    let tools: Vec<(&str, &str, &str)> =
        names.iter().map(|n| ("notes", n.as_str(), long.as_str())).collect();
    let catalog = catalog(&tools);
    let shown = answer(&catalog, "note", None);
    assert!(Quarter.count(&shown) <= SEARCH_TOKENS);
    let listed = shown.matches("(input:").count();
    assert!(listed < 10 && listed > 0, "{listed}");
    let more = format!("{} more match;", 10 - listed);
    assert!(shown.lines().last().is_some_and(|l| l.starts_with(&more)), "{shown}");
}

#[test]
fn many_namespaces_are_cut_and_counted() {
    let names: Vec<String> = (0..2_000).map(|i| format!("source{i:04}")).collect();
    let tools: Vec<(&str, &str, &str)> =
        names.iter().map(|n| (n.as_str(), "ping", "Ping")).collect();
    let catalog = catalog(&tools);
    let answer = answer(&catalog, "", None);
    assert!(Quarter.count(&answer) <= SEARCH_TOKENS);
    let listed = answer.lines().filter(|l| l.starts_with("  source")).count();
    assert!(answer.ends_with(&format!("+{}", 2_000 - listed)), "{answer}");
}

#[test]
fn every_printed_address_reaches_its_tool() {
    let catalog = catalog(&[
        ("my-server", "list.items", "List items"),
        ("Google Sheets (prod)", "google_sheets_read", "List items"),
        ("default", "require", "List items"),
    ]);
    let answer = answer(&catalog, "list items", None);
    let printed: Vec<&str> =
        answer.lines().filter_map(|l| l.strip_prefix("  ")?.split('(').next()).collect();
    let addresses: Vec<&&str> = printed.iter().filter(|p| p.contains('.')).collect();
    assert!(addresses.len() >= 3);
    for address in addresses.iter().filter(|a| !a.starts_with(' ')) {
        assert!(catalog.tool(address).is_some(), "{address}");
    }
    assert_eq!(page(&catalog, "list items", None, 0, 10).hits.len(), 3);
}
