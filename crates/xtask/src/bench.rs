//! The hub beside its peers, in one run, by anyone: `cargo xtask bench peers`. `bench smoke` runs
//! the hub alone over a source of our own: it judges answers, never times.

mod client;
mod contain;
mod context;
mod endure;
mod executor;
mod fixture;
mod hub;
mod place;
mod plot;
mod process;
mod report;
mod resume;
mod running;
mod speed;
mod subjects;
mod tokens;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use place::Place;
use std::path::{Path, PathBuf};
use xtask::Failure;

pub use fixture::{NAME as FIXTURE, run as fixture};

/// Blocks of five runs per program and subject, unless said otherwise.
const ROUNDS: usize = 8;

/// What the stripped release binary may have.
const BINARY_BYTES: u64 = 40_000_000;

/// Runs after which nothing may have grown.
const ENDURANCE_RUNS: usize = 10_000;

/// The same in the short form, unless said otherwise.
const SMOKE_RUNS: usize = 200;

/// `peers|smoke [--rounds N] [--runs N] [--binary FILE]`.
pub fn run(args: &[String]) -> Result<(), Failure> {
    let (mut rounds, mut runs, mut binary) = (ROUNDS, SMOKE_RUNS, None);
    let Some((what, mut rest)) = args.split_first() else { return Err(USAGE.into()) };
    while let [name, value, behind @ ..] = rest {
        match name.as_str() {
            "--rounds" => rounds = value.parse().map_err(|_| "--rounds wants a number")?,
            "--runs" => runs = value.parse().map_err(|_| "--runs wants a number")?,
            "--binary" => binary = Some(PathBuf::from(value)),
            _ => return Err(USAGE.into()),
        }
        rest = behind;
    }
    let place = Place::new()?;
    let binary = match binary {
        Some(binary) => binary,
        None => release(&place)?,
    };
    match (what.as_str(), rest) {
        ("smoke", []) => smoke(&binary, runs),
        ("peers", []) => peers(&place, &binary, rounds),
        _ => Err(USAGE.into()),
    }
}

const USAGE: &str = "usage: cargo xtask bench peers [--rounds N] [--binary FILE]\n       \
    cargo xtask bench smoke [--runs N] [--binary FILE]";

fn peers(place: &Place, binary: &Path, rounds: usize) -> Result<(), Failure> {
    place.set_up()?;
    let load = report::load();
    let mut all = running::start_all(place, binary)?;
    let definitions = context::definitions(&mut all, place)?;
    let memory = |all: &[running::Running]| {
        all.iter().map(|running| process::memory(&running.processes())).collect::<Vec<_>>()
    };
    let idle = memory(&all);
    let speed = speed::measure(&mut all, rounds)?;
    let after = memory(&all);
    let subjects = all.iter().map(report::Row::of).collect();
    all.into_iter().for_each(running::Running::close);
    let seen = report::Seen {
        load,
        rounds,
        subjects,
        definitions,
        idle,
        after,
        speed,
        by_catalogue: context::by_catalogue(place, binary)?,
        by_items: context::by_items(place, binary)?,
        endurance: endure::measure(binary, ENDURANCE_RUNS)?,
        resumed: resume::after_a_kill(place, binary),
        contained: contain::probe(place, binary),
    };
    report::write(place, &seen)
}

/// Needs nothing from a registry.
fn smoke(binary: &Path, runs: usize) -> Result<(), Failure> {
    let seen = endure::measure(binary, runs)?;
    println!(
        "start {:.0} ms, idle {:.0} MiB, {} → {} descriptors over {} runs",
        seen.starts[0].as_secs_f64() * 1e3,
        seen.idle,
        seen.descriptors.0,
        seen.descriptors.1,
        seen.runs
    );
    for (meaning, wall, cpu) in seen.durability {
        println!("100 effects in a row, {meaning}: {wall:.1?}, CPU {cpu:.1?}");
    }
    println!("binary {:.1} MB", seen.binary as f64 / 1e6);
    if seen.binary > BINARY_BYTES {
        return Err(format!("the binary has more than {BINARY_BYTES} bytes").into());
    }
    Ok(())
}

/// Builds the binary as a person does; it lies beside this chore's own.
fn release(place: &Place) -> Result<PathBuf, Failure> {
    let build = ["build", "--release", "--locked", "--package", "capabilities"];
    let status = xtask::cargo().args(build).current_dir(place.root()).status()?;
    if !status.success() {
        return Err(format!("the release build: {status}").into());
    }
    let this = std::env::current_exe()?;
    let target = this.parent().and_then(Path::parent).ok_or("no target folder")?;
    Ok(target.join("release/capabilities"))
}

/// Ends a process that this chore started; one that is gone already is fine.
fn end(pid: u32) {
    if let Ok(pid) = i32::try_from(pid) {
        let _gone = kill(Pid::from_raw(pid), Signal::SIGKILL);
    }
}
