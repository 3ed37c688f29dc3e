//! Refuses text that is nested too deeply, before anything recursive sees it.
//!
//! This reads tokens, not grammar: it may be too strict with a strange program and too lax with a
//! hostile one (a slash can be division or a pattern). Laxness is caught by the size of the stack.

mod token;

use crate::fault::Fault;
use crate::text::count;

/// Brackets, braces, parentheses, templates and type arguments inside one another.
pub const NESTED_BRACKETS: usize = 256;

/// Operators, keywords and brackets in one statement or list item.
pub const CHAINED: u32 = 4_000;

/// Checks both limits.
pub fn check(text: &str) -> Result<(), Fault> {
    let mut scan = Scan::new(text);
    while let Some(token) = scan.next() {
        scan.take(token)?;
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token {
    /// A name, number or string.
    Operand,
    /// A word that opens or continues an expression or statement.
    Word,
    /// `(`, `[`, `{` and the start of a template or of its `${`.
    Open(u8),
    /// Their ends.
    Close(u8),
    /// `;` or `,`.
    Separator,
    /// Any other sign.
    Sign(u8),
}

/// An open bracket.
struct Open {
    kind: u8,
    /// Chained tokens before it, in the surrounding statement.
    chain: u32,
    /// Whether it is the head of `if`, `for` or `while`, after which a statement follows.
    head: bool,
}

struct Scan<'t> {
    text: &'t [u8],
    at: usize,
    start: usize,
    newline: bool,
    before_end: usize,
    groups: usize,
    open: Vec<Open>,
    chain: u32,
    angles: usize,
    before: Token,
    after_head: bool,
    head_word: bool,
}

impl<'t> Scan<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text: text.as_bytes(),
            at: 0,
            start: 0,
            newline: true,
            before_end: 0,
            groups: 0,
            open: Vec::new(),
            chain: 0,
            angles: 0,
            before: Token::Separator,
            after_head: false,
            head_word: false,
        }
    }

    /// Counts a token.
    fn take(&mut self, token: Token) -> Result<(), Fault> {
        self.end_of_statement(token);
        match token {
            Token::Open(kind) => {
                let head = self.head_word;
                self.open.push(Open { kind, chain: self.chain + 1, head });
                self.chain = 0;
                self.angles = 0;
            }
            Token::Close(_) => {
                if let Some(open) = self.open.pop() {
                    self.chain = open.chain;
                    self.after_head = open.head;
                }
                self.angles = 0;
            }
            Token::Separator => self.chain = 0,
            Token::Word | Token::Sign(_) => self.chain += 1,
            Token::Operand => {}
        }
        self.angles = match token {
            Token::Sign(b'<') => self.angles + 1,
            Token::Sign(b'>') => self.angles.saturating_sub(1),
            Token::Separator if self.text[self.start] == b';' => 0,
            _ => self.angles,
        };
        if !matches!(token, Token::Close(_)) {
            self.after_head = false;
        }
        self.head_word = token == Token::Word && self.is_head(self.head_word);
        self.before = token;
        let deepest = self.open.len().max(self.angles).max(self.groups);
        if deepest > NESTED_BRACKETS {
            return Err(self
                .too_deep(format!("The code is nested more than {NESTED_BRACKETS} levels deep.")));
        }
        if self.chain > CHAINED {
            return Err(self.too_deep(format!(
                "One statement has more than {CHAINED} operators, keywords and brackets."
            )));
        }
        Ok(())
    }

    fn too_deep(&self, message: String) -> Fault {
        Fault::new(message)
            .at(count(self.start))
            .hint("Split it into smaller statements, or build the value in a loop.")
    }

    /// Starts a new chain where a statement surely ended before `token`.
    fn end_of_statement(&mut self, token: Token) {
        let ended = match self.before {
            Token::Operand => self.newline,
            Token::Close(b')') => self.newline && !self.after_head,
            Token::Close(b'}') | Token::Close(b']') | Token::Close(b'`') => self.newline,
            _ => false,
        };
        let starts = match token {
            Token::Operand => true,
            Token::Word => !self.continues(),
            _ => false,
        };
        if ended && starts {
            self.chain = 0;
            self.angles = 0;
        }
    }

    fn word(&self) -> &'t [u8] {
        &self.text[self.start..self.at]
    }

    /// Whether a word stands before the head of a statement: `if (`, `for await (`.
    fn is_head(&self, after_head_word: bool) -> bool {
        matches!(self.word(), b"if" | b"for" | b"while" | b"with")
            || (after_head_word && self.word() == b"await")
    }

    /// Whether a word at the start of a line goes on with what came before.
    fn continues(&self) -> bool {
        matches!(
            self.word(),
            b"else" | b"in" | b"of" | b"instanceof" | b"as" | b"satisfies" | b"extends" | b"is"
        )
    }
}
