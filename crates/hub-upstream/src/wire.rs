//! JSON-RPC as servers really write it: reading one message, mending what is nearly JSON, and
//! writing ours. No I/O here.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The one stateless revision we speak.
pub(crate) const MODERN: &str = "2026-07-28";
/// The revisions with `initialize`, newest first: the ladder we climb down.
pub(crate) const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// `error` of a response.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RpcError {
    pub code: i64,
    pub message: String,
    pub data: Option<Value>,
}

/// What a message turned out to be.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// An answer; no id where the server could not tell.
    Response { id: Option<i64>, outcome: Result<Box<RawValue>, RpcError> },
    /// The server asks us.
    Request { id: Value, method: String, params: Option<Box<RawValue>> },
    /// The server tells us.
    Notification { method: String, params: Option<Box<RawValue>> },
    /// Not JSON-RPC. Where it is an object with `error`, that text.
    Noise(Option<String>),
}

#[derive(Deserialize)]
struct Frame {
    jsonrpc: Option<Value>,
    id: Option<Value>,
    method: Option<Value>,
    params: Option<Box<RawValue>>,
    result: Option<Box<RawValue>>,
    error: Option<Value>,
}

/// Reads one message, or the messages of a batch (2025-03-26).
pub(crate) fn read(text: &str) -> Vec<Incoming> {
    let text = text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\u{feff}');
    if text.starts_with('[') {
        let parts: Vec<Box<RawValue>> = parse(text).unwrap_or_default();
        return parts.iter().map(|part| read_one(part.get())).collect();
    }
    vec![read_one(text)]
}

fn parse<T: for<'de> Deserialize<'de>>(text: &str) -> Option<T> {
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&mend(text, false))).ok()
}

fn read_one(text: &str) -> Incoming {
    if !text.starts_with('{') {
        return Incoming::Noise(None);
    }
    let Some(frame) = parse::<Frame>(text) else { return Incoming::Noise(None) };
    if frame.jsonrpc.as_ref().and_then(Value::as_str) != Some("2.0") {
        return Incoming::Noise(frame.error.map(|error| error_text(&error)));
    }
    match (frame.method, frame.id) {
        (Some(Value::String(method)), Some(id)) => {
            Incoming::Request { id, method, params: frame.params }
        }
        (Some(Value::String(method)), None) => {
            Incoming::Notification { method, params: frame.params }
        }
        (_, id) => answer(id.as_ref(), frame.result, frame.error),
    }
}

fn answer(id: Option<&Value>, result: Option<Box<RawValue>>, error: Option<Value>) -> Incoming {
    let known = id.and_then(|id| match id {
        Value::String(text) => text.parse().ok(),
        other => other.as_i64(),
    });
    if id.is_some_and(|id| !id.is_null()) && known.is_none() {
        return Incoming::Noise(error.map(|error| error_text(&error)));
    }
    match (result, error) {
        (_, Some(error)) => Incoming::Response { id: known, outcome: Err(rpc_error(&error)) },
        (Some(result), None) => Incoming::Response { id: known, outcome: Ok(result) },
        (None, None) => Incoming::Noise(None),
    }
}

fn rpc_error(error: &Value) -> RpcError {
    RpcError {
        code: error.get("code").and_then(Value::as_i64).unwrap_or_default(),
        message: error_text(error),
        data: error.get("data").cloned(),
    }
}

fn error_text(error: &Value) -> String {
    match error.get("message").unwrap_or(error) {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Makes JSON of what is nearly JSON: `NaN` and infinities become null, lone surrogates U+FFFD,
/// raw control characters in strings escapes. With `digits`, numbers that a double cannot hold
/// (integers beyond 2^53, magnitudes beyond its range) become strings with their exact digits.
pub(crate) fn mend(text: &str, digits: bool) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut kept, mut at) = (0, 0);
    while at < bytes.len() {
        let (end, new) = match bytes[at] {
            b'"' => {
                at = mend_string(text, at, &mut out, &mut kept);
                continue;
            }
            b'-' | b'0'..=b'9' | b'N' | b'I' => token(text, at, digits),
            _ => (at + 1, None),
        };
        if let Some(new) = new {
            out.push_str(&text[kept..at]);
            out.push_str(&new);
            kept = end;
        }
        at = end;
    }
    if kept == 0 && out.is_empty() {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[kept..]);
    Cow::Owned(out)
}

/// The end of the bare token at `at` and what stands for it instead.
fn token(text: &str, at: usize, digits: bool) -> (usize, Option<String>) {
    let rest = &text[at..];
    let length = rest
        .bytes()
        .position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.')))
        .unwrap_or(rest.len());
    let word = &rest[..length];
    let end = at + length.max(1);
    if matches!(word, "NaN" | "-NaN" | "Infinity" | "-Infinity") {
        return (end, Some("null".to_owned()));
    }
    let exact = match word.contains(['.', 'e', 'E']) {
        true => word.parse::<f64>().is_ok_and(f64::is_finite),
        false => word.parse::<i64>().is_ok_and(|n| n.unsigned_abs() < 1 << 53),
    };
    let number = word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    // A number as a key is no JSON, and must not become any.
    let is_key = || text[end..].trim_start().starts_with(':');
    (end, (digits && number && !exact && !is_key()).then(|| format!("\"{word}\"")))
}

/// Copies the string that begins at `at`, mended; returns the position behind it.
fn mend_string(text: &str, at: usize, out: &mut String, kept: &mut usize) -> usize {
    let bytes = text.as_bytes();
    let mut i = at + 1;
    while i < bytes.len() {
        let (length, new) = match bytes[i] {
            b'"' => return i + 1,
            b'\\' if bytes.get(i + 1) == Some(&b'u') => surrogate(bytes, i),
            b'\\' => (2, None),
            control if control < 0x20 => (1, Some(format!("\\u{control:04x}"))),
            _ => (1, None),
        };
        if let Some(new) = new {
            out.push_str(&text[*kept..i]);
            out.push_str(&new);
            *kept = i + length;
        }
        i += length;
    }
    bytes.len()
}

/// Length of the `\u` escape (or pair) at `i`, and U+FFFD where it is half a pair.
fn surrogate(bytes: &[u8], i: usize) -> (usize, Option<String>) {
    let unit = |at: usize| {
        let hex = bytes.get(at..at + 6).filter(|e| e.starts_with(b"\\u"))?;
        u32::from_str_radix(std::str::from_utf8(&hex[2..]).ok()?, 16).ok()
    };
    match unit(i) {
        Some(0xd800..0xdc00) if matches!(unit(i + 6), Some(0xdc00..0xe000)) => (12, None),
        Some(0xd800..0xe000) => (6, Some("\\ufffd".to_owned())),
        Some(_) => (6, None),
        None => (2, None),
    }
}

#[derive(Serialize)]
struct Out<'a, P: Serialize + ?Sized> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<i64>,
    method: &'a str,
    params: &'a P,
}

/// A request of ours.
pub(crate) fn request(id: i64, method: &str, params: &RawValue) -> String {
    write(&Out { jsonrpc: "2.0", id: Some(id), method, params })
}

/// A notification of ours.
pub(crate) fn notification(method: &str, params: &Value) -> String {
    write(&Out { jsonrpc: "2.0", id: None, method, params })
}

/// Our answer to a server's request; `result` is JSON text.
pub(crate) fn response(id: &Value, result: &RawValue) -> String {
    #[derive(Serialize)]
    struct Reply<'a> {
        jsonrpc: &'static str,
        id: &'a Value,
        result: &'a RawValue,
    }
    write(&Reply { jsonrpc: "2.0", id, result })
}

/// Our refusal of a server's request.
pub(crate) fn refusal(id: &Value, code: i64, message: &str) -> String {
    serde_json::json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
        .to_string()
}

fn write<T: Serialize>(message: &T) -> String {
    // Cannot fail: no map with keys that are not strings, no failing Serialize.
    serde_json::to_string(message).unwrap_or_default()
}

/// JSON text of any value, for messages.
pub(crate) fn raw(value: &impl Serialize) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// Finds the top-level `id` of a message that is too long to keep, byte by byte.
#[derive(Default)]
pub(crate) struct IdScanner {
    depth: u32,
    in_string: bool,
    escaped: bool,
    /// The last string or number at depth 1, and whether a colon came since.
    word: Vec<u8>,
    key_is_id: bool,
    after_colon: bool,
    /// What was found.
    pub id: Option<i64>,
}

impl IdScanner {
    /// Looks at more bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.step(byte);
        }
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => self.keep(byte),
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.word.clear();
            }
            b'{' | b'[' => self.depth = self.depth.saturating_add(1),
            b':' if self.depth == 1 => {
                self.key_is_id = self.word == b"id";
                self.after_colon = true;
                self.word.clear();
            }
            b',' | b'}' | b']' => {
                if self.depth == 1 && self.after_colon && self.key_is_id {
                    self.id = std::str::from_utf8(&self.word).ok().and_then(|w| w.parse().ok());
                }
                if self.depth == 1 {
                    self.after_colon = false;
                    self.word.clear();
                }
                if byte != b',' {
                    self.depth = self.depth.saturating_sub(1);
                }
            }
            other if !other.is_ascii_whitespace() => self.keep(other),
            _ => {}
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.word.len() < 32 {
            self.word.push(byte);
        }
    }
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
