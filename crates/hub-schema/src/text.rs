//! Foreign text in TypeScript: names, literals and comments that cannot break out.

use serde_json::Value;
use std::fmt::Write as _;

/// Whether `name` may stand bare as a property name. Letters beyond the common alphabets are
/// left to quotes: which of them are identifiers changes with Unicode.
pub fn is_identifier(name: &str) -> bool {
    let start = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$' || is_letter(c);
    let mut chars = name.chars();
    chars.next().is_some_and(start) && chars.all(|c| start(c) || c.is_ascii_digit())
}

fn is_letter(c: char) -> bool {
    matches!(c,
        'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ɏ' | 'Α'..='Ρ' | 'Σ'..='Ω' | 'α'..='ω' | 'А'..='я'
        | 'あ'..='ん' | 'ア'..='ン' | '一'..='鿿' | '가'..='힣')
}

/// Writes a property's name, quoted where it must be.
pub fn push_name(out: &mut String, name: &str) {
    // `new(` would start a construct signature.
    if is_identifier(name) && name != "new" {
        out.push_str(name);
    } else {
        push_string(out, name);
    }
}

/// Writes a string literal, with everything that is not plain text escaped.
pub fn push_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || is_hidden(c) => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Writes the type that holds exactly `value`. `depth` bounds what is shown of it.
pub fn push_literal(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(is) => out.push_str(if *is { "true" } else { "false" }),
        Value::Number(number) => {
            let _ = write!(out, "{number}");
        }
        Value::String(text) => push_string(out, text),
        _ if depth == 0 => out.push_str("unknown"),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                push_literal(out, item, depth - 1);
            }
            out.push(']');
        }
        Value::Object(map) if map.is_empty() => out.push_str("Record<string, never>"),
        Value::Object(map) => {
            out.push_str("{ ");
            for (at, (name, item)) in map.iter().enumerate() {
                out.push_str(if at > 0 { "; " } else { "" });
                push_name(out, name);
                out.push_str(": ");
                push_literal(out, item, depth - 1);
            }
            out.push_str(" }");
        }
    }
}

/// Characters that end a line somewhere, cannot be seen, or turn the direction of text.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}')
}

/// Lines of a description, without what could end a comment or hide in one.
pub fn comment_lines(text: &str) -> Vec<String> {
    let is_break =
        |c| matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let mut lines: Vec<String> = Vec::new();
    for line in text.replace("\r\n", "\n").split(is_break) {
        let line: String =
            line.chars().filter(|c| *c == '\t' || !c.is_control() && !is_hidden(*c)).collect();
        let line = line.trim_end().replace("*/", "*\\/");
        let blank_twice = line.is_empty() && lines.last().is_none_or(String::is_empty);
        if !blank_twice {
            lines.push(line);
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// Writes `text` as a JSDoc comment, each line behind `indent` tabs. Nothing where it is blank.
pub fn push_doc(out: &mut String, text: &str, indent: usize) {
    let lines = comment_lines(text);
    let tabs = "\t".repeat(indent);
    match lines.as_slice() {
        [] => {}
        [line] => {
            let _ = writeln!(out, "{tabs}/** {} */", line.trim_start());
        }
        lines => {
            let _ = writeln!(out, "{tabs}/**");
            for line in lines {
                let space = if line.is_empty() { "" } else { " " };
                let _ = writeln!(out, "{tabs} *{space}{line}");
            }
            let _ = writeln!(out, "{tabs} */");
        }
    }
}

/// At most `chars` characters of `text`, ended at a sentence or word where that is near.
pub fn shortened(text: &str, chars: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(chars) else { return text.trim().to_owned() };
    let cut = &text[..end];
    if let Some(at) = cut.rfind(". ").filter(|at| at * 2 > end) {
        return cut[..=at].trim().to_owned();
    }
    let at = cut.rfind(char::is_whitespace).filter(|at| at * 2 > end).unwrap_or(end);
    format!("{}…", cut[..at].trim())
}

/// `words` as a type's name: `list issues-output` is `ListIssuesOutput`.
pub fn pascal(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    let mut upper = true;
    for c in words.chars() {
        if !(c.is_ascii_alphanumeric() || is_letter(c) || c == '$') {
            upper = true;
        } else if upper {
            out.extend(
                c.to_uppercase()
                    .filter(|c| is_identifier(c.encode_utf8(&mut [0; 4])) || c.is_ascii_digit()),
            );
            upper = false;
        } else {
            out.push(c);
        }
    }
    if out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, '_');
    }
    out
}
