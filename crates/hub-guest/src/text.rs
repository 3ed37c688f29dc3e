//! Places in a text: bytes, lines, columns, and what is only space or comment.

/// Ends of lines as the language has them; positions count the first alone.
pub const LINE_ENDS: [char; 4] = ['\n', '\r', '\u{2028}', '\u{2029}'];

/// Line and column of a byte, both from 1; columns count characters.
pub fn place(text: &str, byte: usize) -> (u32, u32) {
    let before = &text.as_bytes()[..byte.min(text.len())];
    let line = before.iter().filter(|b| **b == b'\n').count() + 1;
    let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let column = before[start..].iter().filter(|b| !is_tail(**b)).count() + 1;
    (count(line), count(column))
}

/// The line that holds a byte, without its end.
pub fn line_at(text: &str, byte: usize) -> &str {
    let byte = byte.min(text.len());
    let bytes = text.as_bytes();
    let start = bytes[..byte].iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let end = bytes[byte..].iter().position(|b| *b == b'\n').map_or(text.len(), |i| byte + i);
    text.get(start..end).unwrap_or_default().trim_end_matches('\r')
}

/// The first byte at or after `from` that is neither space nor comment.
pub fn skip_trivia(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.starts_with(b"//") {
            let line = text.get(at..).unwrap_or_default();
            at += line.find(LINE_ENDS).unwrap_or(rest.len());
        } else if rest.starts_with(b"/*") {
            at += rest.windows(2).skip(2).position(|w| w == b"*/").map_or(rest.len(), |i| i + 4);
        } else {
            let Some(next) = text.get(at..).and_then(|t| t.chars().next()) else { return at };
            if !next.is_whitespace() && next != '\u{feff}' {
                return at;
            }
            at += next.len_utf8();
        }
    }
    at.min(bytes.len())
}

/// Whether the byte is part of a character but not its first.
pub fn is_tail(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// A count as positions hold it; code is far below the limit.
pub fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
