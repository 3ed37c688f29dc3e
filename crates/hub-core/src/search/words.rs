//! How text becomes words: splitting, folding, stop words.
//!
//! Catalogue and query go through the same functions, so that a change here can never make the
//! two disagree.

use super::synonyms;

/// Words longer than this many characters are cut: nobody asks for them, and a hostile
/// description may hold nothing else.
const WORD_CHARS: usize = 40;

/// Calls `each` with every word of `text`, lowered, split at case, digits and punctuation.
/// `whole` tells whether the word is a whole chunk or a part of one.
pub(super) fn split(text: &str, each: &mut dyn FnMut(&str)) {
    let mut word = String::new();
    let mut kind = Kind::None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let now = Kind::of(c);
        let next = chars.peek().copied().map_or(Kind::None, Kind::of);
        let cut = match (kind, now) {
            (_, Kind::None) => kind != now,
            (Kind::Lower, Kind::Upper) | (Kind::Spaceless, _) => true,
            (Kind::Upper, Kind::Upper) => next == Kind::Lower,
            (Kind::Upper, Kind::Lower) => false,
            (a, b) => a != b,
        };
        if cut && !word.is_empty() {
            each(&word);
            word.clear();
        }
        if now != Kind::None && word.chars().count() < WORD_CHARS {
            word.extend(c.to_lowercase());
        }
        kind = now;
    }
    if !word.is_empty() {
        each(&word);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    None,
    Lower,
    Upper,
    Digit,
    Spaceless,
}

impl Kind {
    fn of(c: char) -> Self {
        if is_spaceless(c) {
            Self::Spaceless
        } else if c.is_uppercase() {
            Self::Upper
        } else if c.is_alphabetic() {
            Self::Lower
        } else if c.is_numeric() {
            Self::Digit
        } else {
            Self::None
        }
    }
}

/// Scripts written without spaces: each character is a word of its own.
fn is_spaceless(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

/// The form under which a word is indexed: plurals and verb forms of one word are one.
pub(super) fn fold(word: &str) -> String {
    let mut w = word.to_owned();
    if word.len() > 3 && word.is_ascii() {
        if let Some(stem) = word.strip_suffix("ies") {
            w = format!("{stem}y");
        } else if let Some(stem) = word.strip_suffix("es").filter(|s| {
            s.ends_with("ss") || s.ends_with('x') || s.ends_with("ch") || s.ends_with("sh")
        }) {
            w = stem.to_owned();
        } else if let Some(stem) = word
            .strip_suffix('s')
            .filter(|s| !s.ends_with('s') && !s.ends_with('u') && !s.ends_with('i'))
        {
            w = stem.to_owned();
        }
    }
    w
}

/// The folded words of `text`.
pub(crate) fn folded(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    split(text, &mut |word| out.push(fold(word)));
    out
}

/// Whether two folded words stand for each other.
pub(crate) fn same_meaning(a: &str, b: &str) -> bool {
    synonyms::of(a).any(|(word, _)| word == b)
}

/// Words that say nothing about a tool.
pub(super) fn is_stop(word: &str) -> bool {
    matches!(
        word,
        "a" | "an"
            | "the"
            | "of"
            | "to"
            | "in"
            | "on"
            | "for"
            | "and"
            | "or"
            | "with"
            | "by"
            | "from"
            | "at"
            | "as"
            | "is"
            | "are"
            | "be"
            | "this"
            | "that"
            | "it"
            | "its"
            | "my"
            | "me"
            | "i"
            | "we"
            | "you"
            | "your"
            | "our"
            | "do"
            | "does"
            | "did"
            | "can"
            | "will"
            | "have"
            | "has"
            | "what"
            | "which"
            | "who"
            | "how"
            | "please"
            | "all"
            | "any"
            | "into"
            | "need"
            | "want"
            | "there"
            | "their"
            | "them"
            | "so"
            | "if"
            | "was"
            | "were"
            | "some"
    )
}

/// The hash under which a word is found. FNV-1a, fixed for good: nothing random reaches a rank.
pub(super) fn hash(word: &str) -> u64 {
    word.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}
