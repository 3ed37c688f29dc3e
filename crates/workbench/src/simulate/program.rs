//! Random guest programs: what models write, in small.

use super::guest::Run;
use hub_core::ports::GuestError;
use hub_testkit::{Api, SeededRandom};
use serde_json::Value;
use std::future::Future;
use std::sync::Arc;

/// A statement.
#[derive(Clone, Debug)]
pub enum Step {
    /// Await one thing; its value goes into the result.
    Await(Thing),
    /// Await all, or the first failure.
    All(Vec<Thing>),
    /// Await each, failures as values.
    Settled(Vec<Thing>),
    /// Await the first to settle; the others go on.
    Race(Vec<Thing>),
    /// Await the first that succeeds; the others go on.
    Any(Vec<Thing>),
    /// Await it, but not longer than so many milliseconds.
    Timeout(Thing, u32),
    /// Call it until it succeeds, at most so many times, with a pause in between.
    Retry(u32, &'static str),
    /// Run, and where something throws run the other.
    Try(Vec<Step>, Vec<Step>),
    /// Run so many times.
    Loop(u32, Vec<Step>),
    /// Call it; by what it says run the one or the other.
    If(&'static str, Vec<Step>, Vec<Step>),
    /// Several branches at once, each a sequence of its own.
    Branches(Vec<Vec<Step>>),
    /// Start a thing and do not await it.
    Detach(Thing),
    /// `Date.now()` goes into the result.
    Date,
    /// `hub.search` goes into the result.
    Search,
    /// `console.log`.
    Log,
}

/// Something to await.
#[derive(Clone, Debug)]
pub enum Thing {
    /// A call of this tool.
    Call(&'static str),
    /// A call, then another with what the first one gave.
    Chain(&'static str, &'static str),
    /// A timer, then a call.
    Later(u32, &'static str),
    /// A timer.
    Sleep(u32),
}

/// A whole program.
#[derive(Clone, Debug)]
pub struct Program(Arc<Vec<Step>>);

/// The tools of the scripted source, some more likely than others.
const TOOLS: [&str; 14] = [
    "read", "read", "page", "write", "write", "write", "ask", "ask", "fail", "put", "flaky",
    "elicit", "live", "locked",
];

impl Program {
    /// A random program of a handful of statements; now and then a long loop of asks, which
    /// comes to the end of an "allow for this run".
    pub fn random(random: &SeededRandom) -> Self {
        let mut all = steps(random, 0);
        if random.below(40) == 0 {
            let times = 19 + random.below(5) as u32;
            all.push(Step::Loop(times, vec![Step::Await(Thing::Call("ask"))]));
        }
        Self(Arc::new(all))
    }

    /// The program as a guest runs it.
    pub fn main(self, api: Api) -> impl Future<Output = Result<Value, GuestError>> + Send {
        Run::new(api).main(self.0)
    }
}

fn steps(random: &SeededRandom, depth: u32) -> Vec<Step> {
    (0..1 + random.below(3)).map(|_| step(random, depth)).collect()
}

fn step(random: &SeededRandom, depth: u32) -> Step {
    let many = |random: &SeededRandom| (0..1 + random.below(4)).map(|_| thing(random)).collect();
    match random.below(if depth < 2 { 24 } else { 15 }) {
        0..=2 => Step::Await(thing(random)),
        3 => Step::All(many(random)),
        4 => Step::Settled(many(random)),
        5 | 6 => Step::Race(many(random)),
        7 => Step::Any(many(random)),
        8 | 9 => Step::Timeout(thing(random), 1 + random.below(300) as u32),
        10 => Step::Retry(1 + random.below(3) as u32, tool(random)),
        11 => Step::Detach(thing(random)),
        12 => Step::Date,
        13 => Step::Search,
        14 => Step::Log,
        15..=18 => Step::Try(steps(random, depth + 1), steps(random, depth + 1)),
        19 | 20 => Step::Loop(1 + random.below(3) as u32, steps(random, depth + 1)),
        21 => Step::If(tool(random), steps(random, depth + 1), steps(random, depth + 1)),
        _ => Step::Branches((0..1 + random.below(3)).map(|_| steps(random, depth + 1)).collect()),
    }
}

fn tool(random: &SeededRandom) -> &'static str {
    TOOLS[random.below(TOOLS.len() as u64) as usize]
}

fn thing(random: &SeededRandom) -> Thing {
    match random.below(8) {
        0 => Thing::Sleep(random.below(400) as u32),
        1 | 2 => Thing::Chain(tool(random), tool(random)),
        3 => Thing::Later(random.below(200) as u32, tool(random)),
        _ => Thing::Call(tool(random)),
    }
}
