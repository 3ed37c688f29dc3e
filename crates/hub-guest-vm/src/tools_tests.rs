//! Tools by their names.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::tools::{Found, SEARCHES, Tools};

fn list(pairs: &[(&str, &str)]) -> Tools {
    let quoted = |text: &str| {
        let mut out = Vec::new();
        crate::text::quote(text.as_bytes(), |part| out.extend_from_slice(part));
        String::from_utf8(out).unwrap()
    };
    let pairs: Vec<String> =
        pairs.iter().map(|(name, raw)| format!("[{},{}]", quoted(name), quoted(raw))).collect();
    Tools::read(format!("[{}]", pairs.join(",")).as_bytes())
}

#[test]
fn a_name_is_found_before_and_after_the_list_is_in_order() {
    let pairs = [("b", "x"), ("a", "b"), ("x_2", "x"), ("c", "odd \"\\\n\u{1} é"), ("d", "7")];
    let tools = list(&pairs);
    for _ in 0..SEARCHES {
        for (name, tool, listed) in [
            ("b", 0, true),
            ("a", 1, true),
            ("x", 0, false),
            ("x_2", 2, true),
            ("odd \"\\\n\u{1} é", 3, false),
            ("7", 4, false),
        ] {
            let wanted = Some(Found { tool, listed });
            assert_eq!(tools.find(name.as_bytes()), wanted, "{name}");
        }
        for unknown in ["", "e", "xx", "odd"] {
            assert_eq!(tools.find(unknown.as_bytes()), None, "{unknown}");
        }
    }
}

#[test]
fn names_are_listed_as_an_object_lists_them() {
    let tools = list(&[("b", "10"), ("a", "b"), ("c", "z"), ("d", "9"), ("e", "z"), ("f", "f")]);
    let names: Vec<&str> =
        tools.all_names().into_iter().map(|name| std::str::from_utf8(name).unwrap()).collect();
    assert_eq!(names, ["9", "10", "b", "a", "c", "d", "e", "f", "z"]);
}

#[test]
fn what_is_no_list_has_no_tools() {
    for json in ["", "[]", "{}", "[[\"a\"]]", "[[\"a\",\"b]", "[[\"a\",\"\\x\"]]", "null"] {
        let tools = Tools::read(json.as_bytes());
        assert_eq!(tools.names().count(), 0, "{json}");
        assert!(tools.all_names().is_empty());
        assert_eq!(tools.find(b"a"), None);
    }
}
