//! Cuts text into the few kinds of tokens that `depth` counts.

use super::{Scan, Token};
use crate::fault::Fault;

impl Scan<'_> {
    /// The next token; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Token>, Fault> {
        loop {
            self.before_end = self.at;
            if self.open.last().is_some_and(|open| open.kind == b'`') {
                return Ok(self.template_text());
            }
            self.skip_space();
            self.start = self.at;
            let Some(first) = self.text.get(self.at).copied() else { return Ok(None) };
            let token = match first {
                b'"' | b'\'' => self.string(first),
                b'`' | b'(' | b'[' | b'{' => self.one(Token::Open(first)),
                b')' | b']' | b'}' => self.one(Token::Close(first)),
                b';' | b',' => self.one(Token::Separator),
                b'/' => match self.slash()? {
                    Some(token) => token,
                    None => continue,
                },
                _ if first.is_ascii_digit() => self.number(),
                _ if is_name(first) => self.name(),
                _ => self.one(Token::Sign(first)),
            };
            return Ok(Some(token));
        }
    }

    /// Where the next token starts.
    pub(super) fn next_start(&self) -> usize {
        let mut ahead = self.clone();
        if ahead.open.last().is_none_or(|open| open.kind != b'`') {
            ahead.skip_space();
        }
        ahead.at
    }

    pub(super) fn one(&mut self, token: Token) -> Token {
        self.at += 1;
        token
    }

    /// The byte order mark and the first line of a script.
    pub(super) fn skip_hashbang(&mut self) {
        if self.text.starts_with("\u{feff}".as_bytes()) {
            self.at = 3;
        }
        if self.text[self.at..].starts_with(b"#!") {
            self.at = self.line_end(self.at);
        }
    }

    /// Spaces and comments; remembers whether a line ended.
    fn skip_space(&mut self) {
        self.newline = false;
        while let Some(byte) = self.text.get(self.at) {
            let rest = &self.text[self.at..];
            let length = if rest.starts_with(b"//") {
                self.line_end(self.at) - self.at
            } else if rest.starts_with(b"/*") {
                let end = rest[2..].windows(2).position(|w| w == b"*/");
                end.map_or(rest.len(), |i| i + 4)
            } else if byte.is_ascii_whitespace() || *byte == 0x0B {
                1
            } else {
                match wide_space(rest) {
                    0 => return,
                    wide => wide,
                }
            };
            self.newline |= has_line_end(&rest[..length]);
            self.at += length;
        }
    }

    /// The next line terminator at or after a byte, of the four kinds that JavaScript has.
    pub(super) fn line_end(&self, from: usize) -> usize {
        let rest = &self.text[from..];
        (0..rest.len()).find(|at| is_line_end(&rest[*at..])).map_or(self.text.len(), |at| from + at)
    }

    /// From a quote to its end. The parser stops where there is none on the line.
    fn string(&mut self, quote: u8) -> Token {
        self.at += 1;
        loop {
            match self.text.get(self.at) {
                Some(b'\\') if self.text[self.at + 1..].starts_with(b"\r\n") => self.at += 3,
                Some(b'\\') => self.at += 2,
                Some(byte) if *byte == quote => {
                    self.at += 1;
                    return Token::Operand;
                }
                None | Some(b'\n' | b'\r') => {
                    self.at = self.at.min(self.text.len());
                    self.stop = Some(self.at);
                    return Token::Operand;
                }
                _ => self.at += 1,
            }
        }
    }

    /// The text of a template: to its end or to the next value in it.
    fn template_text(&mut self) -> Option<Token> {
        self.start = self.at;
        self.newline = false;
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            match rest.first()? {
                b'\\' => self.at += 2,
                b'`' => return Some(self.one(Token::Close(b'`'))),
                b'$' if rest.starts_with(b"${") => {
                    self.at += 2;
                    return Some(Token::Open(b'$'));
                }
                _ => self.at += 1,
            }
        }
    }

    /// A number: `1.` is one too, so that a slash behind it divides.
    fn number(&mut self) -> Token {
        let radix =
            matches!(self.text[self.start..], [b'0', b'x' | b'X' | b'o' | b'O' | b'b' | b'B', ..]);
        let mut point = radix;
        while let Some(byte) = self.text.get(self.at) {
            let exponent =
                matches!(self.text[self.at - usize::from(self.at > self.start)], b'e' | b'E');
            match byte {
                b'.' if !point => point = true,
                b'+' | b'-' if exponent && !radix => point = true,
                _ if is_name(*byte) => {}
                _ => break,
            }
            self.at += 1;
        }
        Token::Operand
    }

    fn name(&mut self) -> Token {
        while self.text.get(self.at).is_some_and(|b| is_name(*b))
            && wide_space(&self.text[self.at..]) == 0
        {
            self.at += 1;
        }
        if self.before == Token::Sign(b'.') { Token::Operand } else { kind_of_word(self.word()) }
    }
}

/// Whether a word is reserved and part of an expression or statement, perhaps so, or a name.
fn kind_of_word(word: &[u8]) -> Token {
    match word {
        b"if" | b"else" | b"for" | b"while" | b"do" | b"with" | b"return" | b"throw"
        | b"typeof" | b"void" | b"delete" | b"await" | b"yield" | b"new" | b"in"
        | b"instanceof" | b"extends" | b"function" | b"class" | b"case" | b"default" | b"try"
        | b"catch" | b"finally" | b"export" => Token::Word,
        b"of" | b"as" | b"satisfies" | b"keyof" | b"readonly" | b"unique" | b"infer" | b"is"
        | b"asserts" | b"async" | b"static" | b"namespace" | b"module" | b"abstract"
        | b"declare" | b"accessor" => Token::MaybeWord,
        _ => Token::Operand,
    }
}

/// Whether a byte belongs to a name; anything beyond ASCII does, unless it is space.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#' | b'\\') || byte >= 0x80
}

fn is_line_end(rest: &[u8]) -> bool {
    matches!(rest, [b'\n' | b'\r', ..] | [0xE2, 0x80, 0xA8 | 0xA9, ..])
}

fn has_line_end(text: &[u8]) -> bool {
    (0..text.len()).any(|at| is_line_end(&text[at..]))
}

/// Bytes of a space beyond ASCII at the start of a text.
fn wide_space(rest: &[u8]) -> usize {
    match rest {
        [0xC2, 0xA0, ..] => 2,
        [0xE1, 0x9A, 0x80, ..]
        | [0xE2, 0x80, 0x80..=0x8A | 0xA8 | 0xA9 | 0xAF, ..]
        | [0xE2, 0x81, 0x9F, ..]
        | [0xE3, 0x80, 0x80, ..]
        | [0xEF, 0xBB, 0xBF, ..] => 3,
        _ => 0,
    }
}
