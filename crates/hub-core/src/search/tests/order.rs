//! Which of several matches comes first.

use super::fixtures::{catalog, found, page, raws};
use crate::policy::Verdict;
use crate::search::{Query, search};

#[test]
fn equals_stand_in_the_order_of_names() {
    let tools = [
        ("b", "ping", "Check a host"),
        ("a", "zping", "Check a host"),
        ("a", "aping", "Check a host"),
        ("c", "ping", "Check a host"),
    ];
    let catalog = catalog(&tools);
    let hits = raws(&catalog, &found(&catalog, "host"));
    assert_eq!(hits, ["a/aping", "a/zping", "b/ping", "c/ping"]);
}

#[test]
fn nothing_is_deleted_unasked() {
    let tools = [
        ("chat", "delete_message", "Delete a message of a channel"),
        ("chat", "get_channel_history", "Messages of a channel, newest first"),
        ("db", "drop_table", "Drop a table"),
        ("db", "read_table", "Read a table"),
    ];
    let catalog = catalog(&tools);
    for (query, wanted) in [
        ("recent messages", "chat/get_channel_history"),
        ("messages of a channel", "chat/get_channel_history"),
        ("table", "db/read_table"),
        ("remove a message", "chat/delete_message"),
        ("delete messages", "chat/delete_message"),
        ("erase table", "db/drop_table"),
    ] {
        assert_eq!(raws(&catalog, &found(&catalog, query))[0], wanted, "{query}");
    }
}

#[test]
fn words_of_one_meaning_find_each_other() {
    let tools = [
        ("gh", "create_issue", "Create an issue"),
        ("gh", "list_repositories", "List repositories"),
        ("gh", "update_issue", "Update an issue"),
        ("fs", "list_directory", "List a directory"),
        ("fs", "delete_file", "Delete a file"),
    ];
    let catalog = catalog(&tools);
    for (query, wanted) in [
        ("add a ticket", "gh/create_issue"),
        ("make new ticket", "gh/create_issue"),
        ("show repos", "gh/list_repositories"),
        ("edit a ticket", "gh/update_issue"),
        ("view folder", "fs/list_directory"),
        ("remove document", "fs/delete_file"),
    ] {
        assert_eq!(raws(&catalog, &found(&catalog, query))[0], wanted, "{query}");
    }
}

#[test]
fn the_own_word_beats_its_synonyms() {
    let tools = [
        ("a", "remove_item", "Remove an item"),
        ("a", "delete_item", "Delete an item"),
        ("b", "add_row", "Add a row"),
        ("b", "create_row", "Create a row"),
    ];
    let catalog = catalog(&tools);
    for (query, wanted) in [
        ("remove an item", "a/remove_item"),
        ("delete an item", "a/delete_item"),
        ("add a row", "b/add_row"),
        ("create a row", "b/create_row"),
    ] {
        assert_eq!(raws(&catalog, &found(&catalog, query))[0], wanted, "{query}");
    }
}

#[test]
fn the_namespace_named_in_a_query_counts() {
    let tools = [("jira", "create_issue", "Create"), ("linear", "create_issue", "Create")];
    let catalog = catalog(&tools);
    assert_eq!(raws(&catalog, &found(&catalog, "create a Linear issue"))[0], "linear/create_issue");
    assert_eq!(raws(&catalog, &found(&catalog, "new jira issue"))[0], "jira/create_issue");
}

#[test]
fn denied_tools_are_counted_and_asking_ones_marked() {
    let tools = [
        ("a", "read_note", "Read a note"),
        ("a", "write_note", "Write a note"),
        ("a", "purge_note", "Purge a note"),
        ("a", "share_note", "Share a note"),
    ];
    let catalog = catalog(&tools);
    let query = Query { text: "note", namespace: None, limit: 2, offset: 0 };
    let found = search(&catalog, &query, &|_, tool| match &*tool.raw {
        "purge_note" => Verdict::Deny,
        "write_note" => Verdict::Ask,
        "share_note" => Verdict::Confirm,
        _ => Verdict::Allow,
    });
    assert_eq!((found.hits.len(), found.more, found.hidden), (2, 1, 1));
    for hit in &found.hits {
        let raw = &*catalog.namespaces[hit.namespace].tools[hit.tool].raw;
        assert_eq!(hit.asks, raw != "read_note", "{raw}");
    }
}

#[test]
fn an_empty_query_lists_a_namespace_by_name() {
    let tools = [("a", "zoo", ""), ("a", "ape", ""), ("b", "cat", ""), ("a", "dog", "")];
    let catalog = catalog(&tools);
    for text in ["", "   ", "\n", "*", "all of them"] {
        let found = page(&catalog, text, Some("a"), 0, 2);
        assert_eq!(raws(&catalog, &found), ["a/ape", "a/dog"]);
        assert_eq!(found.more, 1);
        let rest = page(&catalog, text, Some("a"), 2, 2);
        assert_eq!((raws(&catalog, &rest), rest.more), (vec!["a/zoo".to_owned()], 0));
        assert!(page(&catalog, text, None, 0, 10).hits.is_empty());
        assert!(page(&catalog, text, Some("  "), 0, 10).hits.is_empty());
    }
    let unknown = page(&catalog, "", Some("nowhere"), 0, 10);
    assert!(unknown.unknown_namespace && unknown.hits.is_empty());
}

#[test]
fn a_namespace_is_known_by_its_letters_where_only_one_has_them() {
    let catalog = catalog(&[("git hub", "a", ""), ("MyServer", "b", ""), ("myserver", "c", "")]);
    for (asked, known) in [
        ("gitHub", true),
        ("github", true),
        ("git-hub", true),
        ("myServer", true),
        ("myserver", true),
        ("my server", false),
        ("...", false),
        ("git", false),
    ] {
        let found = page(&catalog, "", Some(asked), 0, 10);
        assert_eq!(!found.unknown_namespace, known, "{asked}");
        assert_eq!(found.hits.len(), usize::from(known), "{asked}");
    }
}

#[test]
fn far_words_stand_in_only_for_what_the_catalogue_lacks() {
    let tools = [
        ("mail", "send_email", "Send an email"),
        ("scan", "find_virus", "Look for malware"),
        ("db", "run_query", "Run a query against a database"),
    ];
    let lacking = catalog(&tools);
    assert_eq!(raws(&lacking, &found(&lacking, "sql"))[0], "db/run_query");
    let known = catalog(&[&tools[..], &[("pg", "sql", "Takes text")]].concat());
    assert_eq!(raws(&known, &found(&known, "sql")), ["pg/sql"]);
}
