use super::*;
use proptest::prelude::*;

fn pairs(source: &str, raws: &[&str], kept: &[(&str, &str)]) -> Vec<(String, String)> {
    let raws: Vec<String> = raws.iter().map(|r| (*r).to_owned()).collect();
    let own = |(raw, name): &(&str, &str)| ((*raw).to_owned(), (*name).to_owned());
    tool_names(source, &raws, &kept.iter().map(own).collect::<Vec<_>>())
}

fn names(source: &str, raws: &[&str]) -> Vec<String> {
    pairs(source, raws, &[]).into_iter().map(|(_, name)| name).collect()
}

#[test]
fn one_name_at_a_time() {
    for (raw, wanted) in [
        ("create_issue", "createIssue"),
        ("create-issue", "createIssue"),
        ("list.items", "listItems"),
        ("issues/list-for-repo", "issuesListForRepo"),
        ("createIssue", "createIssue"),
        ("CreateIssue", "createIssue"),
        ("HTTPGet", "httpGet"),
        ("GET_USERS", "getUsers"),
        ("API-post-page", "apiPostPage"),
        ("list_PRs", "listPRs"),
        ("__proto__", "proto"),
        ("_ok", "ok"),
        ("2fa_enable", "_2faEnable"),
        ("3d-render", "_3dRender"),
        ("123", "_123"),
        ("查询", "查询"),
        ("größe_ändern", "größeÄndern"),
        ("$ref", "$ref"),
        ("...", "tool"),
        ("", "tool"),
        ("🚀", "tool"),
        ("a\u{200d}b", "aB"),
        ("a b\tc\nd", "aBCD"),
        ("delete", "delete_"),
        ("import", "import_"),
        ("Await", "await_"),
        ("then", "then_"),
        ("toJSON", "toJSON_"),
        ("hub", "hub_"),
        ("console", "console_"),
        ("constructor", "constructor"),
        ("fetch", "fetch"),
        ("new_issue", "newIssue"),
    ] {
        assert_eq!(names("x", &[raw]), [wanted], "{raw:?}");
    }
}

#[test]
fn long_names_are_kept_whole() {
    let stem = "a".repeat(300);
    let (create, delete) = (format!("{stem}_create"), format!("{stem}_delete"));
    assert_eq!(names("x", &[&create, &delete]), [format!("{stem}Create"), format!("{stem}Delete")]);
}

#[test]
fn namespaces_of_sources() {
    let mut taken: Vec<String> = Vec::new();
    for (name, wanted) in [
        ("github", "github"),
        ("GitHub", "gitHub"),
        ("Google Sheets (prod)", "googleSheetsProd"),
        ("my-server", "myServer"),
        ("阿里巴巴", "阿里巴巴"),
        ("...", "source"),
        ("@", "source_2"),
        ("🚀", "source_3"),
        ("-MCP", "mcp"),
        ("MCP", "mcp_2"),
        ("123MCP", "_123mcp"),
        ("import", "import_"),
        ("default", "default_"),
        ("hub", "hub_"),
        ("fetch", "fetch_"),
        ("a__b", "aB"),
        ("acme_", "acme"),
        ("acme", "acme_2"),
    ] {
        let given = namespace(name, &|n| taken.iter().any(|t| t == n));
        assert_eq!(given, wanted, "{name:?}");
        assert!(is_identifier(&given));
        taken.push(given);
    }
}

#[test]
fn the_sources_name_in_front_is_left_out_where_nothing_collides() {
    for (source, raws, wanted) in [
        ("slack", &["slack_post_message"][..], &["postMessage"][..]),
        ("github", &["github_create_issue", "create_issue"], &["githubCreateIssue", "createIssue"]),
        ("notion", &["notion-search", "notion.fetch"], &["search", "fetch"]),
        ("linear", &["linear_setIssue", "linearGetIssue"], &["setIssue", "getIssue"]),
        ("google sheets", &["google_sheets_read", "GoogleSheetsWrite"], &["read", "write"]),
        ("Google Sheets (prod)", &["google_sheets_read", "read"], &["googleSheetsRead", "read"]),
        ("git", &["github_push", "git_pull", "gitPush"], &["githubPush", "pull", "push"]),
        ("slack", &["slack", "slack_"], &["slack", "slack_2"]),
        ("a", &["a_x", "a-x"], &["aX", "aX_2"]),
        ("s3", &["s3_delete", "s3list"], &["delete_", "s3list"]),
        ("time", &["time_2fa"], &["_2fa"]),
        ("...", &["list"], &["list"]),
    ] {
        let mut wanted: Vec<&str> = wanted.to_vec();
        let mut given = names(source, raws);
        if raws == ["a_x", "a-x"] {
            // Which of two equals gets the number depends on the raw names alone.
            wanted.sort_unstable();
            given.sort_unstable();
        }
        assert_eq!(given, wanted, "{source} {raws:?}");
    }
}

#[test]
fn colliding_names_are_numbered_in_the_order_of_raw_names() {
    let raws = ["read-only", "read_only", "readOnly", "ReadOnly"];
    let mut forward = pairs("x", &raws, &[]);
    let mut backward = pairs("x", &["ReadOnly", "readOnly", "read_only", "read-only"], &[]);
    forward.sort();
    backward.sort();
    assert_eq!(forward, backward);
    let of = |raw: &str| &forward.iter().find(|(r, _)| r == raw).expect("named").1;
    // In brackets `readOnly` is a raw name, so behind the dot it must be the same tool.
    assert_eq!(of("readOnly"), "readOnly");
    assert_eq!(of("ReadOnly"), "readOnly_2");
    assert_eq!(of("read-only"), "readOnly_3");
    assert_eq!(of("read_only"), "readOnly_4");
}

#[test]
fn a_name_listed_twice_is_one_tool() {
    assert_eq!(pairs("x", &["run", "run"], &[]), [("run".to_owned(), "run".to_owned())]);
}

#[test]
fn kept_names_stay_and_stay_taken() {
    let kept = [("create-issue", "createIssue"), ("gone", "close")];
    let given = pairs("x", &["close", "create_issue", "create-issue"], &kept);
    let name = |raw: &str| given.iter().find(|(r, _)| r == raw).map(|(_, n)| n.as_str());
    assert_eq!(name("create-issue"), Some("createIssue"));
    assert_eq!(name("create_issue"), Some("createIssue_2"));
    assert_eq!(name("close"), Some("close_2"), "a tool that is gone still owns its name");
    assert_eq!(name("gone"), None);
}

#[test]
fn identifiers() {
    for yes in ["a", "_", "$", "aB_2", "查询", "größe", "_123", "import"] {
        assert!(is_identifier(yes), "{yes}");
    }
    for no in ["", "1a", "a-b", "a b", "a.b", "🚀", "Ⓐ", "\u{301}", "a\u{200b}"] {
        assert!(!is_identifier(no), "{no}");
    }
}

#[test]
fn the_closest_names() {
    let known = [
        "createIssue",
        "createPullRequest",
        "listIssues",
        "getIssue",
        "updateIssue",
        "deleteRepository",
        "searchCode",
        "sendMessage",
    ];
    for (wanted, first) in [
        ("createIsue", "createIssue"),
        ("create_issue", "createIssue"),
        ("CREATEISSUE", "createIssue"),
        ("issueCreate", "createIssue"),
        ("addIssue", "createIssue"),
        ("listTickets", "listIssues"),
        ("pullRequestCreate", "createPullRequest"),
        ("createPR", "createPullRequest"),
        ("removeRepo", "deleteRepository"),
        ("findCode", "searchCode"),
        ("sednMessage", "sendMessage"),
        ("postMessage", "sendMessage"),
    ] {
        let close = closest(wanted, known.into_iter(), 3);
        assert_eq!(close.first().map(String::as_str), Some(first), "{wanted}: {close:?}");
        assert!(close.len() <= 3);
    }
    for wanted in ["", "zzqx", "bookFlight", &"x".repeat(10_000)] {
        assert_eq!(closest(wanted, known.into_iter(), 3), Vec::<String>::new(), "{wanted:.20}");
    }
    assert_eq!(closest("ab1", ["ab3", "ab2", "ab2"].into_iter(), 5), ["ab2", "ab3"]);
}

proptest! {
    #[test]
    fn names_are_legal_distinct_and_free_of_order(
        source in "[a-z_ -]{0,6}",
        raws in prop::collection::vec("([a-c_.-]{0,4}|[A-Z_]{1,4}|\\PC{0,3})", 0..20),
    ) {
        let given = tool_names(&source, &raws, &[]);
        let mut reversed = raws.clone();
        reversed.reverse();
        let again: HashMap<String, String> =
            tool_names(&source, &reversed, &[]).into_iter().collect();
        let mut seen = HashSet::new();
        for (raw, name) in &given {
            prop_assert!(is_identifier(name), "{raw:?} → {name:?}");
            prop_assert!(seen.insert(name.clone()), "{name:?} twice");
            prop_assert_eq!(&again[raw], name);
            prop_assert!(raw == name || !raws.contains(name), "{:?} is another's raw name", name);
        }
        let distinct: HashSet<&String> = raws.iter().collect();
        prop_assert_eq!(given.len(), distinct.len());
        // Once kept, nothing changes, whatever comes or goes.
        let half: Vec<String> = raws.iter().step_by(2).cloned().chain(["z9".to_owned()]).collect();
        for (raw, name) in tool_names(&source, &half, &given) {
            if let Some((_, before)) = given.iter().find(|(r, _)| *r == raw) {
                prop_assert_eq!(&name, before);
            } else {
                prop_assert!(!seen.contains(&name));
            }
        }
    }

    #[test]
    fn a_namespace_is_legal_and_free(name in "\\PC{0,12}", busy in 0_usize..4) {
        let free = namespace(&name, &|_| false);
        prop_assert!(is_identifier(&free));
        let taken: Vec<String> = (0..busy).scan(Vec::new(), |taken: &mut Vec<String>, _| {
            let next = namespace(&name, &|n| taken.iter().any(|t| t == n));
            taken.push(next.clone());
            Some(next)
        }).collect();
        let distinct: HashSet<&String> = taken.iter().collect();
        prop_assert_eq!(distinct.len(), taken.len());
    }
}
