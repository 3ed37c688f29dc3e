//! Lines of a child's output, of bounded length.

use crate::wire::IdScanner;
use tokio::io::{AsyncRead, AsyncReadExt};

const CHUNK: usize = 64 << 10;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Its text, without the line feed; bytes that are no UTF-8 become U+FFFD.
    Text(String),
    /// It was longer than allowed and is gone; the id it carried, and its length.
    TooLong { id: Option<i64>, bytes: usize },
}

/// Reads lines of at most `limit` bytes; what is longer is read past, in constant memory.
pub(crate) struct Lines<R> {
    from: R,
    limit: usize,
    buffer: Vec<u8>,
    /// Where the search for a line feed goes on.
    searched: usize,
    skipped: Option<(IdScanner, usize)>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub fn new(from: R, limit: usize) -> Self {
        Self { from, limit, buffer: Vec::new(), searched: 0, skipped: None }
    }

    /// The next line; none at the end. Safe to drop and call again.
    pub async fn next(&mut self) -> Option<Line> {
        loop {
            if let Some(line) = self.take() {
                return Some(line);
            }
            self.buffer.reserve(CHUNK);
            match self.from.read_buf(&mut self.buffer).await {
                Ok(0) | Err(_) => return self.rest(),
                Ok(_) => {}
            }
        }
    }

    fn take(&mut self) -> Option<Line> {
        let end = self.buffer[self.searched..].iter().position(|&b| b == b'\n');
        let Some(end) = end.map(|end| end + self.searched) else {
            self.searched = self.buffer.len();
            if self.buffer.len() > self.limit || self.skipped.is_some() {
                self.skip(self.buffer.len());
            }
            return None;
        };
        if self.skipped.is_some() || end > self.limit {
            self.skip(end);
        }
        // `skip` has emptied the buffer up to the line feed.
        let end = if self.skipped.is_some() { 0 } else { end };
        let line = match self.skipped.take() {
            Some((scanner, bytes)) => Line::TooLong { id: scanner.id, bytes },
            None => Line::Text(text(&self.buffer[..end])),
        };
        self.buffer.drain(..=end);
        self.searched = 0;
        Some(line)
    }

    fn skip(&mut self, bytes: usize) {
        let (scanner, skipped) = self.skipped.get_or_insert_default();
        scanner.feed(&self.buffer[..bytes]);
        *skipped += bytes;
        self.buffer.drain(..bytes);
        self.searched = 0;
    }

    fn rest(&mut self) -> Option<Line> {
        if let Some((scanner, bytes)) = self.skipped.take() {
            return Some(Line::TooLong { id: scanner.id, bytes });
        }
        let rest = std::mem::take(&mut self.buffer);
        self.searched = 0;
        (!rest.is_empty()).then(|| Line::Text(text(&rest)))
    }
}

fn text(bytes: &[u8]) -> String {
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
