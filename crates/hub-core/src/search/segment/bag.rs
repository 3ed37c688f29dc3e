//! A tool's words with what they weigh, before they are indexed.

use super::{ToolDoc, key};
use crate::ports::Parameter;
use crate::search::weights::{Field, Weights};
use crate::search::{sentence, words};

/// Bytes of description that are read, per tool.
const TEXT_BYTES: usize = 16 << 10;
/// Parameters that are read, per tool.
const PARAMETERS: usize = 256;
/// Bytes of a parameter's description that are read.
const PARAMETER_BYTES: usize = 1 << 10;

/// The words of one tool with their strengths.
#[derive(Default)]
pub(super) struct Bag {
    found: Vec<(u64, f32)>,
}

impl Bag {
    pub(super) fn fill<'a>(&mut self, doc: &ToolDoc<'a>, w: &Weights) {
        self.found.clear();
        let parameters = || doc.parameters.iter().take(PARAMETERS);
        let (first, rest) = sentence::halves(cut(doc.description, TEXT_BYTES));
        self.name(doc.raw, w);
        self.field(doc.title.into_iter(), &w.title);
        self.field([first].into_iter(), &w.first);
        self.field([rest].into_iter(), &w.rest);
        self.field(parameters().map(|p| p.name.as_str()), &w.parameter);
        let told = |p: &'a Parameter| {
            let values = p.values.iter().map(String::as_str);
            std::iter::once(cut(&p.description, PARAMETER_BYTES)).chain(values)
        };
        let texts = parameters().flat_map(told);
        self.field(texts, &w.parameter_text);
        for name in [doc.name, doc.raw] {
            self.found.push((key(words::name_hash(&words::letters(name))), 1.0));
        }
    }

    /// A field's words; glued neighbours also as one word.
    fn field<'a>(&mut self, texts: impl Iterator<Item = &'a str>, field: &Field) {
        let start = self.found.len();
        let mut length = 0.0;
        for text in texts {
            let mut before = 0;
            words::split(text, &mut |word| {
                let folded = words::fold(word.text);
                if word.glued {
                    self.found.push((key(words::hash_on(before, &folded)), 1.0));
                }
                if !words::is_stop(word.text) {
                    self.found.push((key(words::hash(&folded)), 1.0));
                    length += 1.0;
                }
                before = words::hash(word.text);
            });
        }
        self.weigh(start, field, length);
    }

    /// The name's words; all neighbours also as one word.
    fn name(&mut self, name: &str, w: &Weights) {
        let start = self.found.len();
        let mut length = 0.0;
        let mut before = None;
        words::split(name, &mut |word| {
            let folded = words::fold(word.text);
            if let Some(before) = before {
                let joined = words::hash_on(before, &folded);
                self.found.push((key(joined), w.joined / w.name.weight));
            }
            if !words::is_stop(word.text) {
                self.found.push((key(words::hash(&folded)), 1.0));
            }
            length += 1.0;
            before = Some(words::hash(word.text));
        });
        self.weigh(start, &w.name, length);
    }

    fn weigh(&mut self, start: usize, field: &Field, length: f32) {
        let norm = 1.0 - field.length + field.length * length / field.usual;
        for (_, strength) in &mut self.found[start..] {
            *strength *= field.weight / norm;
        }
    }

    /// Each word once, its strengths added up.
    pub(super) fn merged(&mut self) -> &[(u64, f32)] {
        self.found.sort_unstable_by_key(|(key, _)| *key);
        self.found.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        &self.found
    }
}

fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}
