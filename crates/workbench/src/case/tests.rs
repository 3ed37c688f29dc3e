//! What cases say in words is read as meant.

use super::loose::{answer, json5, on_this_surface};
use super::server::Answer;
use serde_json::json;

#[test]
fn stubs_in_words() {
    assert!(matches!(answer("returns its argument"), Answer::Echo));
    let Answer::Result(list) = answer("returns {items:[{id:1},{id:2}]}") else { panic!() };
    assert_eq!(list["structuredContent"], json!({ "items": [{ "id": 1 }, { "id": 2 }] }));
    let Answer::Result(error) = answer("isError 'no such repo'") else { panic!() };
    assert_eq!(
        (&error["isError"], &error["content"][0]["text"]),
        (&json!(true), &json!("no such repo"))
    );
    let Answer::Count(fields) = answer("counts calls, returns {id}") else { panic!() };
    assert_eq!(fields, ["id"]);
}

#[test]
fn object_literals_become_json() {
    assert_eq!(
        json5("{a: 'x', b: [1, 2.5, true]}"),
        Some(json!({ "a": "x", "b": [1, 2.5, true] }))
    );
    assert_eq!(json5("{id}"), None);
}

#[test]
fn code_of_the_other_surface_is_moved_to_this_one() {
    let (code, calls) = on_this_surface("await tools.demo.echo({}); tools.search({}); demo.list()");
    assert_eq!(code, "await demo.echo({}); hub.search({}); demo.list()");
    let names: Vec<_> = calls.iter().map(|(_, tool)| tool.as_str()).collect();
    assert_eq!(names, ["echo", "list"]);
}
