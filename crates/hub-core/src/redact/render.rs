//! Arguments as text, within bounds.

use super::{Found, Limits, Preview, labels, spans, visible};
use crate::limits::JSON_DEPTH_OUT;
use serde_json::{Map, Value};

/// Hidden values that are listed; more are hidden all the same.
const MASKED: usize = 100;

/// Arguments as a person sees them: secrets hidden and named, long strings shortened, characters
/// that act or deceive spelled out.
pub fn preview(arguments: &Value, limits: Limits) -> Preview {
    View::new(limits, Vec::new()).all(arguments)
}

/// Arguments whole, for a person who asked for that: nothing is hidden or left out, and what acts
/// or deceives is spelled out all the same.
pub fn whole(arguments: &Value) -> String {
    let limits = Limits { string_chars: usize::MAX, total_chars: usize::MAX, lines: true };
    View { open: true, ..View::new(limits, Vec::new()) }.all(arguments).text
}

/// One named value in a line, by the same rules; whether anything of it is hidden or left out is
/// said in the text.
pub fn value(name: &str, value: &Value) -> String {
    let mut view = View::new(Limits::LINE, vec![Step::Name(name)]);
    view.value(value, labels::is_secret(name));
    view.text
}

struct View<'a> {
    limits: Limits,
    text: String,
    masked: Vec<Found>,
    cut: bool,
    /// Characters that may still be written.
    left: usize,
    path: Vec<Step<'a>>,
    /// Whether nothing is hidden.
    open: bool,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Name(&'a str),
    Item(usize),
}

impl<'a> View<'a> {
    fn new(limits: Limits, path: Vec<Step<'a>>) -> Self {
        let (text, masked, left) = (String::new(), Vec::new(), limits.total_chars);
        Self { limits, text, masked, cut: false, left, path, open: false }
    }

    fn all(mut self, arguments: &'a Value) -> Preview {
        match arguments {
            Value::Null => self.plain("(none)"),
            Value::Object(map) if map.is_empty() => self.plain("(none)"),
            Value::Object(map) if self.limits.lines => self.members(map, false),
            other => self.value(other, false),
        }
        let text = self.text.trim_matches('\n').to_owned();
        Preview { text, masked: self.masked, cut: self.cut }
    }

    /// Writes what is ours or already safe, as far as there is room; whether it fitted.
    fn plain(&mut self, text: &str) {
        if self.left == 0 {
            return;
        }
        match text.char_indices().nth(self.left) {
            None => {
                self.left -= text.chars().count();
                self.text.push_str(text);
            }
            Some((end, _)) => {
                self.text.push_str(&text[..end]);
                self.text.push_str("… (the rest is not shown)");
                (self.left, self.cut) = (0, true);
            }
        }
    }

    /// `secret`: a name above says that every string here is one.
    fn value(&mut self, value: &'a Value, secret: bool) {
        if self.path.len() > JSON_DEPTH_OUT {
            self.cut = true;
            return self.plain("…");
        }
        match value {
            Value::String(text) => self.string(text, secret),
            Value::Array(items) => self.items(items, secret),
            Value::Object(map) if map.is_empty() => self.plain("{}"),
            Value::Object(map) if self.limits.lines => self.members(map, secret),
            Value::Object(map) => {
                self.plain("{");
                self.members(map, secret);
                self.plain("}");
            }
            scalar => self.plain(&scalar.to_string()),
        }
    }

    fn members(&mut self, map: &'a Map<String, Value>, secret: bool) {
        let named = says_secret(map);
        for (i, (name, value)) in map.iter().enumerate() {
            if self.left == 0 {
                // What was not reached may hide anything: it is still searched.
                self.cut = true;
            }
            self.path.push(Step::Name(name));
            if self.limits.lines {
                self.line(&shown_name(name), value);
            } else {
                let comma = if i > 0 { ", " } else { "" };
                self.plain(&format!("{comma}{}: ", shown_name(name)));
            }
            let below = secret || labels::is_secret(name) || (named && is_value_field(name));
            self.value(value, below);
            self.path.pop();
        }
    }

    fn items(&mut self, items: &'a [Value], secret: bool) {
        let nested = |v: &Value| matches!(v, Value::Object(m) if !m.is_empty());
        let lines = self.limits.lines && items.iter().any(nested);
        if !lines {
            self.plain("[");
        }
        for (i, item) in items.iter().enumerate() {
            self.path.push(Step::Item(i));
            if lines {
                self.line(&format!("[{i}]"), item);
            } else if i > 0 {
                self.plain(", ");
            }
            self.value(item, secret);
            self.path.pop();
        }
        if !lines {
            self.plain("]");
        }
    }

    /// Begins the line of a value, whose step is the last of the path.
    fn line(&mut self, label: &str, value: &Value) {
        let depth = self.path.len().saturating_sub(1);
        self.plain(&format!("\n{}{label}:", "  ".repeat(depth)));
        let below = match value {
            Value::Object(map) => !map.is_empty(),
            Value::Array(items) => {
                items.iter().any(|v| matches!(v, Value::Object(m) if !m.is_empty()))
            }
            _ => false,
        };
        if !below {
            self.plain(" ");
        }
    }

    fn string(&mut self, text: &str, secret: bool) {
        if self.open {
            let mut inside = String::new();
            visible::push(&mut inside, text);
            return self.plain(&format!("\"{inside}\""));
        }
        if secret && !text.is_empty() && !spans::is_placeholder(text) {
            let what = match spans::find(text).as_slice() {
                [one] if one.range.len() * 2 > text.len() => one.what,
                _ => spans::What::Name,
            };
            let note = self.found(what, text);
            return self.plain(&note);
        }
        let found = spans::find(text);
        let searched = text.floor_char_boundary(spans::SEARCHED);
        self.cut |= searched < text.len();
        let mut from = 0;
        let mut parts = Vec::new();
        for span in &found {
            let note = self.found(span.what, &text[span.range.clone()]);
            parts.push((&text[from..span.range.start], Some(note)));
            from = span.range.end;
        }
        parts.push((&text[from..searched.max(from)], None));
        self.parts(&parts, text.chars().count());
    }

    /// Pieces of one string with what was hidden between them.
    fn parts(&mut self, parts: &[(&str, Option<String>)], whole: usize) {
        let room = self.limits.string_chars;
        let shown: usize = parts.iter().map(|(text, _)| text.chars().count()).sum();
        let short = shown > room || (parts.len() == 1 && shown < whole);
        let (mut head, tail) = if short { (room - room / 4, room / 4) } else { (shown, 0) };
        // Characters before the tail that are left out.
        let mut skip = shown.saturating_sub(head + tail);
        let mut out = String::new();
        for (text, note) in parts {
            let mut piece = String::new();
            let (first, rest) = split_chars(text, head);
            head -= first.chars().count();
            visible::push(&mut piece, first);
            if !rest.is_empty() {
                let (left_out, last) = split_chars(rest, skip);
                if !left_out.is_empty() {
                    skip -= left_out.chars().count();
                    piece.push('…');
                }
                visible::push(&mut piece, last);
            }
            if !piece.is_empty() || (parts.len() == 1) {
                out.push_str(&format!("{}\"{piece}\"", if out.is_empty() { "" } else { " " }));
            }
            if let Some(note) = note {
                out.push_str(&format!("{}{note}", if out.is_empty() { "" } else { " " }));
            }
        }
        if short {
            self.cut = true;
            out.push_str(&format!(" ({whole} characters)"));
        }
        self.plain(&out);
    }

    fn found(&mut self, what: spans::What, secret: &str) -> String {
        let what = format!("{what}, {} characters", secret.chars().count());
        let note = format!("[hidden: {what}]");
        if self.masked.len() < MASKED {
            self.masked.push(Found { path: self.at(), what });
        }
        note
    }

    fn at(&self) -> String {
        let mut at = String::new();
        for step in &self.path {
            match step {
                Step::Item(i) => at.push_str(&format!("[{i}]")),
                Step::Name(name) => {
                    if !at.is_empty() {
                        at.push('.');
                    }
                    at.push_str(&shown_name(name));
                }
            }
        }
        if at.is_empty() { "the value".to_owned() } else { at }
    }
}

fn split_chars(text: &str, at: usize) -> (&str, &str) {
    text.split_at(text.char_indices().nth(at).map_or(text.len(), |(i, _)| i))
}

/// Characters of a name that are shown.
const NAME_CHARS: usize = 80;

/// A name as it is where it is plain, else quoted.
fn shown_name(name: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'$');
    if !name.is_empty() && name.len() <= NAME_CHARS && name.bytes().all(plain) {
        name.to_owned()
    } else {
        super::quote(name, NAME_CHARS)
    }
}

/// `{name: "Authorization", value: "…"}`: the name stands beside the value.
fn says_secret(map: &Map<String, Value>) -> bool {
    let named = ["name", "key", "header", "field", "id", "label"].iter();
    named
        .filter_map(|n| map.get(*n).and_then(Value::as_str))
        .any(|text| text.len() <= 100 && labels::is_secret(text))
}

fn is_value_field(name: &str) -> bool {
    matches!(name, "value" | "values" | "val" | "content" | "data" | "text")
}
