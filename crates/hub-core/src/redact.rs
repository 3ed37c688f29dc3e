//! What people are shown of arguments and of other people's text, in one place for all
//! channels: forms, page, terminal, logs of decisions.
//!
//! Secrets are hidden and named (`tokens`, `labels`), characters that act or deceive are spelled
//! out (`visible`), everything has a bound (`render`). Nothing here decides anything: a hidden
//! or cut preview only narrows what a form may offer.

mod labels;
mod render;
mod spans;
mod tokens;
mod visible;

pub use render::{preview, value, whole};

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Characters of one string; a longer one keeps its head and its tail.
    pub string_chars: usize,
    /// Characters of the whole text.
    pub total_chars: usize,
    /// Whether each value stands on a line of its own.
    pub lines: bool,
}

impl Limits {
    /// One line in a list.
    pub const LINE: Self = Self { string_chars: 60, total_chars: 300, lines: false };
    /// A form of a client.
    pub const FORM: Self = Self { string_chars: 400, total_chars: 4_000, lines: true };
    /// The page and the terminal.
    pub const PAGE: Self = Self { string_chars: 2_000, total_chars: 40_000, lines: true };
}

/// Arguments as a person sees them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// Safe for terminals and forms; a page escapes it for HTML as any other text.
    pub text: String,
    /// What was hidden, in order.
    pub masked: Vec<Found>,
    /// Whether anything was left out for its length.
    pub cut: bool,
}

impl Preview {
    /// Whether everything is shown; else a form offers only "allow once" and "deny".
    pub fn is_whole(&self) -> bool {
        self.masked.is_empty() && !self.cut
    }
}

/// Something hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where: `headers.Authorization`, `items[2].password`.
    pub path: String,
    /// What, and how long: `looks like a GitHub token, 40 characters`.
    pub what: String,
}

impl Found {
    /// The same for people: `headers.Authorization looks like a GitHub token, 40 characters,
    /// goes to mail.send`.
    pub fn sentence(&self, address: &str) -> String {
        format!("{} {}, goes to {address}", self.path, self.what)
    }
}

/// `text` in quotes, safe to show: nothing in it acts on a terminal or reads other than it is,
/// and at most `max` characters of it are shown.
pub fn quote(text: &str, max: usize) -> String {
    let mut out = String::from("\"");
    visible::push(&mut out, text.char_indices().nth(max).map_or(text, |(i, _)| &text[..i]));
    match text.chars().count().saturating_sub(max) {
        0 => out.push('"'),
        more => out.push_str(&format!("…\" ({more} more characters)")),
    }
    out
}

/// `text` without quotes around it, for places of its own such as a table's cell: as safe to
/// show as [`quote`], and at most `max` characters of it.
pub fn plain(text: &str, max: usize) -> String {
    let mut out = String::new();
    visible::push_plain(&mut out, text.char_indices().nth(max).map_or(text, |(i, _)| &text[..i]));
    match text.chars().count().saturating_sub(max) {
        0 => out,
        more => format!("{out}… ({more} more characters)"),
    }
}

/// Whether a character acts on a terminal, draws nothing, or turns the direction of reading.
pub fn is_unseen(c: char) -> bool {
    c.is_control() || visible::is_hidden(c)
}

#[cfg(test)]
mod tests;
