//! Division or regular expression?

use super::{Scan, Token};
use crate::fault::Fault;
use crate::text::count;

enum Slash {
    Pattern,
    Division,
    Either,
}

impl Scan<'_> {
    /// Reads what a slash starts; no token where the line was read both ways.
    pub(super) fn slash(&mut self) -> Result<Option<Token>, Fault> {
        match self.kind_of_slash() {
            Slash::Pattern => Ok(Some(self.pattern())),
            Slash::Division => Ok(Some(self.one(Token::Sign(b'/')))),
            Slash::Either if self.pattern_end().is_none() => Ok(Some(self.one(Token::Sign(b'/')))),
            Slash::Either => self.both_ways().map(|()| None),
        }
    }

    fn kind_of_slash(&self) -> Slash {
        match self.before {
            Token::Word | Token::Open(_) | Token::Separator => Slash::Pattern,
            Token::MaybeWord | Token::Close(b'}') => Slash::Either,
            Token::Close(_) if self.after_head => Slash::Pattern,
            // A type may end here, and a statement with it.
            Token::Operand | Token::Close(_) if self.newline => Slash::Either,
            Token::Operand | Token::Close(_) => Slash::Division,
            Token::Sign(b'>') if self.text[..self.before_end].ends_with(b"=>") => Slash::Pattern,
            Token::Sign(b'>') => Slash::Either,
            // `a!` and `a++` are values, `!a` and `++a` await one.
            Token::Sign(b'!') => match self.before_sign {
                Token::Operand | Token::MaybeWord | Token::Close(_) => Slash::Either,
                Token::Sign(b'!' | b'>' | b'+' | b'-') => Slash::Either,
                _ => Slash::Pattern,
            },
            Token::Sign(b'+' | b'-') if self.before_sign == self.before => Slash::Either,
            Token::Sign(_) => Slash::Pattern,
        }
    }

    /// Reads the rest of the line as both. They must leave the same state behind.
    fn both_ways(&mut self) -> Result<(), Fault> {
        let line = self.line_end(self.at);
        let ambiguous =
            Fault::new("It is not clear whether this slash divides or starts a pattern.")
                .at(count(self.start))
                .hint("Put parentheses around the regular expression, or a `;` before it.");
        if self.forked {
            return Err(ambiguous);
        }
        let (Ok(pattern), Ok(division)) = (self.fork(true, line), self.fork(false, line)) else {
            return Err(ambiguous);
        };
        if !pattern.is_like(&division) {
            return Err(ambiguous);
        }
        let chain = pattern.chain.max(division.chain);
        *self = Scan { chain, groups: pattern.groups, forked: false, ..division };
        Ok(())
    }

    fn fork(&self, as_pattern: bool, line: usize) -> Result<Self, Fault> {
        let mut scan = Scan { forked: true, ..self.clone() };
        let first = if as_pattern { scan.pattern() } else { scan.one(Token::Sign(b'/')) };
        scan.take(first)?;
        while scan.stop.is_none() && scan.next_start() < line {
            let Some(token) = scan.next()? else { break };
            scan.take(token)?;
        }
        Ok(scan)
    }

    fn is_like(&self, other: &Self) -> bool {
        let open = self.open.iter().map(|o| (o.kind, o.head));
        self.stop.is_none()
            && other.stop.is_none()
            && (self.at, self.before, self.before_sign, self.after_head, self.head_word)
                == (other.at, other.before, other.before_sign, other.after_head, other.head_word)
            && open.eq(other.open.iter().map(|o| (o.kind, o.head)))
    }

    /// The end of a regular expression that starts here, if its line holds one, and how deep its
    /// groups are.
    fn pattern_end(&self) -> Option<(usize, usize)> {
        let end = self.line_end(self.at);
        let rest = &self.text[..end];
        let (mut at, mut class, mut groups, mut deepest) = (self.at + 1, false, 0_usize, 0);
        loop {
            match rest.get(at)? {
                b'\\' => at += 1,
                b'[' => class = true,
                b']' => class = false,
                b'/' if !class => return Some((at + 1, deepest)),
                b'(' if !class => {
                    groups += 1;
                    deepest = deepest.max(groups);
                }
                b')' if !class => groups = groups.saturating_sub(1),
                _ => {}
            }
            at += 1;
        }
    }

    /// A regular expression, or a sign where none ends on the line: the parser stops there.
    fn pattern(&mut self) -> Token {
        let Some((end, groups)) = self.pattern_end() else {
            self.stop = Some(self.line_end(self.at));
            return self.one(Token::Sign(b'/'));
        };
        self.groups = self.groups.max(groups);
        self.at = end;
        while self.text.get(self.at).is_some_and(u8::is_ascii_alphabetic) {
            self.at += 1;
        }
        Token::Operand
    }
}
