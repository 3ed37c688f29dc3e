//! From a query to scores: where its words lie, and what each tool gets for them.

use super::question::Question;
use super::segment::{Place, Segment};
use super::weights::Weights;
use crate::catalog::Catalog;

/// A scored tool.
#[derive(Clone, Copy)]
pub(super) struct Scored {
    /// Position of its namespace.
    pub namespace: u32,
    /// Position within it.
    pub tool: u32,
    pub score: f32,
    /// Share of the query that it answers, 0 to 1.
    pub share: f32,
    /// Whether its name was pasted.
    pub exact: bool,
}

/// Where one word lies.
#[derive(Default)]
pub(super) struct Found {
    /// How many tools hold it.
    pub holders: u32,
    /// Namespace by namespace: its postings, and whether the namespace's own name holds it.
    places: Vec<(u32, Option<Place>, bool)>,
}

/// Scores every tool that holds a word of the question.
pub(super) fn scores(
    catalog: &Catalog,
    question: &Question,
    only: Option<usize>,
    weights: &Weights,
) -> Vec<Scored> {
    // One step to a segment instead of three: with many sources, memory is what takes the time.
    let segments: Vec<&Segment> = catalog.namespaces.iter().map(|n| &*n.segment).collect();
    let found = locate(&segments, &question.keys);
    let groups = question.groups(&found, catalog.tool_count(), weights);
    let mut room = Room::new(&segments);
    for group in &groups.list {
        for form in &group.forms {
            for &(at, place, everywhere) in &found[form.key].places {
                if only.is_some_and(|only| only != at as usize) {
                    continue;
                }
                let segment = segments[at as usize];
                let start = room.starts[at as usize];
                let base = if everywhere { weights.namespace } else { 0.0 };
                if everywhere {
                    let value = form.value(base, weights);
                    (start..start + segment.len).for_each(|tool| room.offer(tool, value));
                }
                for posting in place.into_iter().flat_map(|place| segment.postings(place)) {
                    room.offer(start + posting.tool, form.value(base + posting.strength, weights));
                }
            }
        }
        room.close(group.most);
    }
    let exact = exact(&segments, question, only, &room);
    room.finish(
        &segments,
        &exact,
        &Finish { deletes: question.deletes, most: groups.most, weights },
    )
}

/// Finds each key in each namespace.
fn locate(segments: &[&Segment], keys: &[u64]) -> Vec<Found> {
    let mut out: Vec<Found> = keys.iter().map(|_| Found::default()).collect();
    for (at, segment) in segments.iter().enumerate() {
        for (key, found) in keys.iter().zip(&mut out) {
            let place = segment.find(*key);
            let everywhere = segment.namespace.contains(key);
            if everywhere {
                found.holders += segment.len;
            } else if let Some(place) = place {
                found.holders += place.count;
            }
            if everywhere || place.is_some() {
                found.places.push((at as u32, place, everywhere));
            }
        }
    }
    out
}

/// Tools whose names were pasted, as positions in the room, sorted.
fn exact(segments: &[&Segment], question: &Question, only: Option<usize>, room: &Room) -> Vec<u32> {
    let mut out = Vec::new();
    for (at, segment) in segments.iter().enumerate() {
        if only.is_some_and(|only| only != at) {
            continue;
        }
        for name in &question.names {
            if name.namespace.as_ref().is_some_and(|n| **n != *segment.letters) {
                continue;
            }
            if let Some(place) = segment.find(name.key) {
                let tools = segment.postings(place).map(|p| p.tool);
                out.extend(tools.map(|tool| room.starts[at] + tool));
            }
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// Scores of all tools of a catalogue, side by side.
struct Room {
    /// Where each namespace's tools begin.
    starts: Vec<u32>,
    total: Vec<f32>,
    best: Vec<f32>,
    held: Vec<f32>,
    touched: Vec<u32>,
    matched: Vec<u32>,
}

/// What the last step needs to know.
struct Finish<'a> {
    deletes: bool,
    most: f32,
    weights: &'a Weights,
}

impl Room {
    fn new(segments: &[&Segment]) -> Self {
        let mut starts = Vec::with_capacity(segments.len());
        let mut tools = 0;
        for segment in segments {
            starts.push(tools);
            tools += segment.len;
        }
        let empty = || vec![0.0; tools as usize];
        Self {
            starts,
            total: empty(),
            best: empty(),
            held: empty(),
            touched: Vec::new(),
            matched: Vec::new(),
        }
    }

    /// The group now open gives `tool` at least `value`.
    fn offer(&mut self, tool: u32, value: f32) {
        let best = &mut self.best[tool as usize];
        if *best == 0.0 && value > 0.0 {
            self.touched.push(tool);
        }
        *best = best.max(value);
    }

    /// Closes a group: a word counts the best of itself and what stands for it, never the sum.
    fn close(&mut self, most: f32) {
        for tool in self.touched.drain(..) {
            let at = tool as usize;
            if self.total[at] == 0.0 {
                self.matched.push(tool);
            }
            self.total[at] += std::mem::take(&mut self.best[at]);
            self.held[at] += most;
        }
    }

    fn finish(mut self, segments: &[&Segment], exact: &[u32], with: &Finish<'_>) -> Vec<Scored> {
        self.matched.extend(exact.iter().filter(|&&tool| self.total[tool as usize] == 0.0));
        self.matched.sort_unstable();
        let mut out = Vec::with_capacity(self.matched.len());
        let mut namespace = 0;
        for &tool in &self.matched {
            let at = tool as usize;
            while self.starts.get(namespace + 1).is_some_and(|start| *start <= tool) {
                namespace += 1;
            }
            let segment = segments[namespace];
            let tool_there = tool - self.starts[namespace];
            let share = if with.most > 0.0 { (self.held[at] / with.most).min(1.0) } else { 1.0 };
            let mut score = self.total[at] * share.powf(with.weights.share);
            if !with.deletes && segment.deletes(tool_there) {
                score *= with.weights.delete;
            }
            out.push(Scored {
                namespace: namespace as u32,
                tool: tool_there,
                score,
                share,
                exact: exact.binary_search(&tool).is_ok(),
            });
        }
        out
    }
}
