//! A part of the index: for each word, which tools hold it and how strongly.
//!
//! Immutable. A segment is built of one source alone; `merge` joins segments of neighbours, so
//! that a search asks few dictionaries however many sources there are.

mod bag;
mod merge;

use super::weights::Weights;
use super::words;
use crate::catalog::Annotations;
use crate::limits::TOOLS_PER_SOURCE;
use crate::ports::Parameter;
use bag::Bag;
use std::ops::Range;

/// Bits of a word's key. Two words share one with a chance of 1 in 2³⁶.
const KEY_BITS: u32 = 36;
/// Bits of a term entry that say where its postings begin.
const AT_BITS: u32 = 64 - KEY_BITS;
/// Bits of a tool's position while a segment is built.
const TOOL_BITS: u32 = 20;
const _: () = assert!(TOOLS_PER_SOURCE < 1 << TOOL_BITS);
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

/// The index of one namespace's tools, or of several namespaces' one after the other. Immutable.
#[derive(Debug, Default)]
pub struct Segment {
    /// Key of a word above, place of its postings below, sorted.
    terms: Box<[u64]>,
    /// A bit per possible key, by its low bits: most words of a query are in few segments.
    sieve: Box<[u64]>,
    /// Per word: how many tools, then per tool the distance to the one before and the strength.
    postings: Box<[u8]>,
    /// The namespaces, in the order of their tools.
    pub(super) members: Box<[Member]>,
    /// Keys of the words of the namespaces' names, sorted, each with its member's position.
    homes: Box<[(u64, u32)]>,
    /// Tools whose name says that they delete, one bit each.
    deletes: Box<[u64]>,
    /// How many tools there are.
    pub(super) len: u32,
}

/// A namespace of a segment.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// Where its tools begin.
    pub start: u32,
    /// How many tools it has.
    pub len: u32,
    /// Letters and digits of its name.
    pub letters: Box<str>,
}

impl Member {
    /// Positions of its tools.
    pub(super) fn tools(&self) -> Range<u32> {
        self.start..self.start + self.len
    }
}

/// A word in a tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Posting {
    pub tool: u32,
    pub strength: f32,
}

/// Where a word's postings lie, and how many there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub count: u32,
    at: u32,
}

impl Segment {
    /// The index of the tools `docs` of `namespace`, in their order.
    pub fn build(namespace: &str, docs: &[ToolDoc<'_>]) -> Self {
        Self::build_with(namespace, docs, &Weights::default())
    }

    /// The same with other weights.
    pub fn build_with(namespace: &str, docs: &[ToolDoc<'_>], weights: &Weights) -> Self {
        let docs = &docs[..docs.len().min(1 << TOOL_BITS)];
        let mut found: Vec<u64> = Vec::with_capacity(docs.len() * 64);
        let mut deletes = vec![0_u64; docs.len().div_ceil(64)];
        let mut bag = Bag::default();
        for (tool, doc) in docs.iter().enumerate() {
            bag.fill(doc, weights);
            for (key, strength) in bag.merged() {
                let place = (*key << TOOL_BITS) | tool as u64;
                found.push((place << 8) | u64::from(level(*strength)));
            }
            let mut gone = false;
            words::split(doc.raw, &mut |w| gone |= is_delete(&words::fold(w.text)));
            deletes[tool / 64] |= u64::from(gone) << (tool % 64);
        }
        found.sort_unstable();
        let (terms, postings) = lists(&found);
        let mut homes = Vec::new();
        words::split(namespace, &mut |word| {
            if !words::is_stop(word.text) {
                homes.push((key(words::hash(&words::fold(word.text))), 0));
            }
        });
        homes.sort_unstable();
        homes.dedup();
        let len = docs.len() as u32;
        let member = Member { start: 0, len, letters: words::letters(namespace).into() };
        Self {
            sieve: sieve(&terms),
            terms: terms.into(),
            postings: postings.into(),
            members: [member].into(),
            homes: homes.into(),
            deletes: deletes.into(),
            len,
        }
    }

    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        let words = [&self.terms, &self.sieve, &self.deletes];
        let letters: usize = self.members.iter().map(|m| m.letters.len()).sum();
        words.iter().map(|w| 8 * w.len()).sum::<usize>()
            + self.postings.len()
            + self.members.len() * size_of::<Member>()
            + self.homes.len() * size_of::<(u64, u32)>()
            + letters
    }

    /// Whether the name of `tool` says that it deletes.
    pub(super) fn deletes(&self, tool: u32) -> bool {
        self.deletes[tool as usize / 64] >> (tool % 64) & 1 == 1
    }

    /// Where the postings of the word of that key lie.
    pub(super) fn find(&self, key: u64) -> Option<Place> {
        let bit = key as usize & (self.sieve.len() * 64).wrapping_sub(1);
        if self.sieve.get(bit / 64)? >> (bit % 64) & 1 == 0 {
            return None;
        }
        // Keys are spread evenly, so a word lies near its share of the way.
        let mut at = ((key * self.terms.len() as u64) >> KEY_BITS) as usize;
        while at > 0 && self.terms[at - 1] >> AT_BITS >= key {
            at -= 1;
        }
        while self.terms.get(at).is_some_and(|t| t >> AT_BITS < key) {
            at += 1;
        }
        let term = self.terms.get(at).filter(|t| *t >> AT_BITS == key)?;
        let start = (term & ((1 << AT_BITS) - 1)) as usize;
        let mut bytes = &self.postings[start..];
        let count = read_varint(&mut bytes);
        Some(Place { count, at: (self.postings.len() - bytes.len()) as u32 })
    }

    /// The members whose name holds the word of that key.
    pub(super) fn homes(&self, key: u64) -> &[(u64, u32)] {
        let start = self.homes.partition_point(|(known, _)| *known < key);
        let count = self.homes[start..].iter().take_while(|(known, _)| *known == key).count();
        &self.homes[start..start + count]
    }

    /// Which member `tool` belongs to.
    pub(super) fn member_of(&self, tool: u32) -> u32 {
        self.members.partition_point(|member| member.start <= tool).saturating_sub(1) as u32
    }

    /// The tools that hold the word found at `place`.
    pub(super) fn postings(&self, place: Place) -> Postings<'_> {
        Postings { bytes: &self.postings[place.at as usize..], left: place.count, tool: 0 }
    }
}

/// The part of a hash that a term entry keeps, well mixed.
pub(super) fn key(hash: u64) -> u64 {
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> AT_BITS
}

/// Whether a word says that something goes away.
pub(super) fn is_delete(word: &str) -> bool {
    matches!(word, "delete" | "remove" | "drop" | "destroy" | "purge" | "erase" | "wipe")
}

/// Terms and postings from sorted entries of key, tool and level.
fn lists(found: &[u64]) -> (Vec<u64>, Vec<u8>) {
    let mut terms = Vec::new();
    let mut postings = Vec::with_capacity(found.len() * 2 + found.len() / 2);
    for list in found.chunk_by(|a, b| a >> AT_BITS == b >> AT_BITS) {
        // Beyond 256 MiB of postings words are left out; the limits on a source keep it below.
        if postings.len() >= 1 << AT_BITS {
            break;
        }
        terms.push((list[0] >> AT_BITS << AT_BITS) | postings.len() as u64);
        varint(list.len() as u32, &mut postings);
        let mut last = 0;
        for entry in list {
            let tool = (entry >> 8) as u32 & ((1 << TOOL_BITS) - 1);
            varint(tool - last, &mut postings);
            postings.push(*entry as u8);
            last = tool;
        }
    }
    terms.shrink_to_fit();
    (terms, postings)
}

/// Eight bits per word, or a little more.
fn sieve(terms: &[u64]) -> Box<[u64]> {
    if terms.is_empty() {
        return Box::default();
    }
    let mut out = vec![0_u64; terms.len().div_ceil(8).next_power_of_two()];
    for term in terms {
        let bit = (term >> AT_BITS) as usize & (out.len() * 64 - 1);
        out[bit / 64] |= 1 << (bit % 64);
    }
    out.into()
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

/// Strength as a byte, on a logarithmic scale around 1.
fn level(strength: f32) -> u8 {
    (strength.max(1e-6).log2() * STEPS + 128.0).round().clamp(0.0, 255.0) as u8
}

/// The strength that a byte stands for.
fn strength(level: u8) -> f32 {
    static TABLE: std::sync::LazyLock<[f32; 256]> = std::sync::LazyLock::new(|| {
        std::array::from_fn(|level| ((level as f32 - 128.0) / STEPS).exp2())
    });
    TABLE[usize::from(level)]
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
