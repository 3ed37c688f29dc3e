//! Answers that must be cut: what stays, what is named, and that all of it can be had.

use super::*;
use std::collections::BTreeSet;

/// An object with `width` properties, each of them such an object, `depth` levels down.
fn bush(width: usize, depth: usize) -> Value {
    if depth == 0 {
        return json!({ "type": "string", "description": "A leaf of the bush, said at length." });
    }
    let properties: serde_json::Map<String, Value> =
        (0..width).map(|at| (format!("branch{at}"), bush(width, depth - 1))).collect();
    json!({ "type": "object", "properties": properties, "description": "A branch." })
}

/// Every name that an answer leaves out can be described within the budget; returns them all.
pub fn followed(tools: Vec<ToolDef>, budget: usize) -> (String, BTreeSet<String>) {
    let first = declared(tools.clone(), &[], budget);
    let mut text = first.text;
    assert!(Quarter.count(&text) <= budget, "{text}");
    let mut seen = BTreeSet::new();
    let mut queue = first.omitted;
    while let Some(name) = queue.pop() {
        let name = name.strip_prefix("demo.").unwrap().to_owned();
        if tools.iter().any(|tool| tool.name == name) || !seen.insert(name.clone()) {
            continue;
        }
        assert!(seen.len() < 2_000, "the names never end");
        let part = declared(tools.clone(), &[&name], budget);
        assert_eq!(part.missing, Vec::<String>::new());
        assert!(Quarter.count(&part.text) <= budget, "{}", part.text);
        assert!(part.text.contains(&format!("interface {name} ")), "{name} in {}", part.text);
        text.push_str(&part.text);
        queue.extend(part.omitted);
    }
    (text, seen)
}

/// Every `demo.X` and every bare name of a type that stands in `text` is declared in it.
fn assert_closed(text: &str) {
    let declared: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("interface "))
        .filter_map(|rest| rest.split([' ', '{']).next())
        .collect();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        for piece in line.split("demo.").skip(1) {
            let name = piece.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').next();
            assert!(declared.contains(name.unwrap()), "{name:?} is not declared");
        }
    }
}

#[test]
fn deep_types_become_names_that_can_be_described() {
    let (text, names) = followed(vec![tool("grow", bush(6, 4), Some(bush(6, 4)))], 2_500);
    assert!(names.len() > 1, "something is left out of {text}");
    assert_closed(&text);
}

#[test]
fn one_level_with_very_many_properties_is_cut_in_parts() {
    let (text, names) = followed(vec![tool("wide", bush(900, 1), None)], 800);
    assert!(names.iter().any(|name| name.contains("_more")), "{names:?}");
    for at in [0, 450, 899] {
        assert!(text.contains(&format!("branch{at}?: string")), "{at}");
    }
    assert_closed(&text);
}

#[test]
fn very_long_enumerations_are_widened() {
    for (count, expected) in [(1_000, "v?: string /* one of 1000 */;"), (5_000, "v?: string;")] {
        let values: Vec<String> = (0..count).map(|at| format!("value number {at}")).collect();
        let input = json!({ "type": "object", "properties": {
            "v": { "enum": values, "description": "A value." } } });
        let (text, _) = followed(vec![tool("pick", input, None)], 500);
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_namespace_too_large_names_the_tools_left_out() {
    let tools: Vec<ToolDef> =
        (0..400).map(|at| tool(&format!("tool{at}"), bush(4, 1), None)).collect();
    let found = declared(tools, &[], 2_500);
    assert!(Quarter.count(&found.text) <= 2_500);
    assert!(found.text.contains("tool0("), "{}", found.text);
    assert!(found.omitted.iter().any(|name| name == "demo.tool399"));
    assert!(found.text.contains("more\n"), "the rest is counted: {}", found.text);
    let closing = found.text.lines().last().unwrap();
    assert!(Quarter.count(closing) <= 2_500 * 15 / 100, "{closing}");
}

#[test]
fn shared_types_are_declared_once() {
    let shared = json!({
        "type": "object",
        "properties": { "a": { "$ref": "#/$defs/User" }, "b": { "$ref": "#/$defs/User" } },
        "$defs": { "User": bush(6, 1) },
    });
    let tools = vec![tool("one", shared.clone(), None), tool("two", shared, None)];
    let text = declared(tools, &[], 2_500).text;
    assert_eq!(text.matches("interface User {").count(), 1, "{text}");
    assert_eq!(text.matches("demo.User").count(), 4, "{text}");
}

#[test]
fn types_of_one_name_and_two_meanings_are_kept_apart() {
    let with = |user: Value| {
        json!({
            "type": "object",
            "properties": { "a": { "$ref": "#/$defs/User" }, "b": { "$ref": "#/$defs/User" } },
            "$defs": { "User": user },
        })
    };
    let tools = vec![tool("one", with(bush(6, 1)), None), tool("two", with(bush(7, 1)), None)];
    let text = declared(tools.clone(), &[], 2_500).text;
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("interface User"))
        .filter_map(|rest| rest.strip_suffix(" {"))
        .collect();
    assert_eq!(names.len(), 2, "{text}");
    assert_closed(&text);
    let second = format!("User{}", names.iter().find(|name| !name.is_empty()).unwrap());
    let alone = declared(tools, &[&second], 2_500);
    assert!(alone.text.contains("branch6"), "{}", alone.text);
}

#[test]
fn unknown_types_are_missing_and_the_rest_is_answered() {
    let output = json!({ "title": "Issue", "type": "object", "properties": { "id": {} } });
    let tools = vec![tool("get", json!({}), Some(output))];
    let found = declared(tools, &["Issue", "Nothing"], 2_500);
    assert_eq!(found.missing, ["demo.Nothing"]);
    assert_eq!(
        found.text,
        "declare namespace demo {\n\tinterface Issue {\n\t\tid?: unknown;\n\t}\n}\n"
    );
}

#[test]
fn a_budget_of_nothing_still_answers() {
    for budget in [0, 1, 10, 50] {
        let found = declared(vec![tool("grow", bush(3, 2), None)], &[], budget);
        assert_eq!(found.omitted, ["demo.grow"], "{budget}");
    }
}
