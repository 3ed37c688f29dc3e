//! One source's part of the index: for each word, which tools hold it and how strongly.
//!
//! Immutable, and a function of the source alone: a refresh of one source rebuilds one segment.

use super::weights::{Weights, usual};
use super::{sentence, words};
use crate::catalog::Annotations;
use crate::ports::Parameter;
use std::collections::BTreeMap;

/// Bits of a term entry that say where its postings begin.
const AT_BITS: u32 = 28;
/// Bytes of description that are read, per tool.
const TEXT_BYTES: usize = 16 << 10;
/// Parameters that are read, per tool.
const PARAMETERS: usize = 256;
/// Steps of strength per doubling in a posting's byte.
const STEPS: f32 = 12.0;

/// A tool as it is indexed.
#[derive(Clone, Copy, Debug)]
pub struct ToolDoc<'a> {
    /// Its name in code.
    pub name: &'a str,
    /// The source's own name for it.
    pub raw: &'a str,
    /// For people.
    pub title: Option<&'a str>,
    /// What it does.
    pub description: &'a str,
    /// Its parameters.
    pub parameters: &'a [Parameter],
    /// What it says of itself.
    pub annotations: Annotations,
}

/// One source's part of the index. Immutable.
#[derive(Debug, Default)]
pub struct Segment {
    /// Hash of a word above, place of its postings below, sorted.
    terms: Box<[u64]>,
    /// Per word: how many tools, then per tool the distance to the one before and the strength.
    postings: Box<[u8]>,
    /// Words of the namespace's name, as hashes.
    pub(super) namespace: Box<[u64]>,
    /// Tools whose name says that they delete, one bit each.
    deletes: Box<[u64]>,
    /// How many tools there are.
    pub(super) len: u32,
}

/// A word in a tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Posting {
    pub tool: u32,
    pub strength: f32,
}

impl Segment {
    /// The index of the tools `docs` of `namespace`, in their order.
    pub fn build(namespace: &str, docs: &[ToolDoc<'_>]) -> Self {
        Self::build_with(namespace, docs, &Weights::default())
    }

    /// The same with other weights.
    pub fn build_with(namespace: &str, docs: &[ToolDoc<'_>], weights: &Weights) -> Self {
        let mut lists: BTreeMap<u64, List> = BTreeMap::new();
        let mut deletes = vec![0_u64; docs.len().div_ceil(64)];
        for (tool, doc) in docs.iter().enumerate() {
            for (hash, strength) in strengths(doc, weights) {
                lists.entry(hash).or_default().push(tool as u32, strength);
            }
            if words::folded(doc.raw).iter().any(|w| is_delete(w)) {
                deletes[tool / 64] |= 1 << (tool % 64);
            }
        }
        let mut terms = Vec::with_capacity(lists.len());
        let mut postings = Vec::new();
        for (hash, list) in lists {
            terms.push((hash << AT_BITS) | postings.len() as u64);
            varint(list.count, &mut postings);
            postings.extend_from_slice(&list.bytes);
        }
        let mut names = words::folded(namespace);
        names.retain(|w| !words::is_stop(w));
        let mut namespace: Vec<u64> = names.iter().map(|w| key(words::hash(w))).collect();
        namespace.sort_unstable();
        namespace.dedup();
        Self {
            terms: terms.into(),
            postings: postings.into(),
            namespace: namespace.into(),
            deletes: deletes.into(),
            len: docs.len() as u32,
        }
    }

    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        8 * (self.terms.len() + self.namespace.len() + self.deletes.len()) + self.postings.len()
    }

    pub(super) fn deletes(&self, tool: u32) -> bool {
        self.deletes[tool as usize / 64] >> (tool % 64) & 1 == 1
    }

    /// How many tools hold the word of that key, and which.
    pub(super) fn postings(&self, key: u64) -> (u32, Postings<'_>) {
        let at = self.terms.partition_point(|t| t >> AT_BITS < key);
        let place = self.terms.get(at).filter(|t| *t >> AT_BITS == key);
        let Some(place) = place else {
            return (0, Postings { bytes: &[], left: 0, tool: 0 });
        };
        let mut bytes = &self.postings[(place & ((1 << AT_BITS) - 1)) as usize..];
        let count = read_varint(&mut bytes);
        (count, Postings { bytes, left: count, tool: 0 })
    }
}

/// The part of a hash that a term entry keeps.
pub(super) fn key(hash: u64) -> u64 {
    hash >> AT_BITS
}

/// Whether a word says that something goes away.
pub(super) fn is_delete(word: &str) -> bool {
    matches!(word, "delete" | "remove" | "drop" | "destroy" | "purge" | "erase" | "wipe")
}

/// Reads a posting list.
pub(super) struct Postings<'a> {
    bytes: &'a [u8],
    left: u32,
    tool: u32,
}

impl Iterator for Postings<'_> {
    type Item = Posting;

    fn next(&mut self) -> Option<Posting> {
        self.left = self.left.checked_sub(1)?;
        self.tool += read_varint(&mut self.bytes);
        let (level, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(Posting { tool: self.tool, strength: strength(*level) })
    }
}

#[derive(Default)]
struct List {
    count: u32,
    last: u32,
    bytes: Vec<u8>,
}

impl List {
    fn push(&mut self, tool: u32, strength: f32) {
        varint(tool - self.last, &mut self.bytes);
        self.bytes.push(level(strength));
        self.last = tool;
        self.count += 1;
    }
}

/// Strength as a byte, on a logarithmic scale around 1.
fn level(strength: f32) -> u8 {
    (strength.max(1e-6).log2() * STEPS + 128.0).round().clamp(0.0, 255.0) as u8
}

fn strength(level: u8) -> f32 {
    ((f32::from(level) - 128.0) / STEPS).exp2()
}

fn varint(mut n: u32, out: &mut Vec<u8>) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn read_varint(bytes: &mut &[u8]) -> u32 {
    let mut n = 0;
    let mut shift = 0;
    while let Some((b, rest)) = bytes.split_first() {
        *bytes = rest;
        n |= u32::from(b & 0x7f) << shift;
        if b & 0x80 == 0 {
            break;
        }
        shift += 7;
    }
    n
}

/// How strongly `doc` holds each of its words.
fn strengths(doc: &ToolDoc<'_>, w: &Weights) -> BTreeMap<u64, f32> {
    let mut out = BTreeMap::new();
    let mut field = |text: &mut dyn Iterator<Item = &str>, weight: f32, usual: f32| {
        let mut found: BTreeMap<u64, f32> = BTreeMap::new();
        let mut length = 0.0;
        for part in text {
            words::split(part, &mut |word| {
                if !words::is_stop(word) {
                    *found.entry(words::hash(&words::fold(word))).or_default() += 1.0;
                    length += 1.0;
                }
            });
        }
        let norm = 1.0 - w.length + w.length * length / usual;
        for (hash, count) in found {
            *out.entry(key(hash)).or_default() += weight * count / norm;
        }
    };
    let (first, rest) = sentence::halves(cut(doc.description));
    let parameters = || doc.parameters.iter().take(PARAMETERS);
    field(&mut [doc.raw].into_iter(), w.name, usual::NAME);
    field(&mut doc.title.into_iter(), w.title, usual::TITLE);
    field(&mut [first].into_iter(), w.first, usual::FIRST);
    field(&mut [rest].into_iter(), w.rest, usual::REST);
    field(&mut parameters().map(|p| p.name.as_str()), w.parameter, usual::PARAMETER);
    let mut texts = parameters().map(|p| p.description.as_str());
    field(&mut texts, w.parameter_text, usual::PARAMETER_TEXT);
    out
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(TEXT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
