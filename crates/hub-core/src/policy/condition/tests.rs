use super::Holds::{No, Unclear, Yes};
use super::*;
use proptest::prelude::*;
use serde_json::json;
use std::path::{Component, Path, PathBuf};

fn test(test: ArgumentTest, value: Value) -> Holds {
    let condition = ArgumentCondition { pointer: "/v".to_owned(), test };
    holds(&condition, &json!({ "v": value }))
}

#[test]
fn paths() {
    let table = [
        ("/srv/docs", "/srv/docs", Yes),
        ("/srv/docs", "/srv/docs/", Yes),
        ("/srv/docs/", "/srv//docs/./a b", Yes),
        ("/srv/docs", "/srv/docs2", No),
        ("/srv/docs", "/srv", No),
        ("/srv/docs", "/etc/srv/docs", No),
        ("/", "/etc", Yes),
        ("/srv/docs", "/srv/docs/../x", Unclear),
        ("/srv/docs", "/srv/docs/..", Unclear),
        ("/srv/docs", "/srv/docs/..a", Yes),
        ("/srv/docs", "/srv/docs/...", Yes),
        ("/srv/docs", "/srv/docs/%2E%2e/x", Unclear),
        ("/srv/docs", "/srv/docs/..%2fx", Unclear),
        ("/srv/docs", "/srv/docs/a\\..\\..\\x", Unclear),
        ("/srv/docs", "/srv/docs/\0", Unclear),
        ("/srv/docs", "/srv/docs/$(id)", Unclear),
        ("/srv/docs", "//srv/docs/a", Unclear),
        ("/srv/docs", " /srv/docs/a", Unclear),
        ("/srv/docs", "srv/docs/a", Unclear),
        ("/srv/docs", "file:///srv/docs/a", Unclear),
        ("/srv/docs", "", Unclear),
        ("docs", "docs/a", Yes),
        ("docs", "./docs/a", Yes),
        ("docs", "other", No),
        ("docs", "/docs/a", Unclear),
        (".", "~/x", Unclear),
        (".", "a", Yes),
        (".", "C:/x", Unclear),
    ];
    for (root, path, expected) in table {
        assert_eq!(test(ArgumentTest::PathUnder(root.into()), json!(path)), expected, "{path:?}");
    }
    let root = ArgumentTest::PathUnder("/srv".into());
    assert_eq!(test(root.clone(), json!(["/srv/a"])), Unclear);
    assert_eq!(test(root, Value::Null), No);
}

#[test]
fn urls() {
    let table = [
        ("api.example", "https://api.example/x?y#z", Yes),
        ("api.example", "https://API.Example.:8443", Yes),
        ("API.example.", "https://api.example", Yes),
        ("api.example", "ftp://api.example/", Yes),
        ("api.example", "https://api.example.evil.test/", No),
        ("api.example", "https://evil.test/api.example", No),
        ("api.example", "https://evil.test?@api.example", No),
        ("api.example", "https://evil.test#@api.example", No),
        ("api.example", "https://xapi.example/", No),
        ("api.example", "https://api.example@evil.test/", Unclear),
        ("api.example", "https://evil.test\\@api.example/", Unclear),
        ("api.example", "https:\\\\api.example/", Unclear),
        ("api.example", "//api.example/", Unclear),
        ("api.example", "api.example", Unclear),
        ("api.example", "https:/api.example/", Unclear),
        ("api.example", " https://api.example/", Unclear),
        ("api.example", "https://api.exam\tple/", Unclear),
        ("api.example", "https://api%2eexample/", Unclear),
        ("api.example", "https://\u{ff41}pi.example/", Unclear),
        ("api.example", "https://api\u{3002}example/", Unclear),
        ("api.example", "https://api.example:99999/", Unclear),
        ("api.example", "https://api.example:x/", Unclear),
        ("api.example:443", "https://api.example/", Yes),
        ("api.example:443", "https://api.example:444/", No),
        ("api.example:444", "https://api.example:444/", Yes),
        ("127.0.0.1", "http://127.0.0.1:80/", Yes),
        ("127.0.0.1", "http://2130706433/", Unclear),
        ("127.0.0.1", "http://0x7f.1/", Unclear),
        ("127.0.0.1", "http://127.1/", Unclear),
        ("[::1]", "http://[0:0::1]:9/", Yes),
        ("[::1]", "http://[::2]/", No),
        ("[::1]", "http://[::1/", Unclear),
    ];
    for (host, url, expected) in table {
        assert_eq!(test(ArgumentTest::UrlHost(host.into()), json!(url)), expected, "{url:?}");
    }
}

#[test]
fn values_and_ranges() {
    let range = |min, max| ArgumentTest::Range { min, max };
    let table = [
        (ArgumentTest::Equals(json!(1)), json!(1.0), Yes),
        (ArgumentTest::Equals(json!(1)), json!("1"), No),
        (ArgumentTest::Equals(json!({"a": 1, "b": 2})), json!({"b": 2, "a": 1}), Yes),
        (ArgumentTest::Equals(json!([1, 2])), json!([2, 1]), No),
        (ArgumentTest::Equals(Value::Null), Value::Null, Yes),
        (ArgumentTest::OneOf(vec![json!("a"), json!("b")]), json!("b"), Yes),
        (ArgumentTest::OneOf(vec![json!("a"), json!("b")]), json!("c"), No),
        (range(Some(1.0), Some(2.0)), json!(1), Yes),
        (range(Some(1.0), Some(2.0)), json!(2), Yes),
        (range(Some(1.0), Some(2.0)), json!(2.000001), No),
        (range(Some(1.0), None), json!(0.999), No),
        (range(None, Some(2.0)), json!(-1e300), Yes),
        (range(None, Some(2.0)), json!("1"), Unclear),
        (range(None, Some(2.0)), Value::Null, No),
    ];
    for (condition, value, expected) in table {
        assert_eq!(test(condition.clone(), value.clone()), expected, "{condition:?} {value}");
    }
}

#[test]
fn pointers_reach_in_and_absent_values_never_match() {
    let at = |pointer: &str, arguments: Value| {
        let test = ArgumentTest::Equals(json!(1));
        holds(&ArgumentCondition { pointer: pointer.to_owned(), test }, &arguments)
    };
    assert_eq!(at("/a/0/b~1c", json!({ "a": [{ "b/c": 1 }] })), Yes);
    assert_eq!(at("", json!(1)), Yes);
    for absent in ["/b", "/a/1", "/a/-", "/a/00", "/a/b"] {
        assert_eq!(at(absent, json!({ "a": [1] })), No, "{absent}");
    }
    assert_eq!(at("/__proto__", json!({ "a": 1 })), No);
}

/// Pieces that attacks on parsers are made of.
fn odd_text(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(pieces).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..9).prop_map(|pieces| pieces.concat())
}

const URL_PIECES: &[&str] = &[
    "https://",
    "http:",
    "//",
    "/",
    "\\",
    "@",
    ":",
    "?",
    "#",
    "api.example",
    "API.example.",
    "evil.test",
    "api",
    ".",
    "example",
    "%2e",
    "%40",
    "[",
    "]",
    "::1",
    "127.0.0.1",
    "0x7f.1",
    "443",
    "80",
    "\t",
    "\n",
    " ",
    "\u{3002}",
    "\u{ff0e}",
    "\u{ad}",
    "xn--",
    "ftp://",
    "file://",
    "javascript:",
];

const PATH_PIECES: &[&str] = &[
    "/",
    "srv",
    "docs",
    "..",
    ".",
    "...",
    "a b",
    "\\",
    "%2e",
    "~",
    "/srv/docs",
    "//",
    "C:",
    "\0",
    "\n",
];

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 20_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Whatever we are sure of, a browser's parser sees as well.
    #[test]
    fn hosts_are_those_of_another_parser(text in odd_text(URL_PIECES)) {
        for wanted in ["api.example", "127.0.0.1", "[::1]"] {
            let found = test(ArgumentTest::UrlHost(wanted.into()), json!(text));
            let parsed = url::Url::parse(&text).ok();
            let host = parsed.as_ref().and_then(url::Url::host_str);
            let same = host.map(|h| h.trim_end_matches('.').eq_ignore_ascii_case(wanted));
            match found {
                Yes => prop_assert_eq!(same, Some(true), "{:?}", text),
                No => prop_assert_ne!(same, Some(true), "{:?}", text),
                Unclear => {}
            }
        }
    }

    /// Whatever we are sure of lies below the root when every piece is walked.
    #[test]
    fn paths_stay_below_their_root(text in odd_text(PATH_PIECES)) {
        for root in ["/srv/docs", "docs", "/"] {
            let found = test(ArgumentTest::PathUnder(root.into()), json!(text));
            let pieces = || Path::new(&text).components().filter(|c| *c != Component::CurDir);
            let climbs = pieces().any(|c| c == Component::ParentDir);
            let below = !climbs && pieces().collect::<PathBuf>().starts_with(root);
            match found {
                Yes => prop_assert!(below, "{:?}", text),
                No => prop_assert!(!below, "{:?}", text),
                Unclear => {}
            }
        }
    }
}
