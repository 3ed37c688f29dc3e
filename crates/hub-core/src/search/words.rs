//! How text becomes words: splitting, folding, forms, stop words.
//!
//! Catalogue and query go through the same functions, so that a change here can never make the
//! two disagree.

use super::synonyms;
use std::borrow::Cow;

/// Characters of a word that are kept: nobody asks for longer ones, and a hostile description
/// may hold nothing else.
const WORD_CHARS: usize = 40;

/// A word as it stands in a text.
pub(super) struct Word<'a> {
    /// In lower case.
    pub text: &'a str,
    /// Whether nothing stood between it and the word before: `Git` `Hub`.
    pub glued: bool,
    /// Whether it is one character of a script without spaces.
    pub spaceless: bool,
}

/// Calls `each` with every word of `text`, split at case, digits and punctuation.
pub(super) fn split(text: &str, each: &mut dyn FnMut(Word<'_>)) {
    let mut word = String::with_capacity(WORD_CHARS);
    let mut length = 0;
    let mut glued = false;
    let mut kind = Kind::None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c.is_ascii_lowercase() && kind != Kind::Digit && kind != Kind::Spaceless {
            // Most of all text: a run of small letters, taken at once.
            let run = rest.bytes().take_while(u8::is_ascii_lowercase).count();
            let kept = run.min(WORD_CHARS - length);
            word.push_str(&rest[..kept]);
            length += kept;
            kind = Kind::Lower;
            rest = &rest[run..];
            continue;
        }
        let now = Kind::of(c);
        rest = &rest[c.len_utf8()..];
        let next = || rest.chars().next().map_or(Kind::None, Kind::of);
        // An apostrophe belongs to what it shortens: "user's", "won't".
        if matches!(c, '\'' | '’') && kind == Kind::Lower && next() == Kind::Lower {
            rest = rest.trim_start_matches(|c| Kind::of(c) == Kind::Lower);
            continue;
        }
        // "PRs", "URLs": the plural of an acronym is one word.
        if kind == Kind::Upper && now == Kind::Upper && rest.starts_with('s') {
            if length < WORD_CHARS {
                push_plain(c, &mut word);
                length += 1;
            }
            kind = Kind::Lower;
            continue;
        }
        if kind.parts(now, &next) && !word.is_empty() {
            each(Word { text: &word, glued, spaceless: kind == Kind::Spaceless });
            glued = now != Kind::None;
            word.clear();
            length = 0;
        }
        if now != Kind::None && length < WORD_CHARS {
            push_plain(c, &mut word);
            length += 1;
        }
        kind = now;
    }
    if !word.is_empty() {
        each(Word { text: &word, glued, spaceless: kind == Kind::Spaceless });
    }
}

/// Appends `c` in lower case, Latin letters without their accents.
fn push_plain(c: char, word: &mut String) {
    match c {
        'a'..='z' | '0'..='9' => word.push(c),
        'A'..='Z' => word.push(c.to_ascii_lowercase()),
        '\u{0300}'..='\u{036f}' => {}
        '\u{ff01}'..='\u{ff5e}' => {
            // Full-width forms of ASCII lie in the same order.
            let ascii = char::from_u32(c as u32 - 0xff01 + 0x21).unwrap_or(c);
            word.push(ascii.to_ascii_lowercase());
        }
        _ => c.to_lowercase().for_each(|low| match bare(low) {
            "" => word.push(low),
            letters => word.push_str(letters),
        }),
    }
}

/// The plain letters behind an accented one of the Latin script; empty for all others.
fn bare(c: char) -> &'static str {
    match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' | 'ả' | 'ạ' => "a",
        'æ' => "ae",
        'ç' | 'ć' | 'č' => "c",
        'ď' | 'đ' => "d",
        'è'..='ë' | 'ē' | 'ė' | 'ę' | 'ě' | 'ế' | 'ệ' => "e",
        'ğ' => "g",
        'ì'..='ï' | 'ī' | 'į' | 'ı' => "i",
        'ł' => "l",
        'ñ' | 'ń' | 'ň' => "n",
        'ò'..='ö' | 'ø' | 'ō' | 'ő' | 'ơ' => "o",
        'œ' => "oe",
        'ř' => "r",
        'ś' | 'ş' | 'š' | 'ș' => "s",
        'ß' => "ss",
        'ţ' | 'ť' | 'ț' => "t",
        'ù'..='ü' | 'ū' | 'ů' | 'ű' | 'ư' => "u",
        'ý' | 'ÿ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        _ => "",
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
        if c.is_ascii_lowercase() {
            Self::Lower
        } else if c.is_ascii_punctuation() || c == ' ' {
            Self::None
        } else if is_spaceless(c) {
            Self::Spaceless
        } else if c.is_uppercase() {
            Self::Upper
        } else if c.is_numeric() {
            Self::Digit
        } else if c.is_alphanumeric() || is_mark(c) {
            Self::Lower
        } else {
            Self::None
        }
    }

    /// Whether a word ends between a character of this kind and one of kind `now`.
    fn parts(self, now: Self, next: &dyn Fn() -> Self) -> bool {
        match (self, now) {
            (Self::Spaceless, _) | (Self::Lower, Self::Upper) => true,
            (Self::Upper, Self::Upper) => next() == Self::Lower,
            (Self::Upper, Self::Lower) => false,
            (a, b) => a != b,
        }
    }
}

/// Scripts written without spaces: each character is a word of its own.
fn is_spaceless(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
        && c.is_alphanumeric()
}

/// Signs that belong to the letter before them.
fn is_mark(c: char) -> bool {
    !c.is_ascii() && !c.is_whitespace() && unicode_ident::is_xid_continue(c)
}

/// The form under which a word is indexed: singular and plural are one.
pub(super) fn fold(word: &str) -> Cow<'_, str> {
    let plural = word.len() > 2 && word.ends_with('s') && word.is_ascii() && word != "news";
    let ends = |endings: &[&str]| endings.iter().any(|e| word.ends_with(e));
    if !plural || ends(&["ss", "us", "is"]) {
        Cow::Borrowed(word)
    } else if word.len() > 4 && word.ends_with("ies") {
        Cow::Owned(format!("{}y", &word[..word.len() - 3]))
    } else if ends(&["sses", "xes", "ches", "shes", "zzes"]) {
        Cow::Borrowed(&word[..word.len() - 2])
    } else {
        Cow::Borrowed(&word[..word.len() - 1])
    }
}

/// Calls `each` with other forms of a folded word: `scheduling` → `schedule`.
pub(super) fn forms(word: &str, each: &mut dyn FnMut(&str)) {
    if word.len() < 4 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return;
    }
    let inflected = ["ing", "ed", "er"].iter().find_map(|ending| word.strip_suffix(ending));
    if let Some(stem) = inflected.filter(|stem| stem.len() >= 3) {
        each(stem);
        each(&format!("{stem}e"));
        let tail = stem.as_bytes();
        if tail[tail.len() - 1] == tail[tail.len() - 2] {
            each(&stem[..stem.len() - 1]);
        }
    }
    if !word.ends_with("ing") && !word.ends_with("ed") {
        let bare = word.strip_suffix('e').unwrap_or(word);
        ["ing", "ed", "er"].iter().for_each(|ending| each(&format!("{bare}{ending}")));
    }
    if let Some(stem) = word.strip_suffix("ion") {
        each(&format!("{stem}e"));
        each(stem);
    } else if let Some(stem) = word.strip_suffix("te") {
        each(&format!("{stem}tion"));
    }
}

/// The folded words of `text`.
pub(crate) fn folded(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    split(text, &mut |word| out.push(fold(word.text).into_owned()));
    out
}

/// Whether two folded words stand for each other.
pub(crate) fn same_meaning(a: &str, b: &str) -> bool {
    synonyms::of(a).iter().any(|(word, _)| *word == b)
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

/// The letters and digits of a name, in lower case.
pub(super) fn letters(name: &str) -> String {
    name.chars().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect()
}

/// The hash under which a whole name is found. Words hold no NUL, so the two never meet.
pub(super) fn name_hash(letters: &str) -> u64 {
    hash_on(hash("\0"), letters)
}

/// The hash under which a word is found. FNV-1a, fixed for good: nothing random reaches a rank.
pub(super) fn hash(word: &str) -> u64 {
    hash_on(0xcbf2_9ce4_8422_2325, word)
}

/// Goes on with a hash: `hash_on(hash(a), b)` is the hash of `a` and `b` written together.
pub(super) fn hash_on(hash: u64, word: &str) -> u64 {
    word.bytes().fold(hash, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}
