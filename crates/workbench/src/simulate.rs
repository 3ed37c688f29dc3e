//! `cargo xtask simulate`: seeded random programs over a scripted source, killed at every event
//! and resumed by another engine on the same store, checked against an oracle.
//!
//! The engine, the machine and the journal are the product's own; the guest is a small language
//! of awaits, races, timers, loops and catches ([`program`]). What must hold:
//!
//! - no effect reaches its source twice, and none without its intent in the journal;
//! - the journal's deliveries, given in order to a fresh guest, end in the same result;
//! - a run that was not disturbed and one that was end alike where their deliveries are alike.

mod oracle;
mod program;
mod world;

use hub_testkit::SeededRandom;
use world::{Kill, World};
use xtask::Failure;

/// Programs where none are asked for.
const PROGRAMS: u64 = 200;

/// What went wrong, over everything that was simulated.
#[derive(Default)]
pub struct Tally {
    programs: u64,
    passes: u64,
    kills: u64,
    doubled: u64,
    lost: u64,
    diverged: u64,
}

/// `simulate [--programs N] [--seed S] [--only P]`
pub fn run(args: &[String]) -> Result<(), Failure> {
    let programs = number(args, "--programs")?.unwrap_or(PROGRAMS);
    let seed = number(args, "--seed")?.unwrap_or(1);
    let range = match number(args, "--only")? {
        Some(only) => only..only + 1,
        None => 0..programs,
    };
    let mut tally = Tally::default();
    for index in range {
        simulate(seed, index, &mut tally);
    }
    println!(
        "{} programs, {} passes, {} kills: {} doubled, {} lost, {} diverged",
        tally.programs, tally.passes, tally.kills, tally.doubled, tally.lost, tally.diverged
    );
    if tally.doubled + tally.lost + tally.diverged > 0 {
        return Err(Failure::from("the simulation found faults; each has its line above"));
    }
    Ok(())
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
    for kill in calm.kill_points() {
        let again = Kill::Commit { number: 1 + random.below(4), written: random.below(2) == 0 };
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

fn judge(seed: u64, index: u64, kills: &str, played: &world::Played, tally: &mut Tally) {
    tally.passes += played.passes;
    for fault in oracle::check(played) {
        report(seed, index, kills, fault.kind, &fault.text);
        match fault.kind {
            "doubled" => tally.doubled += 1,
            "lost" => tally.lost += 1,
            _ => tally.diverged += 1,
        }
    }
}

fn report(seed: u64, index: u64, kills: &str, kind: &str, text: &str) {
    println!("{kind}: {text}\n  cargo xtask simulate --seed {seed} --only {index}   ({kills})");
}
