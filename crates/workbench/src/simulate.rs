//! `cargo xtask simulate`: seeded random programs over a scripted source, killed at every event
//! and resumed by another engine on the same store, checked against an oracle.
//!
//! The engine, the machine and the journal are the product's own; the guest is a small language
//! of awaits, races, timers, loops and catches ([`program`]). Agents give up requests, send them
//! twice and again; the person decides in part, twice, by form, late or never, ends runs, and
//! changes tools and rules while runs wait. What must hold:
//!
//! - no effect reaches its source twice, and none without its intent in the journal;
//! - what policy asks about is sent only under a decision for that very call, or a grant;
//! - the journal's deliveries, given in order to a fresh guest, end in the same result;
//! - a run that was not disturbed and one that was end alike where their deliveries are alike;
//! - nothing of an ended run waits for a person;
//! - the same seed is the same life.

mod guest;
mod oracle;
mod person;
mod program;
mod source;
mod world;

use hub_testkit::SeededRandom;
use std::time::Duration;
use world::{Death, Kill, World};
use xtask::Failure;

/// Programs where none are asked for.
const PROGRAMS: u64 = 200;
/// Events of one program at which it is killed; of more, so many are drawn.
const DEATHS: usize = 48;
/// Programs between two lines of a long run.
const REPORT_EVERY: u64 = 500;

/// What went wrong, over everything that was simulated.
#[derive(Default)]
pub struct Tally {
    programs: u64,
    passes: u64,
    kills: u64,
    calls: u64,
    doubled: u64,
    lost: u64,
    diverged: u64,
    unasked: u64,
    /// Whether a fault is told with the whole life it was seen in.
    tells: bool,
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} programs, {} passes, {} kills, {} calls received: {} doubled, {} lost, \
             {} diverged, {} sent unasked",
            self.programs,
            self.passes,
            self.kills,
            self.calls,
            self.doubled,
            self.lost,
            self.diverged,
            self.unasked
        )
    }
}

/// `simulate [--programs N] [--seed S] [--only P] [--minutes M]`, minutes of CPU
pub fn run(args: &[String]) -> Result<(), Failure> {
    let minutes = number(args, "--minutes")?;
    let programs = number(args, "--programs")?.unwrap_or(match minutes {
        Some(_) => u64::MAX,
        None => PROGRAMS,
    });
    let seed = number(args, "--seed")?.unwrap_or(1);
    let range = match number(args, "--only")? {
        Some(only) => only..only + 1,
        None => 0..programs,
    };
    let mut tally = Tally { tells: range.end - range.start == 1, ..Tally::default() };
    for index in range {
        if minutes.is_some_and(|m| cpu_seconds() >= m * 60) {
            break;
        }
        simulate(seed, index, &mut tally);
        if tally.programs.is_multiple_of(REPORT_EVERY) {
            println!("seed {seed}, {} s of CPU: {tally}", cpu_seconds());
        }
    }
    println!("{tally}");
    if tally.doubled + tally.lost + tally.diverged + tally.unasked > 0 {
        return Err(Failure::from("the simulation found faults; each has its line above"));
    }
    Ok(())
}

/// CPU time of this thread, on which everything is played. Where the system does not tell it,
/// none has passed: a number of programs is the limit there.
fn cpu_seconds() -> u64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ns = told.split(' ').next().and_then(|ns| ns.parse().ok());
    Duration::from_nanos(ns.unwrap_or(0)).as_secs()
}

fn number(args: &[String], name: &str) -> Result<Option<u64>, Failure> {
    let Some(at) = args.iter().position(|a| a == name) else { return Ok(None) };
    let value = args.get(at + 1).and_then(|v| v.parse().ok());
    value.map(Some).ok_or_else(|| Failure::from(format!("{name} takes a whole number")))
}

/// One program: undisturbed, then killed at each event in turn.
fn simulate(seed: u64, index: u64, tally: &mut Tally) {
    let random = SeededRandom::new(seed.wrapping_mul(1_000_003).wrapping_add(index));
    let program = program::Program::random(&random);
    let world_seed = random.next_u64();
    tally.programs += 1;
    let calm = World::play(&program, world_seed, &[]);
    judge(seed, index, "no kill", &calm, tally);
    repeats(seed, index, &calm, &World::play(&program, world_seed, &[]), tally);
    for at in some(calm.deaths(), &random) {
        let kill = Kill { at, power: random.below(2) == 0 };
        let again = Death::Commit { number: 1 + random.below(4), written: random.below(2) == 0 };
        let again = Kill { at: again, power: random.below(2) == 0 };
        let kills = if random.below(4) == 0 { vec![kill, again] } else { vec![kill] };
        let played = World::play(&program, world_seed, &kills);
        tally.kills += kills.len() as u64;
        judge(seed, index, &format!("{kills:?}"), &played, tally);
        if let Some(fault) = oracle::differs(&calm, &played) {
            report(seed, index, &format!("{kills:?}"), "diverged", &fault);
            tally.diverged += 1;
        }
    }
}

/// A line that reproduces a fault is worth something only where the same seed is the same life.
fn repeats(seed: u64, index: u64, one: &world::Played, again: &world::Played, tally: &mut Tally) {
    if let Some(difference) = one.differs(again) {
        let text = format!("played again it is another life: {difference}");
        report(seed, index, "no kill", "diverged", &text);
        tally.diverged += 1;
    }
}

/// All of them, or as many as one program may take.
fn some(mut deaths: Vec<Death>, random: &SeededRandom) -> Vec<Death> {
    while deaths.len() > DEATHS {
        let gone = random.below(deaths.len() as u64) as usize;
        deaths.swap_remove(gone);
    }
    deaths
}

fn judge(seed: u64, index: u64, kills: &str, played: &world::Played, tally: &mut Tally) {
    tally.passes += played.passes;
    tally.calls += played.received.len() as u64;
    let faults = oracle::check(played);
    if tally.tells && !faults.is_empty() {
        println!("{:#?}\n{kills}", played.program);
        played.journal.iter().for_each(|event| println!("{event:?}"));
        played.received.iter().for_each(|call| println!("{call:?}"));
        println!("last: {}", played.last);
    }
    for fault in faults {
        report(seed, index, kills, fault.kind, &fault.text);
        match fault.kind {
            "doubled" => tally.doubled += 1,
            "lost" => tally.lost += 1,
            "unasked" => tally.unasked += 1,
            _ => tally.diverged += 1,
        }
    }
}

fn report(seed: u64, index: u64, kills: &str, kind: &str, text: &str) {
    println!("{kind}: {text}\n  cargo xtask simulate --seed {seed} --only {index}   ({kills})");
}
