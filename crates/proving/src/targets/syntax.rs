//! Programs of a grammar through the reader.

use super::read;
use crate::choices::Choices;
use crate::grammar::Grammar;
use hub_core::limits::CODE_CHARS;
use std::sync::LazyLock;

static SYNTAX: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::read(include_str!("../../grammars/syntax.txt")));

/// Makes a program from `data` and reads it.
pub fn check(data: &[u8]) {
    let mut choices = Choices::new(data);
    let code = match choices.below(8) {
        0 => SYNTAX.deep("program", &mut choices, CODE_CHARS - 1_000),
        _ => SYNTAX.text("program", &mut choices, 4_000),
    };
    read::code(&code);
}
