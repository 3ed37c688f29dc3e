//! The index of a whole catalogue: namespaces in a few shards, each with one dictionary.
//!
//! With one dictionary per source, 2,000 sources cost 2,000 look-ups per word. Where shards end
//! depends on the namespaces near by alone, so that a source that changes costs its shard.

use super::segment::Segment;
use super::words;
use crate::catalog::Namespace;
use std::sync::Arc;

/// Tools of a shard, unless a single namespace has more.
const SHARD_TOOLS: u32 = 8_192;
/// On average one namespace of so many ends a shard, whatever stands around it.
const SHARD_NAMESPACES: u64 = 64;

/// The index of a catalogue. Immutable and cheap to make anew where little changes.
#[derive(Debug, Default)]
pub struct Index {
    pub(super) shards: Vec<Shard>,
    /// How many tools there are.
    pub(super) tools: u32,
}

/// Neighbouring namespaces.
#[derive(Debug)]
pub(super) struct Shard {
    /// Position of the first namespace.
    pub namespace: u32,
    /// Position of the first tool, among all.
    pub tool: u32,
    pub segment: Arc<Segment>,
}

/// Where the index of one namespace is taken from: a segment, and which of its members.
pub(crate) type Part = (Arc<Segment>, usize);

impl Index {
    /// The index of `parts`, which are sorted by name. A shard whose
    /// parts are those of a segment is that segment.
    pub(crate) fn new(namespaces: &[Arc<Namespace>], parts: &[Part]) -> Self {
        let mut out = Self::default();
        let mut start = 0;
        while start < parts.len() {
            let end = start + shard(&namespaces[start..], &parts[start..]);
            let segment = same(&parts[start..end]).unwrap_or_else(|| {
                let parts: Vec<(&Segment, usize)> =
                    parts[start..end].iter().map(|(segment, at)| (&**segment, *at)).collect();
                Arc::new(Segment::merge(&parts))
            });
            let tool = out.tools;
            out.tools += segment.len;
            out.shards.push(Shard { namespace: start as u32, tool, segment });
            start = end;
        }
        out
    }

    /// The part of the namespace at `at`.
    pub(crate) fn part(&self, at: usize) -> Option<Part> {
        let shard = self.shards.partition_point(|shard| shard.namespace as usize <= at);
        let shard = self.shards.get(shard.checked_sub(1)?)?;
        let member = at - shard.namespace as usize;
        (member < shard.segment.members.len()).then(|| (shard.segment.clone(), member))
    }

    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        let shards = self.shards.iter().map(|shard| shard.segment.heap_bytes());
        shards.sum::<usize>() + self.shards.len() * size_of::<Shard>()
    }
}

/// The segment that is made of exactly these parts.
fn same(parts: &[Part]) -> Option<Arc<Segment>> {
    let (segment, _) = parts.first()?;
    let whole = segment.members.len() == parts.len()
        && parts.iter().enumerate().all(|(i, (s, at))| Arc::ptr_eq(s, segment) && *at == i);
    whole.then(|| segment.clone())
}

/// How many of the namespaces, from the first on, make a shard.
fn shard(namespaces: &[Arc<Namespace>], parts: &[Part]) -> usize {
    let mut tools = 0;
    for (count, (namespace, (segment, member))) in namespaces.iter().zip(parts).enumerate() {
        let name = &namespace.source.namespace;
        tools += segment.members[*member].len;
        if count > 0 && (tools > SHARD_TOOLS || starts(name)) {
            return count;
        }
    }
    parts.len()
}

/// Whether a shard starts at the namespace of that name.
fn starts(name: &str) -> bool {
    super::segment::key(words::hash(name)).is_multiple_of(SHARD_NAMESPACES)
}
