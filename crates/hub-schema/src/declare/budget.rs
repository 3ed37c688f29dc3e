//! What an answer may cost, and the comment that closes one which leaves something out.

use hub_core::ports::TokenCount;

/// Share of the budget that the closing comment may take.
const CLOSING_PERCENT: usize = 15;
/// Bytes per token of budget that are printed at most: text is never that dense.
pub const BYTES_PER_TOKEN: usize = 8;
/// Tokens of the closing comment beside its names.
pub const CLOSING_WORDS: usize = 16;

pub struct Budget<'a> {
    pub tokens: usize,
    pub counter: &'a dyn TokenCount,
}

impl Budget<'_> {
    /// Whether `text` fits in `tokens`. Short text is not counted: a token is a byte at least.
    pub fn fits(&self, text: &str, tokens: usize) -> bool {
        text.len() <= tokens || self.cost(text) <= tokens
    }

    pub fn cost(&self, text: &str) -> usize {
        self.counter.count(text)
    }

    pub fn closing(&self) -> usize {
        self.tokens * CLOSING_PERCENT / 100
    }

    pub fn bytes(&self) -> usize {
        self.tokens.saturating_mul(BYTES_PER_TOKEN)
    }
}

/// The comment that names what is left out, and how many names it holds.
pub fn closing(omitted: &[String], budget: &Budget<'_>) -> (String, usize) {
    let mut listed = omitted.len();
    loop {
        let text = closing_text(omitted, listed);
        if listed == 0 || budget.fits(&text, budget.closing()) {
            return (text, listed);
        }
        listed = listed * 7 / 8;
    }
}

fn closing_text(omitted: &[String], listed: usize) -> String {
    let more = match omitted.len() - listed {
        0 => String::new(),
        more if listed == 0 => format!("{more} names"),
        more => format!(", and {more} more"),
    };
    match omitted {
        [] => String::new(),
        _ => format!("// Not expanded, describe by name: {}{more}\n", omitted[..listed].join(", ")),
    }
}
