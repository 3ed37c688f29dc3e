//! What cases say in words: how a stub answers, and values as JavaScript writes them.

use super::server::{Answer, structured, text};
use serde_json::{Value, json};

/// How a stub described so answers: `returns its argument`, `returns {a: 1}`, `isError 'why'`,
/// `counts calls, returns {id}`. Anything else answers `ok`.
pub fn answer(words: &str) -> Answer {
    let returned = words.split_once("returns ").map(|(_, value)| value.trim());
    match returned {
        Some("its argument") => Answer::Echo,
        Some(value) if value.starts_with('{') => match json5(value) {
            Some(value) => Answer::Result(structured(value)),
            // `{id}` names fields without values.
            None => Answer::Count(fields(value)),
        },
        _ => match words.strip_prefix("isError") {
            Some(why) => {
                let mut result = text(why.trim().trim_matches('\''));
                result["isError"] = json!(true);
                Answer::Result(result)
            }
            None if words.contains("random id") => Answer::Count(vec!["id".to_owned()]),
            None => Answer::Result(text("ok")),
        },
    }
}

/// Whether a stub described so changes nothing.
pub fn is_read(words: &str) -> bool {
    words.starts_with("returns") || words.starts_with("isError")
}

/// An object literal with bare keys, as JSON.
pub fn json5(text: &str) -> Option<Value> {
    let mut quoted = String::with_capacity(text.len());
    let mut word = String::new();
    for c in text.chars() {
        if c.is_alphanumeric() || c == '_' || c == '.' || c == '-' {
            word.push(c);
            continue;
        }
        let is_key = c == ':' && !word.is_empty();
        if is_key {
            quoted.push_str(&format!("\"{word}\""))
        } else {
            quoted.push_str(&word)
        }
        word.clear();
        quoted.push(if c == '\'' { '"' } else { c });
    }
    quoted.push_str(&word);
    serde_json::from_str(&quoted).ok()
}

fn fields(text: &str) -> Vec<String> {
    let names = text.trim_matches(['{', '}']).split(',');
    names.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// Code for the surface where tools stand under `tools.<app>`, as code for this one, and the
/// calls it names: (namespace, tool).
pub fn on_this_surface(code: &str) -> (String, Vec<(String, String)>) {
    let code = code.replace("tools.search", "hub.search").replace("tools.", "");
    let mut calls = Vec::new();
    for (at, _) in code.match_indices("demo.") {
        let name: String =
            code[at + 5..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if !name.is_empty() && !calls.contains(&("demo".to_owned(), name.clone())) {
            calls.push(("demo".to_owned(), name));
        }
    }
    (code, calls)
}
