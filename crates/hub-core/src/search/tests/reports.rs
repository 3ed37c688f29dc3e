//! Kinds of trouble that users of other hubs reported, each as a table.

use super::fixtures::{catalog, catalog_of, found, page, raws};

fn first(tools: &[(&str, &str, &str)], query: &str) -> String {
    let catalog = catalog(tools);
    let hits = raws(&catalog, &found(&catalog, query));
    hits.into_iter().next().unwrap_or_else(|| panic!("{query:?} finds nothing"))
}

#[test]
fn forms_of_a_word_find_each_other() {
    let tools = [
        ("cal", "cron_add", "Schedule a recurring task"),
        ("sheets", "spreadsheet_open", "Open a sheet"),
        ("fs", "read_file", "Read a file"),
        ("git", "list_repos", "List repository names"),
        ("shop", "cancel_order", "Cancels an order"),
        ("img", "resize", "Resizing of pictures"),
        ("ppl", "list_people", "Everyone, with their addresses"),
    ];
    for (query, wanted) in [
        ("scheduling", "cal/cron_add"),
        ("scheduled tasks", "cal/cron_add"),
        ("read", "fs/read_file"),
        ("reading files", "fs/read_file"),
        ("repositories", "git/list_repos"),
        ("cancelling orders", "shop/cancel_order"),
        ("resized picture", "img/resize"),
        ("address", "ppl/list_people"),
    ] {
        assert_eq!(first(&tools, query), wanted, "{query}");
    }
}

#[test]
fn a_word_inside_another_is_no_match() {
    let tools = [
        ("a", "spreadsheet_open", "Open a sheet"),
        ("a", "theme_manage", "Manage the theme of a portal"),
        ("a", "classify", "Put into a class"),
    ];
    let catalog = catalog(&tools);
    for query in ["read", "the", "ass", "port", "hem"] {
        assert_eq!(raws(&catalog, &found(&catalog, query)), Vec::<String>::new(), "{query}");
    }
}

#[test]
fn common_words_decide_nothing() {
    let tools = [
        ("sn", "sp_theme_manage", "Manage the theme for a portal; theming"),
        ("sn", "incident_resolve", "Close an incident with resolution notes"),
        ("cs", "search_host_groups", "Find host groups"),
        ("cs", "delete_policy", "Delete; returns an empty list on success"),
    ];
    let long = "close the incident and fill in the resolution notes";
    assert_eq!(first(&tools, long), "sn/incident_resolve");
    assert_eq!(first(&tools, "list host groups"), "cs/search_host_groups");
}

#[test]
fn pasted_names_come_first() {
    let noise: Vec<String> = (0..300).map(|i| format!("get_entity_history_{i}")).collect();
    let text = "Get entity history for graph search path code snippet script bedtime";
    let mut tools: Vec<(&str, &str, &str)> =
        noise.iter().map(|name| ("rest", name.as_str(), text)).collect();
    for (source, name) in [
        ("cbm", "search_graph"),
        ("cbm", "trace_path"),
        ("cbm", "get_code_snippet"),
        ("other", "trace_path"),
        ("ha", "script_bedtime"),
        ("ha", "issues/list-for-repo"),
        ("ha", "readCoreV1Pod"),
    ] {
        tools.push((source, name, ""));
    }
    let catalog = catalog(&tools);
    for (query, wanted) in [
        ("search_graph", &["cbm/search_graph"][..]),
        ("script_bedtime", &["ha/script_bedtime"]),
        ("cbm.trace_path", &["cbm/trace_path"]),
        ("cbm.tracePath", &["cbm/trace_path"]),
        ("cbm[\"trace_path\"]", &["cbm/trace_path"]),
        ("please use `trace_path` now", &["cbm/trace_path", "other/trace_path"]),
        ("tracePath", &["cbm/trace_path", "other/trace_path"]),
        ("trace path", &["cbm/trace_path", "other/trace_path"]),
        ("issues/list-for-repo", &["ha/issues/list-for-repo"]),
        ("ha.issuesListForRepo", &["ha/issues/list-for-repo"]),
        ("READCOREV1POD", &["ha/readCoreV1Pod"]),
        (
            "search_graph, trace_path and get_code_snippet",
            &["cbm/get_code_snippet", "cbm/search_graph", "cbm/trace_path", "other/trace_path"],
        ),
    ] {
        let mut hits = raws(&catalog, &found(&catalog, query));
        hits.truncate(wanted.len());
        hits.sort();
        assert_eq!(hits, wanted, "{query}");
    }
}

#[test]
fn nonsense_finds_nothing() {
    let tools = [
        ("ops", "create_incident", "Create an incident and email the team"),
        ("ops", "remove_team_member", "Remove a member"),
        ("ops", "on_call_events", "On-call calendar events"),
    ];
    let catalog = catalog(&tools);
    let long = "x".repeat(5_000);
    for query in ["zzqx", "a", "(*&^", "\u{0}", "🚀", "the of and", &long, "qwrtp zxcvb"] {
        let found = found(&catalog, query);
        assert!(found.hits.is_empty() && found.more == 0, "{query:?} finds {found:?}");
    }
}

#[test]
fn what_only_touches_a_query_is_marked_weak() {
    let tools = [
        ("ops", "create_incident", "Create an incident and email the team"),
        ("ops", "remove_team_member", "Remove a member"),
        ("mail", "send", "Send a message"),
    ];
    let catalog = catalog(&tools);
    for (query, weak) in [
        ("transfer bitcoin from kraken incident wallet", true),
        ("create an incident", false),
        ("send a message", false),
        ("ops.create_incident while juggling quantum bananas", false),
    ] {
        assert_eq!(found(&catalog, query).weak, weak, "{query}");
    }
}

#[test]
fn names_are_split_and_weigh_more_than_text() {
    let tools = [
        ("canvas", "canvas_create_edge", "Add a connection"),
        ("canvas", "canvas_move", "Create space by moving; edge padding create edge margins"),
    ];
    assert_eq!(first(&tools, "create edge"), "canvas/canvas_create_edge");
}

#[test]
fn a_tool_that_does_everything_does_not_win() {
    let everything = "Run any Python code to read files, spawn actors, make HTTP requests, \
        transform data, create assets, delete assets, list levels, do anything";
    let tools = [("ue", "execute_python", everything), ("ue", "asset_delete", "Delete an asset")];
    assert_eq!(first(&tools, "delete an asset"), "ue/asset_delete");
}

#[test]
fn odd_queries_still_find() {
    let tools = [
        ("posthog", "dashboard-create", "Create a dashboard"),
        ("posthog", "dashboard-delete", "Delete a dashboard"),
        ("posthog", "cohort-list", "List cohorts"),
        ("mail", "send", "Send a message"),
    ];
    assert_eq!(first(&tools, "dashboard'; DROP TABLE"), "posthog/dashboard-delete");
    assert_eq!(first(&tools, "\"cohorts\"\n\n???"), "posthog/cohort-list");
    assert_eq!(first(&tools, &format!("send {}", "message ".repeat(2_000))), "mail/send");
}

#[test]
fn pages_are_disjoint_and_stay_in_a_namespace() {
    let tools = [
        ("posthog", "dashboard-create", "Create a dashboard"),
        ("posthog", "insight-create", "Create an insight"),
        ("posthog", "dashboard-delete", "Delete a dashboard"),
        ("posthog", "cohort-list", "List cohorts"),
        ("mail", "send", "Send a message"),
        ("mail", "dashboard_mail", "Mail a dashboard"),
    ];
    let catalog = catalog(&tools);
    let pages: Vec<String> =
        (0..4).flat_map(|at| raws(&catalog, &page(&catalog, "dashboard", None, at, 1))).collect();
    assert_eq!(pages, raws(&catalog, &found(&catalog, "dashboard")));
    assert_eq!(pages.len(), 3);
    let only = page(&catalog, "dashboard", Some("mail"), 0, 10);
    assert_eq!(raws(&catalog, &only), ["mail/dashboard_mail"]);
}

#[test]
fn words_of_parameters_count() {
    let catalog = catalog_of(&[
        ("gh", "issues.update", "Modify a record", &["state=open|closed", "labels"]),
        ("gh", "pulls.merge", "Combine", &["how=squash|rebase|fast_forward"]),
        ("gh", "pulls.list", "Several", &["assignee"]),
    ]);
    for (query, wanted) in [
        ("close issue labels", "gh/issues.update"),
        ("by assignee", "gh/pulls.list"),
        ("squashed", "gh/pulls.merge"),
        ("fast forward", "gh/pulls.merge"),
        ("closed", "gh/issues.update"),
    ] {
        assert_eq!(raws(&catalog, &found(&catalog, query))[0], wanted, "{query}");
    }
}
