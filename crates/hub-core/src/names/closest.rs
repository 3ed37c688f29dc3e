//! "Did you mean": which of the known names are most like one that is unknown.

use crate::search::words;
use std::collections::HashSet;

/// Names longer than this are compared by their words alone; edit distance is quadratic.
const EDIT_CHARS: usize = 96;
/// Below this a name is not like the wanted one.
const ENOUGH: f32 = 0.5;

/// At most `max` names of `among`, most like `wanted` first; ties in the order of names.
///
/// A name is like another by its letters (a slip of the hand), by its words in any order, or by
/// words that mean the same (`addIssue` for `createIssue`).
pub fn closest<'a>(wanted: &str, among: impl Iterator<Item = &'a str>, max: usize) -> Vec<String> {
    let wanted = Shape::of(wanted);
    let mut found: Vec<(f32, &str)> = among
        .map(|name| (wanted.likeness(&Shape::of(name)), name))
        .filter(|(likeness, _)| *likeness >= ENOUGH)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    found.dedup_by(|a, b| a.1 == b.1);
    found.into_iter().take(max).map(|(_, name)| name.to_owned()).collect()
}

/// A name as it is compared.
struct Shape {
    letters: Vec<char>,
    words: Vec<String>,
}

impl Shape {
    fn of(name: &str) -> Self {
        let letters =
            name.chars().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect();
        Self { letters, words: words::folded(name) }
    }

    fn likeness(&self, other: &Self) -> f32 {
        if self.letters == other.letters {
            return 1.0;
        }
        let by_letters = self.by_letters(other);
        let by_words = self.by_words(other);
        by_letters.max(by_words) * 0.9 + by_letters.min(by_words) * 0.1
    }

    fn by_letters(&self, other: &Self) -> f32 {
        let longer = self.letters.len().max(other.letters.len());
        if longer == 0 || longer > EDIT_CHARS {
            return 0.0;
        }
        1.0 - distance(&self.letters, &other.letters) as f32 / longer as f32
    }

    /// Share of the words that have a partner on the other side.
    fn by_words(&self, other: &Self) -> f32 {
        let all = self.words.len() + other.words.len();
        if all == 0 {
            return 0.0;
        }
        let mut free: HashSet<usize> = (0..other.words.len()).collect();
        let mut shared = 0.0;
        for word in &self.words {
            let best = free
                .iter()
                .map(|&i| (partner(word, &other.words[i]), i))
                .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            if let Some((likeness, i)) = best.filter(|(likeness, _)| *likeness > 0.0) {
                free.remove(&i);
                shared += likeness;
            }
        }
        2.0 * shared / all as f32
    }
}

/// How much two words are partners: the same, one slip apart, or of one meaning.
fn partner(a: &str, b: &str) -> f32 {
    if a == b {
        return 1.0;
    }
    let (x, y): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let longer = x.len().max(y.len());
    if (4..=EDIT_CHARS).contains(&longer) && distance(&x, &y) <= longer / 4 {
        return 0.9;
    }
    if words::same_meaning(a, b) { 0.8 } else { 0.0 }
}

/// Insertions, deletions, replacements and swaps of neighbours that lead from `a` to `b`.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut row = vec![0; b.len() + 1];
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let differs = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + differs);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        std::mem::swap(&mut before, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    last[b.len()]
}
