//! Places of a source map as places of ours.
//!
//! A map ends lines at every line terminator of the language and counts UTF-16 units; we, like the
//! engine, end lines at `\n` alone and count characters.

use crate::text::count;

/// The lines of one text, both ways of counting. All indices are of characters.
pub struct Places {
    /// UTF-16 units before each character, and at the end.
    units: Vec<u32>,
    /// Where the map's lines start.
    theirs: Vec<usize>,
    /// Where ours do.
    ours: Vec<usize>,
}

impl Places {
    pub fn of(text: &str) -> Self {
        let mut places = Self { units: Vec::new(), theirs: vec![0], ours: vec![0] };
        let mut units = 0;
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            places.units.push(units);
            units += count(c.len_utf16());
            let next = places.units.len();
            match c {
                '\n' => {
                    places.theirs.push(next);
                    places.ours.push(next);
                }
                '\r' if chars.peek() != Some(&'\n') => places.theirs.push(next),
                '\u{2028}' | '\u{2029}' => places.theirs.push(next),
                _ => {}
            }
        }
        places.units.push(units);
        places
    }

    /// Line and column from 1 of a place of the map, whose numbers are from 0.
    pub fn place(&self, line: u32, column: u32) -> (u32, u32) {
        let last = self.theirs.len() - 1;
        let start = self.theirs[(line as usize).min(last)];
        let unit = self.units[start].saturating_add(column);
        let at = self.units.partition_point(|u| *u < unit).min(self.units.len() - 1);
        let line = self.ours.partition_point(|start| *start <= at);
        (count(line), count(at - self.ours[line - 1] + 1))
    }
}
