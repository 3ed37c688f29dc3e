//! Changes to a text that keep its lines: blanks, which keep columns too, and inserts.

use crate::text::{count, is_tail};
use hub_core::ports::Positions;

/// Changes to one text, by its bytes. Blanks and inserts may come in any order.
#[derive(Clone, Debug, Default)]
pub struct Edits {
    blanks: Vec<(u32, u32)>,
    marks: Vec<(u32, u8)>,
    inserts: Vec<(u32, String)>,
}

impl Edits {
    /// Replaces bytes by as many spaces; line ends stay.
    pub fn blank(&mut self, start: u32, end: u32) {
        if start < end {
            self.blanks.push((start, end));
        }
    }

    /// Puts one ASCII character into a blanked byte.
    pub fn mark(&mut self, at: u32, byte: u8) {
        self.marks.push((at, byte));
    }

    /// Inserts text without a line end.
    pub fn insert(&mut self, at: u32, text: impl Into<String>) {
        self.inserts.push((at, text.into()));
    }

    pub fn is_empty(&self) -> bool {
        self.blanks.is_empty() && self.inserts.is_empty()
    }

    /// Both sets of changes.
    pub fn and(mut self, other: Self) -> Self {
        self.blanks.extend(other.blanks);
        self.marks.extend(other.marks);
        self.inserts.extend(other.inserts);
        self
    }

    /// The changed text and where its columns came from.
    pub fn apply(mut self, text: &str) -> (String, Positions) {
        let mut bytes = text.as_bytes().to_vec();
        for (start, end) in &self.blanks {
            for byte in &mut bytes[*start as usize..*end as usize] {
                if !matches!(byte, b'\n' | b'\r') {
                    *byte = b' ';
                }
            }
        }
        for (at, byte) in &self.marks {
            bytes[*at as usize] = *byte;
        }
        let blanked = String::from_utf8_lossy(&bytes).into_owned();
        if self.inserts.is_empty() {
            return (blanked, Positions::Same);
        }
        self.inserts.sort_by_key(|(at, _)| *at);
        insert(&blanked, &self.inserts)
    }
}

/// Inserts, in order of place, and maps every line.
fn insert(text: &str, inserts: &[(u32, String)]) -> (String, Positions) {
    let mut out = String::with_capacity(text.len() + 64);
    let mut map = Vec::new();
    let mut next = inserts.iter().peekable();
    let mut line_start = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let number = count(index + 1);
        map.push((number, 1, number, 1));
        let (mut from, mut added) = (0, 0);
        let end = line_start + line.len();
        let last = end == text.len();
        while let Some((at, new)) =
            next.next_if(|(at, _)| (*at as usize) < end || (last && *at as usize == end))
        {
            let here = *at as usize - line_start;
            out.push_str(&line[from..here]);
            out.push_str(new);
            from = here;
            let column = count(line[..here].bytes().filter(|b| !is_tail(*b)).count() + 1);
            map.push((number, column + added, number, column));
            added += count(new.chars().count());
            map.push((number, column + added, number, column));
        }
        out.push_str(&line[from..]);
        line_start = end;
    }
    for (_, new) in next {
        out.push_str(new);
    }
    map.dedup_by_key(|m| (m.0, m.1));
    (out, Positions::Map(map))
}

/// The place in the text as sent of a place in the printed program.
pub fn chain(map: Vec<(u32, u32, u32, u32)>, first: &Positions) -> Positions {
    Positions::Map(
        map.into_iter()
            .map(|(line, column, l, c)| {
                let (l, c) = first.original(l, c);
                (line, column, l, c)
            })
            .collect(),
    )
}
