//! Names of types over a whole namespace: answers given apart agree.

use super::*;
use crate::hash::hashes;
use crate::settle::{free, renamed};
use crate::tool::ToolTypes;
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

/// A tool that returns a `User` with these fields.
fn returns_user(name: &str, fields: &[&str]) -> ToolDef {
    let properties: serde_json::Map<String, Value> =
        fields.iter().map(|field| ((*field).to_owned(), json!({ "type": "string" }))).collect();
    let output = json!({ "title": "User", "type": "object", "properties": properties });
    tool(name, json!({ "type": "object" }), Some(output))
}

/// Describes one tool of a namespace, or one type.
fn apart(tools: &[ToolDef], tool: Option<usize>, types: &[&str]) -> Declared {
    let names = Schemas::new().type_names(&tools.iter().collect::<Vec<_>>());
    let all: Vec<_> = tools.iter().map(|t| (t.name.clone(), Arc::new(t.clone()))).collect();
    let block = DeclareBlock {
        namespace: "demo",
        connections: &[],
        names: &names,
        tools: tool.map(|at| all[at].clone()).into_iter().collect(),
        types: types.iter().map(|name| (*name).to_owned()).collect(),
        all,
    };
    let request = DeclareRequest { blocks: vec![block], token_budget: 2_500, tokens: &Quarter };
    Schemas::new().declare(&request)
}

/// What the declared tool returns: `User` of `Promise<demo.User>`.
fn result(declared: &Declared) -> String {
    let rest = declared.text.split_once("Promise<demo.").unwrap().1;
    rest.split_once('>').unwrap().0.to_owned()
}

#[test]
fn tools_described_apart_do_not_give_one_name_to_two_types() {
    let tools = [returns_user("get", &["id"]), returns_user("find", &["email"])];
    let get = apart(&tools, Some(0), &[]);
    let find = apart(&tools, Some(1), &[]);
    assert_eq!(result(&find), "User", "the first by raw name keeps it");
    assert_ne!(result(&get), "User");
    for (name, field, other) in [("User", "email", "id"), (&*result(&get), "id", "email")] {
        let text = apart(&tools, None, &[name]).text;
        assert!(text.contains(&format!("interface {name} {{\n\t\t{field}?: string;")), "{text}");
        assert!(!text.contains(&format!("{other}?: ")), "{text}");
    }
    assert_eq!(apart(&tools, None, &["User_0000"]).missing, ["demo.User_0000"]);
}

#[test]
fn the_order_of_the_list_does_not_matter() {
    let mut tools = vec![returns_user("get", &["id"]), returns_user("find", &["email"])];
    tools.push(returns_user("also", &["email"]));
    let before: Vec<String> = (0..3).map(|at| result(&apart(&tools, Some(at), &[]))).collect();
    tools.reverse();
    let mut after: Vec<String> = (0..3).map(|at| result(&apart(&tools, Some(at), &[]))).collect();
    after.reverse();
    assert_eq!(before, after);
    assert_eq!(before[1], before[2], "one meaning, one name");
}

#[test]
fn the_signature_says_the_name_that_describe_knows() {
    let tools = [returns_user("get", &["id"]), returns_user("find", &["email"])];
    let names = Schemas::new().type_names(&tools.iter().collect::<Vec<_>>());
    for (at, tool) in tools.iter().enumerate() {
        let name = result(&apart(&tools, Some(at), &[]));
        let line = Schemas::new().signature(tool, &names);
        assert!(line.ends_with(&format!("Promise<{name}>")), "{line}");
    }
}

#[test]
fn a_name_that_is_given_is_no_tools_own() {
    let mut taken = HashSet::new();
    let mut given = HashSet::new();
    for _ in 0..4 {
        assert!(given.insert(free(&mut taken, "User", 7)));
    }
    assert!(given.contains("User_0007") && given.contains("User_0000000000000007"), "{given:?}");
    assert_eq!(given, taken);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn no_name_has_two_meanings(
        schemas in prop::collection::vec((generated::root(), generated::root()), 2..6),
    ) {
        let tools: Vec<ToolDef> = schemas.into_iter().enumerate().map(|(at, (input, output))| {
            tool(["get_a", "getA", "get-a", "b", "B"][at], input, Some(output))
        }).collect();
        let settled = Schemas::new().type_names(&tools.iter().collect::<Vec<_>>());
        let mut meanings: HashMap<String, u64> = HashMap::new();
        for tool in &tools {
            let types = ToolTypes::read(tool);
            let renamed = renamed(&types, &settled);
            let hashes = hashes(&types.named.graph);
            for (node, own) in &types.named.names {
                let name = renamed.get(node).unwrap_or(own);
                let hash = hashes[node.0 as usize];
                prop_assert_eq!(*meanings.entry(name.clone()).or_insert(hash), hash, "{}", name);
            }
        }
    }
}
