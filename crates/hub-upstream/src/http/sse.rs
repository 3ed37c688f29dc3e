//! Reading server-sent events, however they are cut into pieces.

use crate::wire::IdScanner;
use hub_core::limits::SOURCE_MESSAGE_BYTES;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    /// Its type; empty for `message`.
    pub kind: String,
    pub data: String,
    /// The id to resume behind, where one was given with it or before.
    pub id: Option<String>,
}

/// Takes bytes, gives events. Lines end with LF, CR or both; text is UTF-8.
#[derive(Default)]
pub(crate) struct Reader {
    line: Vec<u8>,
    kind: String,
    data: Vec<u8>,
    has_data: bool,
    begun: bool,
    after_cr: bool,
    /// An event that is too long goes by: the id it carries, and its bytes.
    overlong: Option<(IdScanner, usize)>,
    /// The line at hand belongs to that.
    cut_line: bool,
    /// The last id seen.
    pub last_id: Option<String>,
    /// Milliseconds the server asks to wait before coming back.
    pub retry_ms: Option<u64>,
}

/// What a piece of the stream brought.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Event(Event),
    /// An event longer than [`SOURCE_MESSAGE_BYTES`] has gone by; the id of its message.
    TooLong {
        id: Option<i64>,
        bytes: usize,
    },
}

impl Reader {
    /// A reader for the stream that goes on where this one broke off.
    pub fn resumed(self) -> Self {
        Self { last_id: self.last_id, retry_ms: self.retry_ms, ..Self::default() }
    }

    /// Takes the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for part in bytes.split_inclusive(|b| matches!(b, b'\n' | b'\r')) {
            let (text, end) = match part.last() {
                Some(&end @ (b'\n' | b'\r')) => (&part[..part.len() - 1], Some(end)),
                _ => (part, None),
            };
            let second_half = self.after_cr && text.is_empty() && end == Some(b'\n');
            self.after_cr = end == Some(b'\r');
            if second_half {
                continue;
            }
            self.keep(text);
            if end.is_some() {
                pieces.extend(self.end_of_line());
            }
        }
        pieces
    }

    fn keep(&mut self, text: &[u8]) {
        let held = self.line.len() + self.data.len();
        match &mut self.overlong {
            Some((scanner, bytes)) => {
                *bytes += text.len();
                scanner.feed(text);
                self.cut_line |= !text.is_empty();
            }
            None if held + text.len() > SOURCE_MESSAGE_BYTES => {
                let mut scanner = IdScanner::default();
                for part in [&self.data[..], &self.line, text] {
                    scanner.feed(part);
                }
                self.overlong = Some((scanner, held + text.len()));
                self.cut_line = true;
                self.line = Vec::new();
                self.data = Vec::new();
            }
            None => self.line.extend_from_slice(text),
        }
    }

    fn end_of_line(&mut self) -> Option<Piece> {
        if std::mem::take(&mut self.cut_line) {
            return None;
        }
        let mut line = std::mem::take(&mut self.line);
        if !std::mem::replace(&mut self.begun, true) && line.starts_with(b"\xef\xbb\xbf") {
            line.drain(..3);
        }
        if line.is_empty() {
            return self.end_of_event();
        }
        let (field, value) = match line.iter().position(|&b| b == b':') {
            Some(0) => return None,
            Some(at) => (&line[..at], line[at + 1..].strip_prefix(b" ").unwrap_or(&line[at + 1..])),
            None => (&line[..], &[][..]),
        };
        let text = || String::from_utf8_lossy(value).into_owned();
        match field {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"event" => self.kind = text(),
            b"id" if !value.contains(&0) => self.last_id = Some(text()),
            b"retry" => self.retry_ms = text().parse().ok().or(self.retry_ms),
            _ => {}
        }
        None
    }

    fn end_of_event(&mut self) -> Option<Piece> {
        let kind = std::mem::take(&mut self.kind);
        let data = std::mem::take(&mut self.data);
        let has_data = std::mem::take(&mut self.has_data);
        if let Some((scanner, bytes)) = self.overlong.take() {
            return Some(Piece::TooLong { id: scanner.id, bytes });
        }
        if !has_data {
            return None;
        }
        let kind = if kind == "message" { String::new() } else { kind };
        let data = String::from_utf8_lossy(&data).into_owned();
        Some(Piece::Event(Event { kind, data, id: self.last_id.clone() }))
    }
}

#[cfg(test)]
#[path = "sse_tests.rs"]
mod tests;
