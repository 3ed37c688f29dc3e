//! What a query asks for: its words, what may stand for them, and names that were pasted.

use super::gather::Found;
use super::segment::{is_delete, key};
use super::synonyms::{self, Bond};
use super::weights::Weights;
use super::words;
use std::collections::HashMap;

/// Words of a query that are read, pairs included.
const QUERY_WORDS: usize = 256;
/// Pasted names of a query that are looked up.
const EXACT_NAMES: usize = 32;

/// A query as it is looked up.
pub(super) struct Question {
    /// Every word that may count, each once.
    pub keys: Vec<u64>,
    /// Names that were pasted.
    pub names: Vec<Pasted>,
    /// Whether something is to go away.
    pub deletes: bool,
    places: Vec<Asked>,
}

/// A name that was pasted.
pub(super) struct Pasted {
    pub key: u64,
    /// Only in the namespace of these letters.
    pub namespace: Option<String>,
}

/// One word of the query, with what may stand for it.
struct Asked {
    word: Word,
    /// The word itself first; then other forms and words of the same meaning.
    forms: Vec<(usize, Kin)>,
}

struct Word {
    text: String,
    weight: f32,
    /// Whether a tool without it answers less of the query. Pairs and numbers do not count.
    counts: bool,
    /// Two words of the query written as one.
    pair: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kin {
    Itself,
    Form,
    Meant(Bond),
}

/// The places of a query that can match, with their weights.
pub(super) struct Groups {
    pub list: Vec<Group>,
    /// Most that a tool could get if every word were known and its own.
    pub most: f32,
}

/// A place of the query: a tool gets the best of its forms.
pub(super) struct Group {
    pub forms: Vec<Form>,
    /// Most that a tool can get here.
    pub most: f32,
}

/// A word that counts in a group.
pub(super) struct Form {
    /// Position in [`Question::keys`].
    pub key: usize,
    weight: f32,
    idf: f32,
}

impl Form {
    pub(super) fn value(&self, strength: f32, weights: &Weights) -> f32 {
        self.weight * self.idf * strength / (weights.k1 + strength)
    }
}

impl Question {
    pub(super) fn of(text: &str, weights: &Weights) -> Self {
        let mut keys = Keys::default();
        let words = read(text, weights);
        let deletes = words.iter().any(|w| w.counts && is_delete(&w.text));
        let mut places = Vec::new();
        for word in words {
            let mut forms = vec![(keys.place(&word.text), Kin::Itself)];
            if !word.pair {
                words::forms(&word.text, &mut |form| forms.push((keys.place(form), Kin::Form)));
            }
            for (other, bond) in synonyms::of(&word.text) {
                forms.push((keys.place(other), Kin::Meant(*bond)));
            }
            places.push(Asked { word, forms });
        }
        Self { keys: keys.list, names: pasted(text), deletes, places }
    }

    /// Weighs the places once it is known how many tools hold each word.
    pub(super) fn groups(&self, found: &[Found<'_>], tools: usize, weights: &Weights) -> Groups {
        let tools = tools as f32;
        let idf = |key: usize| match found[key].holders as f32 {
            0.0 => 0.0,
            holders => (1.0 + (tools - holders + 0.5) / (holders + 0.5)).ln(),
        };
        let mut out = Groups { list: Vec::new(), most: 0.0 };
        for place in &self.places {
            let group = place.group(&idf, weights);
            if place.word.counts {
                let unknown = place.word.weight * (1.0 + tools).ln();
                out.most += group.as_ref().map_or(unknown, |g| g.most);
            }
            out.list.extend(group);
        }
        out
    }
}

impl Asked {
    fn group(&self, idf: &dyn Fn(usize) -> f32, weights: &Weights) -> Option<Group> {
        let own = idf(self.forms[0].0);
        let mut forms = Vec::new();
        // A verb is no rarer than its meaning: that few tools say "fetch" where the others say
        // "get" does not make it a word that tells tools apart.
        let mut cap = f32::INFINITY;
        for &(key, kin) in &self.forms {
            let theirs = idf(key);
            if theirs <= 0.0 {
                continue;
            }
            let share = match kin {
                Kin::Itself => 1.0,
                Kin::Form => weights.form,
                Kin::Meant(Bond::Verb) => weights.verb,
                Kin::Meant(Bond::Noun) => weights.noun,
                Kin::Meant(Bond::Far) if own > 0.0 => continue,
                Kin::Meant(Bond::Far) => weights.far,
            };
            let idf = if own > 0.0 { own.min(theirs) } else { theirs };
            if kin == Kin::Meant(Bond::Verb) {
                cap = cap.min(theirs * weights.verb_rarity);
            }
            forms.push(Form { key, weight: self.word.weight * share, idf });
        }
        for form in &mut forms {
            form.idf = form.idf.min(cap);
        }
        let most = forms.iter().map(|f| f.weight * f.idf).fold(0.0, f32::max);
        (!forms.is_empty()).then_some(Group { forms, most })
    }
}

/// Keys, each once.
#[derive(Default)]
struct Keys {
    list: Vec<u64>,
    known: HashMap<u64, usize>,
}

impl Keys {
    fn place(&mut self, word: &str) -> usize {
        let key = key(words::hash(word));
        *self.known.entry(key).or_insert_with(|| {
            self.list.push(key);
            self.list.len() - 1
        })
    }
}

/// The words of a query, each once, with neighbours that may be one word.
fn read(text: &str, weights: &Weights) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::new();
    let mut push = |word: Word| {
        if out.len() < QUERY_WORDS && !out.iter().any(|w| w.text == word.text) {
            out.push(word);
        }
    };
    let mut before: Option<String> = None;
    for (i, part) in text.split(['"', '“', '”', '`']).enumerate() {
        let quoted = if i % 2 == 1 { weights.quoted } else { 1.0 };
        words::split(part, &mut |word| {
            let folded = words::fold(word.text).into_owned();
            if let Some(before) = &before {
                let text = format!("{before}{folded}");
                let counts = word.glued && word.spaceless;
                let known = counts || !synonyms::of(&text).is_empty();
                let weight = quoted * if known { 1.0 } else { weights.pair };
                push(Word { text, weight, counts, pair: true });
            }
            if !words::is_stop(word.text) {
                let number = word.text.bytes().all(|b| b.is_ascii_digit());
                let minor = number || word.spaceless;
                let weight = quoted * if minor { weights.number } else { 1.0 };
                push(Word { text: folded, weight, counts: !minor, pair: false });
            }
            before = Some(word.text.to_owned());
        });
    }
    out
}

/// Names that were pasted: words that are written as one, and the query as a whole.
fn pasted(text: &str) -> Vec<Pasted> {
    let mut out = Vec::new();
    let mut add = |name: &str, namespace: Option<&str>| {
        let letters = words::letters(name);
        if !letters.is_empty() {
            let key = key(words::name_hash(&letters));
            out.push(Pasted { key, namespace: namespace.map(words::letters) });
        }
    };
    add(text, None);
    for token in text.split_whitespace().take(EXACT_NAMES) {
        let mut parts = 0;
        words::split(token, &mut |_| parts += 1);
        if parts > 1 {
            add(token, None);
            for (at, c) in token.char_indices().filter(|(_, c)| matches!(c, '.' | '[' | '/' | ':'))
            {
                add(&token[at + c.len_utf8()..], Some(&token[..at]));
            }
        }
    }
    out
}
