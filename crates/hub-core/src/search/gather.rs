//! From a query to scores: where its words lie, and what each tool gets for them.

use super::index::{Index, Shard};
use super::question::{Form, Question};
use super::segment::{Place, Posting};
use super::weights::Weights;
use crate::catalog::Catalog;
use std::ops::Range;

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
pub(super) struct Found<'a> {
    /// How many tools hold it.
    pub holders: u32,
    places: Vec<In<'a>>,
}

/// Where one word lies in one shard.
struct In<'a> {
    shard: &'a Shard,
    place: Option<Place>,
    /// Members whose name holds it: there every tool does.
    homes: &'a [(u64, u32)],
}

impl In<'_> {
    fn postings(&self) -> impl Iterator<Item = Posting> {
        self.place.into_iter().flat_map(|place| self.shard.segment.postings(place))
    }

    fn at_home(&self, tool: u32) -> bool {
        let member = self.shard.segment.member_of(tool);
        self.homes.iter().any(|(_, home)| *home == member)
    }

    fn holders(&self) -> u32 {
        if self.homes.is_empty() {
            return self.place.map_or(0, |place| place.count);
        }
        let members = &self.shard.segment.members;
        let homes = self.homes.iter().map(|(_, home)| members[*home as usize].len);
        let elsewhere = self.postings().filter(|posting| !self.at_home(posting.tool));
        homes.sum::<u32>() + elsewhere.count() as u32
    }
}

/// Scores every tool that holds a word of the question.
pub(super) fn scores(
    catalog: &Catalog,
    question: &Question,
    only: Option<usize>,
    weights: &Weights,
) -> Vec<Scored> {
    let index = &catalog.index;
    let found = locate(index, &question.keys);
    let groups = question.groups(&found, index.tools as usize, weights);
    let within = Within::of(index, only);
    let mut room = Room::new(index.tools);
    for group in &groups.list {
        for form in &group.forms {
            for place in &found[form.key].places {
                if within.has(place.shard) {
                    room.add(place, form, &within, weights);
                }
            }
        }
        room.close(group.most);
    }
    let exact = exact(index, question, &within);
    let finish = Finish { deletes: question.deletes, most: groups.most, weights };
    room.finish(index, &exact, &finish)
}

/// Finds each key in each shard.
fn locate<'a>(index: &'a Index, keys: &[u64]) -> Vec<Found<'a>> {
    let mut out: Vec<Found<'_>> = keys.iter().map(|_| Found::default()).collect();
    for shard in &index.shards {
        for (key, found) in keys.iter().zip(&mut out) {
            let place = shard.segment.find(*key);
            let homes = shard.segment.homes(*key);
            if place.is_some() || !homes.is_empty() {
                let here = In { shard, place, homes };
                found.holders += here.holders();
                found.places.push(here);
            }
        }
    }
    out
}

/// Tools whose names were pasted, as positions among all, sorted.
fn exact(index: &Index, question: &Question, within: &Within) -> Vec<u32> {
    let mut out = Vec::new();
    for shard in index.shards.iter().filter(|shard| within.has(shard)) {
        let segment = &shard.segment;
        for name in &question.names {
            let Some(place) = segment.find(name.key) else { continue };
            let meant = |tool: u32| {
                let member = &segment.members[segment.member_of(tool) as usize];
                name.namespace.as_ref().is_none_or(|letters| **letters == *member.letters)
            };
            let tools = segment.postings(place).map(|p| p.tool).filter(|tool| meant(*tool));
            out.extend(tools.map(|tool| shard.tool + tool).filter(|tool| within.tool(*tool)));
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// Which tools count: all, or those of one namespace.
struct Within {
    tools: Range<u32>,
}

impl Within {
    fn of(index: &Index, only: Option<usize>) -> Self {
        let Some(only) = only else { return Self { tools: 0..index.tools } };
        let shard = index.shards.iter().rev().find(|shard| shard.namespace as usize <= only);
        let tools = shard.and_then(|shard| {
            let members = &shard.segment.members;
            let tools = members.get(only - shard.namespace as usize)?.tools();
            Some(shard.tool + tools.start..shard.tool + tools.end)
        });
        Self { tools: tools.unwrap_or_default() }
    }

    fn has(&self, shard: &Shard) -> bool {
        shard.tool < self.tools.end && self.tools.start < shard.tool + shard.segment.len
    }

    fn tool(&self, tool: u32) -> bool {
        self.tools.contains(&tool)
    }
}

/// Scores of all tools of a catalogue, side by side.
struct Room {
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
    fn new(tools: u32) -> Self {
        let empty = || vec![0.0; tools as usize];
        Self {
            total: empty(),
            best: empty(),
            held: empty(),
            touched: Vec::new(),
            matched: Vec::new(),
        }
    }

    /// What a form of the group now open gives the tools of one shard.
    fn add(&mut self, found: &In<'_>, form: &Form, within: &Within, weights: &Weights) {
        let start = found.shard.tool;
        let mut offer = |tool: u32, strength: f32| {
            if within.tool(start + tool) {
                self.offer(start + tool, form.value(strength, weights));
            }
        };
        if found.homes.is_empty() {
            found.postings().for_each(|posting| offer(posting.tool, posting.strength));
            return;
        }
        let members = &found.shard.segment.members;
        for (_, home) in found.homes {
            members[*home as usize].tools().for_each(|tool| offer(tool, weights.namespace));
        }
        for posting in found.postings() {
            let base = if found.at_home(posting.tool) { weights.namespace } else { 0.0 };
            offer(posting.tool, base + posting.strength);
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

    fn finish(mut self, index: &Index, exact: &[u32], with: &Finish<'_>) -> Vec<Scored> {
        self.matched.extend(exact.iter().filter(|&&tool| self.total[tool as usize] == 0.0));
        self.matched.sort_unstable();
        let mut out = Vec::with_capacity(self.matched.len());
        let mut matched = &self.matched[..];
        for shard in &index.shards {
            for (at, member) in shard.segment.members.iter().enumerate() {
                let end = shard.tool + member.start + member.len;
                let (here, rest) = matched.split_at(matched.partition_point(|tool| *tool < end));
                matched = rest;
                out.extend(here.iter().map(|&tool| Scored {
                    namespace: shard.namespace + at as u32,
                    tool: tool - shard.tool - member.start,
                    exact: exact.binary_search(&tool).is_ok(),
                    ..self.score(tool, shard.segment.deletes(tool - shard.tool), with)
                }));
            }
        }
        out
    }

    /// What `tool` scores; its place is not told.
    fn score(&self, tool: u32, deletes: bool, with: &Finish<'_>) -> Scored {
        let at = tool as usize;
        let share = if with.most > 0.0 { (self.held[at] / with.most).min(1.0) } else { 1.0 };
        let mut score = self.total[at] * share.powf(with.weights.share);
        if !with.deletes && deletes {
            score *= with.weights.delete;
        }
        Scored { namespace: 0, tool, score, share, exact: false }
    }
}
