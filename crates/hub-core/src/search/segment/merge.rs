//! Joining segments: the members of some, at new places in one dictionary.

use super::{AT_BITS, Member, Segment, lists, read_varint, sieve};

impl Segment {
    /// The index of members of other segments, in the order given: segment, member.
    pub(in crate::search) fn merge(parts: &[(&Self, usize)]) -> Self {
        let mut members: Vec<Member> = Vec::with_capacity(parts.len());
        let mut homes = Vec::new();
        let mut len = 0;
        for (at, (segment, member)) in parts.iter().enumerate() {
            let known = &segment.members[*member];
            let own = segment.homes.iter().filter(|(_, of)| *of == *member as u32);
            homes.extend(own.map(|(key, _)| (*key, at as u32)));
            members.push(Member { start: len, ..known.clone() });
            len += known.len;
        }
        homes.sort_unstable();
        let mut found = Vec::new();
        let mut deletes = vec![0_u64; (len as usize).div_ceil(64)];
        let mut left: Vec<usize> = (0..parts.len()).collect();
        while let Some(&first) = left.first() {
            // All that comes of one segment is read in one go.
            let segment = parts[first].0;
            let mut moves: Vec<Option<u32>> = vec![None; segment.members.len()];
            left.retain(|&at| {
                let same = std::ptr::eq(parts[at].0, segment);
                if same {
                    moves[parts[at].1] = Some(members[at].start);
                }
                !same
            });
            segment.entries(&moves, &mut found, &mut deletes);
        }
        // Runs that are sorted already: this sort finds and merges them.
        found.sort();
        let (terms, postings) = lists(&found);
        Self {
            sieve: sieve(&terms),
            terms: terms.into(),
            postings: postings.into(),
            members: members.into(),
            homes: homes.into(),
            deletes: deletes.into(),
            len,
        }
    }

    /// Entries of the members that move, at their new places, and their tools that delete.
    fn entries(&self, moves: &[Option<u32>], found: &mut Vec<u64>, deletes: &mut [u64]) {
        let mut places: Vec<Option<u32>> = Vec::with_capacity(self.len as usize);
        for (member, start) in self.members.iter().zip(moves) {
            places.extend((0..member.len).map(|tool| start.map(|start| start + tool)));
        }
        for (tool, place) in places.iter().enumerate() {
            if let Some(place) = place.filter(|_| self.deletes(tool as u32)) {
                deletes[place as usize / 64] |= 1 << (place % 64);
            }
        }
        for term in &self.terms {
            let key = term >> AT_BITS << AT_BITS;
            let mut bytes = &self.postings[(term & ((1 << AT_BITS) - 1)) as usize..];
            let mut tool = 0;
            for _ in 0..read_varint(&mut bytes) {
                tool += read_varint(&mut bytes);
                let level = u64::from(bytes[0]);
                bytes = &bytes[1..];
                if let Some(place) = places[tool as usize] {
                    found.push(key | (u64::from(place) << 8) | level);
                }
            }
        }
    }
}
