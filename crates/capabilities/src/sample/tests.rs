//! The tracker as its clients see it.

use super::{Tracker, tools};
use serde_json::{Value, json};

fn call(tracker: &mut Tracker, tool: &str, arguments: Value) -> Result<Value, String> {
    tracker.call(tool, &arguments).expect("the tool exists")
}

#[test]
fn an_issue_is_created_found_commented_and_deleted() {
    let mut tracker = Tracker::open(None).unwrap();
    let made = call(&mut tracker, "create_issue", json!({ "title": "Login loops" })).unwrap();
    assert_eq!(made["number"], 4);
    let found = call(&mut tracker, "search_issues", json!({ "query": "LOGIN loops" })).unwrap();
    assert_eq!(found["issues"][0], made);
    let comment = json!({ "number": 4, "text": "seen too" });
    let commented = call(&mut tracker, "comment_on_issue", comment).unwrap();
    assert_eq!(commented["comments"], json!(["seen too"]));
    let deleted = call(&mut tracker, "delete_issue", json!({ "number": 4 })).unwrap();
    assert_eq!(deleted, json!({ "deleted": 4, "left": 3 }));
    let again = call(&mut tracker, "delete_issue", json!({ "number": 4 }));
    assert_eq!(again, Err("there is no issue 4".into()));
}

#[test]
fn issues_outlive_the_process_and_numbers_are_never_reused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("issues.json");
    let mut tracker = Tracker::open(Some(file.clone())).unwrap();
    call(&mut tracker, "create_issue", json!({ "title": "one" })).unwrap();
    call(&mut tracker, "delete_issue", json!({ "number": 4 })).unwrap();
    drop(tracker);
    let mut tracker = Tracker::open(Some(file)).unwrap();
    let made = call(&mut tracker, "create_issue", json!({ "title": "two" })).unwrap();
    assert_eq!(made["number"], 5);
}

#[test]
fn every_tool_offered_is_there_and_says_whether_it_changes_anything() {
    let mut tracker = Tracker::open(None).unwrap();
    let before = call(&mut tracker, "list_issues", json!({})).unwrap();
    for tool in tools::definitions() {
        let name = tool["name"].as_str().unwrap();
        let arguments = json!({ "title": "t", "query": "", "number": 1, "text": "x" });
        assert!(tracker.call(name, &arguments).is_some(), "{name}");
        let after = call(&mut tracker, "list_issues", json!({})).unwrap();
        let changed = after != before || !name.starts_with(['s', 'l']);
        assert_eq!(tool["annotations"]["readOnlyHint"], json!(!changed), "{name}");
        tracker = Tracker::open(None).unwrap();
    }
}

#[test]
fn arguments_that_do_not_fit_are_told_in_words() {
    let mut tracker = Tracker::open(None).unwrap();
    let answer = call(&mut tracker, "delete_issue", json!({ "number": "one" }));
    assert!(answer.unwrap_err().starts_with("the arguments do not fit"));
    assert!(tracker.call("drop_table", &json!({})).is_none());
}
