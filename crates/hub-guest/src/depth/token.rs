//! Cuts text into the few kinds of tokens that `depth` counts.

use super::{Scan, Token};

/// Words that are part of an expression, type or statement and so can be chained.
const WORDS: [&[u8]; 40] = [
    b"if",
    b"else",
    b"for",
    b"while",
    b"do",
    b"with",
    b"return",
    b"throw",
    b"typeof",
    b"void",
    b"delete",
    b"await",
    b"yield",
    b"new",
    b"in",
    b"of",
    b"instanceof",
    b"as",
    b"satisfies",
    b"extends",
    b"keyof",
    b"readonly",
    b"unique",
    b"infer",
    b"is",
    b"asserts",
    b"async",
    b"function",
    b"class",
    b"case",
    b"default",
    b"try",
    b"catch",
    b"finally",
    b"export",
    b"static",
    b"namespace",
    b"module",
    b"abstract",
    b"declare",
];

impl Scan<'_> {
    /// The next token; `None` at the end.
    pub(super) fn next(&mut self) -> Option<Token> {
        self.before_end = self.at;
        if self.open.last().is_some_and(|open| open.kind == b'`') {
            return self.template_text();
        }
        self.skip_space();
        self.start = self.at;
        let first = *self.text.get(self.at)?;
        Some(match first {
            b'"' | b'\'' => self.string(first),
            b'`' | b'(' | b'[' | b'{' => self.one(Token::Open(first)),
            b')' | b']' | b'}' => self.one(Token::Close(first)),
            b';' | b',' => self.one(Token::Separator),
            b'/' if self.pattern_may_start() => self.pattern(),
            _ if is_name(first) => self.name(),
            _ => self.one(Token::Sign(first)),
        })
    }

    fn one(&mut self, token: Token) -> Token {
        self.at += 1;
        token
    }

    /// Spaces and comments; remembers whether a line ended.
    fn skip_space(&mut self) {
        self.newline = false;
        while let Some(byte) = self.text.get(self.at) {
            let rest = &self.text[self.at..];
            let length = if rest.starts_with(b"//") {
                rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len())
            } else if rest.starts_with(b"/*") {
                let end = rest[2..].windows(2).position(|w| w == b"*/");
                end.map_or(rest.len(), |i| i + 4)
            } else if byte.is_ascii_whitespace() {
                1
            } else {
                return;
            };
            self.newline |= rest[..length].contains(&b'\n');
            self.at += length;
        }
    }

    /// From a quote to its end, or to the end of the line.
    fn string(&mut self, quote: u8) -> Token {
        self.at += 1;
        while let Some(byte) = self.text.get(self.at) {
            match byte {
                b'\\' => self.at += 2,
                b'\n' => break,
                _ => self.at += 1,
            }
            if *byte == quote {
                break;
            }
        }
        self.at = self.at.min(self.text.len());
        Token::Operand
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

    /// Whether a slash here starts a regular expression rather than a division.
    fn pattern_may_start(&self) -> bool {
        match self.before {
            Token::Operand | Token::Close(b']' | b'`') => false,
            Token::Close(b'}') => self.newline,
            Token::Close(_) => self.after_head,
            Token::Sign(b'+' | b'-') => {
                let before = &self.text[..self.before_end];
                !before.ends_with(b"++") && !before.ends_with(b"--")
            }
            _ => true,
        }
    }

    /// A regular expression, if it ends on its line.
    fn pattern(&mut self) -> Token {
        let rest = &self.text[self.at + 1..];
        let (mut at, mut class, mut groups, mut deepest) = (0, false, 0_usize, 0);
        loop {
            match rest.get(at) {
                None | Some(b'\n') => return self.one(Token::Sign(b'/')),
                Some(b'\\') => at += 1,
                Some(b'[') => class = true,
                Some(b']') => class = false,
                Some(b'/') if !class => break,
                Some(b'(') if !class => {
                    groups += 1;
                    deepest = deepest.max(groups);
                }
                Some(b')') if !class => groups = groups.saturating_sub(1),
                _ => {}
            }
            at += 1;
        }
        self.groups = self.groups.max(deepest);
        self.at += at + 2;
        while self.text.get(self.at).is_some_and(u8::is_ascii_alphabetic) {
            self.at += 1;
        }
        Token::Operand
    }

    fn name(&mut self) -> Token {
        while self.text.get(self.at).is_some_and(|b| is_name(*b)) {
            self.at += 1;
        }
        if WORDS.contains(&self.word()) { Token::Word } else { Token::Operand }
    }
}

/// Whether a byte belongs to a name or number; anything beyond ASCII does.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#' | b'\\') || byte >= 0x80
}
