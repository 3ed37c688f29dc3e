use super::*;

fn listed(pages: &mut Pages, page: &Value) -> Option<Cursor> {
    pages.add(&page.to_string()).unwrap()
}

fn names(pages: &Pages) -> Vec<&str> {
    pages.tools.iter().map(|tool| tool.name.as_str()).collect()
}

/// Asks for pages until there are none; `next(n)` is the nth page. Returns how many were asked.
fn drain(pages: &mut Pages, next: impl Fn(usize) -> Value) -> usize {
    let mut asked = 0;
    loop {
        let page = next(asked);
        asked += 1;
        if listed(pages, &page).is_none() {
            return asked;
        }
    }
}

#[test]
fn a_broken_tool_costs_only_itself() {
    let huge = "x".repeat(limits::TOOL_DEFINITION_BYTES);
    let good = json!({"name": "good", "inputSchema": {"type": "object"}});
    let broken = [
        json!({"inputSchema": {}}),
        json!({"name": 7, "inputSchema": {}}),
        json!({"name": null}),
        json!({"name": " "}),
        json!({"name": "n".repeat(limits::TOOL_NAME_CHARS + 1)}),
        json!({"name": "text", "inputSchema": "object"}),
        json!({"name": "scalar", "inputSchema": {"type": "string"}}),
        json!({"name": "list", "inputSchema": {"type": ["array", "null"]}}),
        json!({"name": "never", "inputSchema": false}),
        json!({"name": "huge", "description": huge}),
        json!({"name": "page", "_meta": {"ui": {"visibility": ["app"]}}}),
        json!("tool"),
        json!(null),
        json!([]),
    ];
    for tool in broken {
        let mut pages = Pages::new(false);
        assert_eq!(listed(&mut pages, &json!({"tools": [tool, good]})), None);
        assert_eq!(names(&pages), ["good"]);
        assert_eq!(pages.broken.len(), 1);
        assert!(!pages.broken[0].reason.is_empty());
    }
    let mut pages = Pages::new(false);
    listed(&mut pages, &json!({"tools": [{"name": "huge", "description": huge}]}));
    assert_eq!(pages.broken[0].name, "huge");
}

#[test]
fn what_is_missing_or_odd_is_forgiven() {
    let table = [
        json!({"name": "t"}),
        json!({"name": "t", "inputSchema": null}),
        json!({"name": "t", "inputSchema": {}}),
        json!({"name": "t", "inputSchema": true}),
        json!({"name": "t", "inputSchema": {"type": ["object", "null"]}}),
        json!({"name": "t", "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#"}}),
        json!({"name": "t", "description": 7, "title": [], "annotations": "x", "outputSchema": 3}),
        json!({"name": "t", "annotations": {"readOnlyHint": "yes", "destructiveHint": true}}),
        json!({"name": "t", "description": "d".repeat(limits::TOOL_DEFINITION_BYTES - 29)}),
        json!({"name": "t", "_meta": {"ui": {"visibility": ["app", "model"]}}, "icons": 1}),
    ];
    for tool in table {
        let mut pages = Pages::new(true);
        listed(&mut pages, &json!({"tools": [tool], "nextCursor": null}));
        assert_eq!((names(&pages), &pages.broken), (vec!["t"], &vec![]));
    }
    let longest = "n".repeat(limits::TOOL_NAME_CHARS);
    let mut pages = Pages::new(false);
    listed(&mut pages, &json!({"tools": [{"name": longest}]}));
    assert_eq!(names(&pages), [longest.as_str()]);
    let mut pages = Pages::new(false);
    let page = "{\"tools\":[{\"name\":\"t\",\"inputSchema\":{\"maximum\":NaN}}]}";
    assert_eq!(pages.add(page).unwrap(), None);
    assert_eq!(names(&pages), ["t"]);
}

#[test]
fn a_page_that_is_none_fails_the_list() {
    for page in ["[]", "7", "{}", "{\"tools\":{}}", "{\"tools\":"] {
        assert!(Pages::new(false).add(page).is_err(), "{page}");
    }
}

#[test]
fn hints_are_read_as_they_are() {
    let mut pages = Pages::new(false);
    let hints = json!({"title": "T", "readOnlyHint": true, "openWorldHint": false});
    listed(&mut pages, &json!({"tools": [{"name": "t", "annotations": hints}]}));
    let tool = &pages.tools[0];
    assert_eq!(tool.title.as_deref(), Some("T"));
    assert_eq!(tool.annotations.read_only_hint, Some(true));
    assert_eq!(tool.annotations.open_world_hint, Some(false));
    assert_eq!(tool.annotations.destructive_hint, None);
}

#[test]
fn a_name_given_twice_counts_once() {
    let mut pages = Pages::new(false);
    let run = |about: &str| json!({"name": "run", "description": about});
    listed(&mut pages, &json!({"tools": [run("first"), run("second"), run("first")]}));
    assert_eq!(pages.tools.len(), 1);
    assert_eq!(pages.tools[0].description.as_deref(), Some("first"));
    assert_eq!(pages.broken.len(), 1);
}

#[test]
fn cursors_end_however_they_loop() {
    let tools = json!([{"name": "a"}, {"name": "b"}]);
    let page = |cursor: Value| json!({"tools": tools, "nextCursor": cursor});
    let kinds: [(&str, &dyn Fn(usize) -> Value); 5] = [
        ("the same", &|_| json!("8")),
        ("empty", &|_| json!("")),
        ("a number", &|_| json!(8)),
        ("five in turn", &|n| json!(format!("c{}", n % 5))),
        ("always new", &|n| json!(format!("c{n}"))),
    ];
    for (kind, cursor) in kinds {
        let mut pages = Pages::new(false);
        let asked = drain(&mut pages, |n| page(cursor(n)));
        assert!(asked <= IDLE_PAGES + 1, "{kind}: {asked}");
        assert_eq!(names(&pages), ["a", "b"], "{kind}");
        assert_eq!(pages.broken.len(), 1, "{kind}: the diagnostic");
        assert_eq!(pages.broken[0].name, "tools/list");
    }
}

#[test]
fn pages_and_tools_have_limits() {
    let tool = |n: usize| json!({"name": format!("t{n}")});
    let mut pages = Pages::new(false);
    let one_each = |n: usize| json!({"tools": [tool(n)], "nextCursor": n.to_string()});
    assert_eq!(drain(&mut pages, one_each), limits::LIST_PAGES);
    assert_eq!(pages.tools.len(), limits::LIST_PAGES);

    let most = limits::TOOLS_PER_SOURCE;
    let mut pages = Pages::new(false);
    let all: Vec<Value> = (0..most).map(tool).collect();
    listed(&mut pages, &json!({"tools": all}));
    assert_eq!((pages.tools.len(), pages.broken.len()), (most, 0));
    listed(&mut pages, &json!({"tools": [tool(most)]}));
    assert_eq!((pages.tools.len(), pages.broken.len()), (most, 1));
}

#[test]
fn all_definitions_together_have_a_limit() {
    let filler = "d".repeat(limits::TOOL_DEFINITION_BYTES - 40);
    let page = |n: usize| {
        let tool = |k: usize| json!({"name": format!("t{n:02}{k:02}"), "description": filler});
        json!({"tools": (0..8).map(tool).collect::<Vec<_>>(), "nextCursor": n.to_string()})
    };
    let mut pages = Pages::new(false);
    drain(&mut pages, page);
    let each = page(0)["tools"][0].to_string().len();
    assert_eq!(pages.tools.len(), limits::LIST_BYTES / each);
    assert_eq!(pages.broken.len(), 1);
}

#[test]
fn parameters_that_travel_in_headers() {
    let tool = |schema: Value| {
        let mut pages = Pages::new(true);
        listed(&mut pages, &json!({"tools": [{"name": "t", "inputSchema": schema}]}));
        (pages.headers.remove("t"), pages.broken.len())
    };
    let marked = |mark: Value, kind: &str| {
        json!({"type": "object",
        "properties": {"p": {"type": kind, "x-mcp-header": mark}}})
    };
    let found = vec![(vec!["p".to_owned()], "Region".to_owned())];
    assert_eq!(tool(marked(json!("Region"), "string")), (Some(found), 0));
    let nested = json!({"properties": {"o": {"properties": {
        "p": {"type": "integer", "x-mcp-header": "N"}}}}});
    let found = vec![(vec!["o".to_owned(), "p".to_owned()], "N".to_owned())];
    assert_eq!(tool(nested), (Some(found), 0));
    // A property may be called that.
    let named = json!({"properties": {"x-mcp-header": {"type": "string"}}});
    assert_eq!(tool(named), (None, 0));
    for bad in [
        marked(json!(""), "string"),
        marked(json!("a b"), "string"),
        marked(json!(7), "string"),
        marked(json!("N"), "number"),
        marked(json!("N"), "object"),
        json!({"properties": {"a": {"type": "string", "x-mcp-header": "N"},
            "b": {"type": "string", "x-mcp-header": "n"}}}),
        json!({"properties": {"a": {"type": "array",
            "items": {"type": "string", "x-mcp-header": "N"}}}}),
        json!({"x-mcp-header": "N"}),
    ] {
        assert_eq!(tool(bad.clone()), (None, 1), "{bad}");
    }
}
