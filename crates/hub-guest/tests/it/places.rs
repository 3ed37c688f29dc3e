//! Where in the code a call stands that was made.

use hub_core::ports::{Place, Prepare, Sought};
use hub_guest::Reader;
use serde_json::{Value, json};

fn places(code: &str, arguments: Value) -> Vec<(u32, u32)> {
    let sought = Sought {
        namespace: "github",
        names: ["createIssue", "create_issue"],
        arguments: &arguments,
    };
    let found = Reader::new().places(code, &[sought]);
    assert_eq!(found.len(), 1);
    found[0].iter().map(|Place { line, column }| (*line, *column)).collect()
}

#[test]
fn written_out_arguments_tell_calls_apart() {
    let code = "const t = 'x';\n\
                await github.createIssue({ owner: 'a', title: t });\n\
                if (t) await github['create_issue']({ owner: \"b\", title: t, labels: ['l'] });\n\
                \u{20} await github.createIssue(made);\n\
                await github.other({ owner: 'a' }); await gitlab.createIssue({ owner: 'a' });";
    let third = (4, 9);
    for (arguments, expected) in [
        (json!({ "owner": "a", "title": "x" }), vec![(2, 7), third]),
        (json!({ "owner": "b", "title": "x", "labels": ["l"] }), vec![(3, 14), third]),
        (json!({ "owner": "b", "title": "x", "labels": ["m"] }), vec![third]),
        (json!({ "owner": "b", "title": "x" }), vec![third]),
        (json!({ "owner": "a", "title": "x", "body": "y" }), vec![third]),
        (json!({ "owner": "c" }), vec![third]),
    ] {
        assert_eq!(places(code, arguments.clone()), expected, "{arguments}");
    }
}

#[test]
fn spreads_and_calls_in_loops_and_functions_are_found() {
    let code = "const make = (more) => github.createIssue({ owner: 'a', ...more });\n\
                for (const n of [1, 2]) await make({ title: `${n}` });";
    assert_eq!(places(code, json!({ "owner": "z", "title": "1" })), [(1, 24)]);
    assert_eq!(places("await github.createIssue()", json!({})), [(1, 7)]);
    assert!(places("await github.createIssue({ title: 'a' })", json!({})).is_empty());
    assert_eq!(places("await github.createIssue({ n: 1.0 })", json!({ "n": 1 })), [(1, 7)]);
}

#[test]
fn what_hides_is_not_found() {
    for code in [
        "const f = github.createIssue; await f({ owner: 'a' });",
        "await github['create' + 'Issue']({ owner: 'a' });",
        "const github = other; await github.createIssue({ owner: 'a' });",
        "this is no code",
    ] {
        assert!(places(code, json!({ "owner": "a" })).is_empty(), "{code}");
    }
}

#[test]
fn lines_are_those_of_the_code_as_sent() {
    let fenced =
        "Here it is:\n\n```js\nconst a = 1;\nawait github.createIssue({ owner: 'a' });\n```";
    assert_eq!(places(fenced, json!({ "owner": "a" })), [(5, 7)]);
    let typed = "const é: string = 'é'; await github.createIssue({ owner: 'a' } as Issue);";
    assert_eq!(places(typed, json!({ "owner": "a" })), [(1, 30)]);
}
