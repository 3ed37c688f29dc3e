//! The first sentence of a description: all that a listing shows of it.

/// Characters of a summary.
const SUMMARY_CHARS: usize = 160;

/// The first sentence of `description`, in one line of at most 160 characters.
pub fn first_sentence(description: &str) -> String {
    let mut out = String::new();
    for word in halves(description).0.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().filter(|c| !c.is_control()));
    }
    match out.char_indices().nth(SUMMARY_CHARS) {
        None => out,
        Some(_) => {
            let end = out.char_indices().nth(SUMMARY_CHARS - 1).map_or(out.len(), |(at, _)| at);
            let end = out[..end].rfind(' ').filter(|at| *at > end / 2).unwrap_or(end);
            out.truncate(end);
            out.push('…');
            out
        }
    }
}

/// The first sentence of a text, and what follows it.
pub(super) fn halves(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let next = chars.peek().map(|(_, n)| *n);
        let ends = match c {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace) && !abbreviates(&text[..at]),
            '\n' => next.is_some_and(|n| matches!(n, '\n' | '\r' | '-' | '*' | '#' | '|')),
            _ => false,
        };
        if ends {
            return text.split_at(end);
        }
    }
    (text, "")
}

/// Whether a point behind `text` belongs to an abbreviation.
fn abbreviates(text: &str) -> bool {
    let word = text.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("");
    matches!(word.to_ascii_lowercase().as_str(), "e.g" | "i.e" | "vs" | "cf" | "approx" | "no")
}
