//! Characters as they are: what acts on a terminal, hides, turns the reading direction or looks
//! like another is spelled out as `\u{…}`.

/// Marks on one letter that are drawn; more are spelled out.
const MARKS: usize = 2;

/// Appends `text` as the inside of a quoted string.
pub(super) fn push(out: &mut String, text: &str) {
    spell(out, text, true);
}

/// Appends `text` where nothing stands around it that it could close.
pub(super) fn push_plain(out: &mut String, text: &str) {
    spell(out, text, false);
}

fn spell(out: &mut String, text: &str, quoted: bool) {
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (word, tail) = rest.split_at(end);
        push_word(out, word, quoted);
        let space = tail.chars().next().map_or(0, char::len_utf8);
        tail[..space].chars().for_each(|c| push_char(out, c, false, false, quoted));
        rest = &tail[space..];
    }
}

/// A word that has no white space in it. In one that mixes alphabets or reads like an address,
/// letters of look-alike alphabets are spelled out.
fn push_word(out: &mut String, word: &str, quoted: bool) {
    let latin = word.bytes().any(|b| b.is_ascii_alphabetic());
    let address = word.contains(['@', '/', '.', ':']);
    let suspicious = latin || address;
    let mut marks = 0;
    let mut chars = word.chars().peekable();
    while let Some(c) = chars.next() {
        marks = if is_mark(c) { marks + 1 } else { 0 };
        let drawn = (1..=MARKS).contains(&marks) && !out.ends_with('"');
        // An ideographic full stop before a Latin letter divides a host name.
        let divides = matches!(c, '\u{3002}' | '\u{ff61}')
            && chars.peek().is_some_and(char::is_ascii_alphanumeric);
        if divides {
            out.extend(c.escape_unicode());
        } else {
            push_char(out, c, suspicious, drawn, quoted);
        }
    }
}

fn push_char(out: &mut String, c: char, suspicious: bool, drawn_mark: bool, quoted: bool) {
    match c {
        '"' | '\\' if !quoted => out.push(c),
        ' '..='~' if c != '"' && c != '\\' => out.push(c),
        '"' | '\\' => out.extend(['\\', c]),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if is_hidden(c) || is_disguise(c) || (suspicious && is_look_alike(c)) => {
            out.extend(c.escape_unicode());
        }
        c if drawn_mark || c.escape_debug().len() == 1 => out.push(c),
        c => out.extend(c.escape_unicode()),
    }
}

/// A combining mark: drawn on the letter before it.
fn is_mark(c: char) -> bool {
    // `str::escape_debug` spells such a character out only at the beginning of a text.
    let mut bytes = [b'a'; 5];
    let len = c.encode_utf8(&mut bytes[1..]).len();
    let after_a = std::str::from_utf8(&bytes[..=len]).unwrap_or_default();
    !c.is_ascii()
        && !is_hidden(c)
        && c.escape_debug().len() > 1
        && after_a.escape_debug().nth(1) == Some(c)
}

/// Draws nothing, or turns the direction of reading.
pub(super) fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Another form of an ASCII character: full width, mathematical, small capitals, look-alike
/// punctuation, spaces of other widths.
fn is_disguise(c: char) -> bool {
    matches!(c,
        '\u{a0}' | '\u{131}' | '\u{1c0}'..='\u{1c3}' | '\u{250}'..='\u{2af}'
        | '\u{1d00}'..='\u{1d7f}' | '\u{2000}'..='\u{200a}' | '\u{2010}' | '\u{2011}'
        | '\u{2024}' | '\u{202f}' | '\u{2044}' | '\u{205f}' | '\u{2100}'..='\u{214f}'
        | '\u{2160}'..='\u{217f}' | '\u{2212}' | '\u{2215}' | '\u{2216}' | '\u{2223}'
        | '\u{2236}' | '\u{2460}'..='\u{24ff}' | '\u{29f8}' | '\u{29f9}' | '\u{3000}'
        | '\u{a731}' | '\u{a789}' | '\u{ab30}'..='\u{ab6f}' | '\u{fe50}'..='\u{fe6f}'
        | '\u{ff0e}'..='\u{ff19}' | '\u{ff20}'..='\u{ff3a}'
        | '\u{ff3c}' | '\u{ff41}'..='\u{ff5a}'
        | '\u{10780}'..='\u{107bf}' | '\u{1d400}'..='\u{1d7ff}'
        | '\u{1f100}'..='\u{1f1e5}' | '\u{1fbf0}'..='\u{1fbf9}')
}

/// A letter of an alphabet that shares shapes with the Latin one.
fn is_look_alike(c: char) -> bool {
    matches!(c,
        '\u{370}'..='\u{52f}'        // Greek, Cyrillic
        | '\u{531}'..='\u{58f}'      // Armenian
        | '\u{13a0}'..='\u{13ff}'    // Cherokee
        | '\u{1400}'..='\u{167f}'    // Canadian syllabics
        | '\u{16a0}'..='\u{16ff}'    // Runes
        | '\u{1c80}'..='\u{1c8f}' | '\u{2c80}'..='\u{2cff}' | '\u{2de0}'..='\u{2dff}'
        | '\u{1f00}'..='\u{1fff}' | '\u{a4d0}'..='\u{a4ff}' | '\u{a640}'..='\u{a69f}'
        | '\u{ab70}'..='\u{abbf}' | '\u{10280}'..='\u{1032f}' | '\u{10400}'..='\u{1044f}')
}
