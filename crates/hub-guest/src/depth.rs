//! Refuses text that is nested too deeply, before anything recursive sees it.
//!
//! This reads tokens, not grammar. It must cut the text where the parser does: a string that only
//! one of the two sees could hide any depth. Where a slash can be both a division and the start of
//! a pattern, both are tried to the end of the line ([`slash`]).

mod slash;
#[cfg(test)]
mod tests;
mod token;

use crate::fault::Fault;
use crate::text::count;

/// Brackets, braces, parentheses, templates and type arguments inside one another.
pub const NESTED_BRACKETS: usize = 256;

/// Operators, keywords and brackets in one statement or list item.
pub const CHAINED: u32 = 4_000;

/// Readings of the same text. After `a<` the parser first tries type arguments and then a
/// comparison, in parentheses first parameters and then a value: each may double the work for
/// what stands inside, and levels multiply.
pub const READINGS: usize = 1_024;

/// Checks the limits. Answers how many bytes of the text the parser may see: all of them, or
/// those up to a bracket that closes nothing, where it will stop too.
pub fn check(text: &str) -> Result<usize, Fault> {
    let mut scan = Scan::new(text);
    while let Some(token) = scan.next()? {
        scan.take(token)?;
        if let Some(stop) = scan.stop {
            return Ok(stop);
        }
    }
    Ok(text.len())
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token {
    /// A name, number or string.
    Operand,
    /// A word that opens or continues an expression or statement, and can be nothing else.
    Word,
    /// A word that does so in some places and is a name in others.
    MaybeWord,
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
#[derive(Clone)]
struct Open {
    kind: u8,
    /// Chained tokens before it, in the surrounding statement.
    chain: u32,
    /// `<` before it that are open, and the readings of the text around.
    angles: usize,
    readings: usize,
    /// Whether it is the head of `if`, `for` or `while`, after which a statement follows.
    head: bool,
}

#[derive(Clone)]
struct Scan<'t> {
    text: &'t [u8],
    /// End of the token.
    at: usize,
    /// Start of the token.
    start: usize,
    /// End of the token before.
    before_end: usize,
    /// Whether a line ended between the two.
    newline: bool,
    before: Token,
    /// The token before a sign, where the sign may belong to it: `a!`, `a++`.
    before_sign: Token,
    open: Vec<Open>,
    chain: u32,
    /// `<` without its `>`, perhaps.
    angles: usize,
    /// How often the parser may read this text.
    readings: usize,
    /// Most groups inside one another in a pattern.
    groups: usize,
    /// Whether the token before closed the head of a statement.
    after_head: bool,
    /// Whether the token before opens one.
    head_word: bool,
    /// Whether this is one of two tries at a slash.
    forked: bool,
    /// End of a bracket that closes nothing.
    stop: Option<usize>,
}

impl<'t> Scan<'t> {
    fn new(text: &'t str) -> Self {
        let mut scan = Self {
            text: text.as_bytes(),
            at: 0,
            start: 0,
            before_end: 0,
            newline: true,
            before: Token::Separator,
            before_sign: Token::Separator,
            open: Vec::new(),
            chain: 0,
            angles: 0,
            readings: 1,
            groups: 0,
            after_head: false,
            head_word: false,
            forked: false,
            stop: None,
        };
        scan.skip_hashbang();
        scan
    }

    /// Counts a token.
    fn take(&mut self, token: Token) -> Result<(), Fault> {
        self.end_of_statement(token);
        match token {
            Token::Open(kind) => {
                let head = self.head_word;
                let Self { chain, angles, readings, .. } = *self;
                self.open.push(Open { kind, chain: chain + 1, angles, readings, head });
                let tries = if kind == b'(' && self.may_be_parameters() { 2 } else { 1 };
                self.readings = readings.saturating_mul(1 + angles).saturating_mul(tries);
                self.chain = 0;
                self.angles = 0;
            }
            Token::Close(kind) => self.close(kind),
            Token::Separator => self.chain = 0,
            Token::Word | Token::MaybeWord | Token::Sign(_) => self.chain += 1,
            Token::Operand => {}
        }
        self.angles = match token {
            Token::Sign(b'<') => self.angles + 1,
            Token::Sign(b'>') if self.text[..self.start].ends_with(b"=") => self.angles,
            Token::Sign(b'>') => self.angles.saturating_sub(1),
            Token::Separator if self.text[self.start] == b';' => 0,
            _ => self.angles,
        };
        if !matches!(token, Token::Close(_)) {
            self.after_head = false;
        }
        self.head_word = token == Token::Word && self.is_head(self.head_word);
        self.before_sign = self.before;
        self.before = token;
        self.limits()
    }

    fn close(&mut self, kind: u8) {
        let opens = match kind {
            b')' => b"(".as_slice(),
            b']' => b"[",
            b'}' => b"{$",
            _ => b"`",
        };
        match self.open.pop() {
            Some(open) if opens.contains(&open.kind) => {
                self.chain = open.chain;
                self.angles = open.angles;
                self.readings = open.readings;
                self.after_head = open.head;
            }
            _ => self.stop = Some(self.at),
        }
    }

    /// Whether a parenthesis here is neither a call nor the head of a statement.
    fn may_be_parameters(&self) -> bool {
        match self.before {
            Token::Operand => self.newline,
            Token::Close(b'}') => true,
            Token::Close(_) => self.newline || self.after_head,
            Token::Word => !self.head_word,
            _ => true,
        }
    }

    fn limits(&self) -> Result<(), Fault> {
        let deepest = self.open.len().max(self.angles).max(self.groups);
        if deepest > NESTED_BRACKETS {
            return Err(self
                .too_deep(format!("The code is nested more than {NESTED_BRACKETS} levels deep.")));
        }
        if self.readings > READINGS {
            return Err(
                self.too_deep("Parentheses or type arguments are nested too deeply.".to_owned())
            );
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
            Token::Operand | Token::Close(b'}' | b']' | b'`') => self.newline,
            Token::Close(_) => self.newline && !self.after_head,
            _ => false,
        };
        let starts = match token {
            Token::Operand => true,
            Token::Word | Token::MaybeWord => !self.continues(),
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
