//! What commands print: for people on a terminal, or JSON for programs with `--json`.
//!
//! Answers go to standard output, errors and progress to standard error. A reader that went
//! away is no error.

use crate::error::CliError;
use serde::Serialize;
use std::io::{IsTerminal, Write};

/// Where and how to print.
#[derive(Clone, Debug)]
pub struct Out {
    json: bool,
    color: bool,
}

/// How a piece of text is set off.
#[derive(Clone, Copy, Debug)]
pub enum Style {
    /// A heading or a name.
    Bold,
    /// Less important.
    Dim,
    /// Good.
    Green,
    /// Wants attention.
    Yellow,
    /// Bad.
    Red,
}

impl Style {
    /// Its "select graphic rendition" number (ECMA-48).
    fn number(self) -> u8 {
        match self {
            Self::Bold => 1,
            Self::Dim => 2,
            Self::Green => 32,
            Self::Yellow => 33,
            Self::Red => 31,
        }
    }
}

impl Out {
    /// Chooses by flags and by what standard output is.
    pub fn new(json: bool, no_color: bool) -> Self {
        Self { json, color: !json && !no_color && std::io::stdout().is_terminal() }
    }

    /// Whether programs read this.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// `text` set off, where colours are shown.
    pub fn paint(&self, style: Style, text: &str) -> String {
        if self.color { format!("\x1b[{}m{text}\x1b[0m", style.number()) } else { text.to_owned() }
    }

    /// Prints `value` as one line of JSON, or what `human` makes of it.
    pub fn answer<T: Serialize + ?Sized>(
        &self,
        value: &T,
        human: impl FnOnce(&Self, &T) -> String,
    ) {
        let text = if self.json {
            serde_json::to_string(value).unwrap_or_else(|e| format!("{{\"error\":\"{e}\"}}"))
        } else {
            human(self, value)
        };
        if !text.is_empty() {
            self.line(&text);
        }
    }

    /// Prints one line (or several) of an answer.
    pub fn line(&self, text: &str) {
        let mut stdout = std::io::stdout().lock();
        // A closed pipe (`| head`) ends the output, not the program.
        let text = if self.json { text.to_owned() } else { tame(text) };
        let _ = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
    }

    /// Prints a part of an answer that programs get as a whole.
    pub fn say(&self, text: &str) {
        if !self.json {
            self.line(text);
        }
    }

    /// Says something beside the answer; silent for programs.
    pub fn note(&self, text: &str) {
        if !self.json {
            let _ = writeln!(std::io::stderr().lock(), "{text}");
        }
    }

    /// Prints an error.
    pub fn error(&self, error: &CliError) {
        let mut stderr = std::io::stderr().lock();
        let text = if self.json {
            serde_json::json!({ "error": error }).to_string()
        } else {
            let mut text = format!("{} {}", self.paint(Style::Red, "error:"), tame(&error.message));
            for hint in &error.hints {
                text.push_str(&format!("\n  {}", tame(hint)));
            }
            text
        };
        let _ = writeln!(stderr, "{text}");
    }

    /// Rows under headings, columns aligned; nothing but `empty` where there are no rows.
    pub fn table(&self, headings: &[&str], rows: &[Vec<String>], empty: &str) -> String {
        if rows.is_empty() {
            return empty.to_owned();
        }
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|r| r.get(column)).map(|c| c.chars().count());
            cells.chain([headings[column].len()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..headings.len()).map(width).collect();
        let aligned = |cells: &mut dyn Iterator<Item = &str>| {
            let padded: Vec<String> =
                cells.zip(&widths).map(|(cell, &w)| format!("{cell:<w$}")).collect();
            padded.join("  ").trim_end().to_owned()
        };
        let mut lines = vec![self.paint(Style::Dim, &aligned(&mut headings.iter().copied()))];
        lines.extend(rows.iter().map(|row| aligned(&mut row.iter().map(String::as_str))));
        lines.join("\n")
    }
}

/// Programs, logs, results and tool descriptions are foreign: their control characters are
/// spelled out, so that none acts on the terminal. Our own colours (`ESC [ digits m`) and line
/// breaks stay.
fn tame(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let colour = colour_length(rest);
        let taken = colour.unwrap_or(c.len_utf8());
        if colour.is_some() || matches!(c, '\n' | '\t') {
            out.push_str(&rest[..taken]);
        } else {
            out.push_str(&crate::gate::visible(&rest[..taken]));
        }
        rest = &rest[taken..];
    }
    out
}

/// Bytes of the colour that `text` begins with.
fn colour_length(text: &str) -> Option<usize> {
    let after = text.strip_prefix("\x1b[")?;
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    (digits <= 2 && after[digits..].starts_with('m')).then_some(digits + 3)
}

#[cfg(test)]
mod tests {
    use super::tame;

    #[test]
    fn nothing_foreign_acts_on_the_terminal() {
        assert_eq!(tame("\x1b[32mfine\x1b[0m\n"), "\x1b[32mfine\x1b[0m\n");
        for hostile in ["\x1b]52;c;eA==\x07", "\x1b[2J", "\u{9b}2J", "a\rb", "\u{202e}x"] {
            let shown = tame(hostile);
            assert!(shown.chars().all(|c| !c.is_control() && c != '\u{202e}'), "{shown:?}");
        }
    }
}
