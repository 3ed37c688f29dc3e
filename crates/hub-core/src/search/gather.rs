//! From a query to scores: which words count, and what each tool gets for them.

use super::segment::{Segment, is_delete, key};
use super::weights::Weights;
use super::{synonyms, words};
use crate::catalog::Catalog;

/// Words of a query that are read.
const QUERY_WORDS: usize = 64;

/// One word of the query with those that stand for it.
pub(super) struct Group {
    /// The word itself first.
    forms: Vec<Form>,
}

struct Form {
    key: u64,
    weight: f32,
    idf: f32,
}

/// A query that is ready to be run over segments.
pub(super) struct Plan {
    groups: Vec<Group>,
    deletes: bool,
}

impl Plan {
    pub(super) fn of(text: &str, catalog: &Catalog, weights: &Weights) -> Self {
        let mut seen = Vec::new();
        words::split(text, &mut |word| {
            let word = words::fold(word);
            if !words::is_stop(&word) && seen.len() < QUERY_WORDS && !seen.contains(&word) {
                seen.push(word);
            }
        });
        let tools = catalog.tool_count() as f32;
        let groups = seen.iter().map(|word| group(word, catalog, tools, weights)).collect();
        Self { groups, deletes: seen.iter().any(|w| is_delete(w)) }
    }

    /// Score of every tool of `segment`; nothing for those without a word of the query.
    pub(super) fn scores(&self, segment: &Segment, weights: &Weights) -> Vec<f32> {
        let mut total = vec![0.0; segment.len as usize];
        let mut best = vec![0.0_f32; segment.len as usize];
        for group in &self.groups {
            for form in &group.forms {
                let everywhere = segment.namespace.binary_search(&form.key).is_ok();
                let base = if everywhere { weights.namespace } else { 0.0 };
                if everywhere {
                    let value = form.value(base, weights);
                    best.iter_mut().for_each(|b| *b = b.max(value));
                }
                for posting in segment.postings(form.key).1 {
                    let value = form.value(base + posting.strength, weights);
                    let best = &mut best[posting.tool as usize];
                    *best = best.max(value);
                }
            }
            for (total, best) in total.iter_mut().zip(&mut best) {
                *total += std::mem::take(best);
            }
        }
        if !self.deletes {
            for (tool, total) in total.iter_mut().enumerate() {
                if segment.deletes(tool as u32) {
                    *total *= weights.delete;
                }
            }
        }
        total
    }
}

impl Form {
    fn value(&self, strength: f32, weights: &Weights) -> f32 {
        self.weight * self.idf * strength / (weights.k1 + strength)
    }
}

fn group(word: &str, catalog: &Catalog, tools: f32, weights: &Weights) -> Group {
    let idf = |word: &str| {
        let key = key(words::hash(word));
        let holders: u32 = catalog.namespaces.iter().map(|n| holders(&n.segment, key)).sum();
        let holders = holders as f32;
        (
            key,
            if holders > 0.0 {
                (1.0 + (tools - holders + 0.5) / (holders + 0.5)).ln()
            } else {
                0.0
            },
        )
    };
    let (own_key, own) = idf(word);
    let mut forms = vec![Form { key: own_key, weight: 1.0, idf: own }];
    for (synonym, verb) in synonyms::of(word) {
        let (key, theirs) = idf(synonym);
        let weight = if verb { weights.verb } else { weights.noun };
        let idf = if own > 0.0 { own.min(theirs) } else { theirs };
        forms.push(Form { key, weight, idf });
    }
    Group { forms }
}

fn holders(segment: &Segment, key: u64) -> u32 {
    if segment.namespace.binary_search(&key).is_ok() {
        segment.len
    } else {
        segment.postings(key).0
    }
}
