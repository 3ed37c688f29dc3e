//! A short try of every fuzz target without a fuzzer: the kept inputs, then changed ones.
//! Called by `cargo xtask fuzz`.

use proving::choices::{Choices, bytes};
use proving::targets::ALL;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Seconds for one target, unless told.
const SECONDS: u64 = 4;
/// Changed inputs per target: always the same ones, so that a pass today is a pass tomorrow. What
/// is beyond them is for the long runs.
const CHANGED: u64 = 1_000;
/// Bytes of a made-up input.
const INPUT_BYTES: usize = 1_500;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let seconds = match args.as_slice() {
        [] => SECONDS,
        [flag, n] if flag == "--seconds" && n.parse::<u64>().is_ok() => n.parse().unwrap_or(0),
        _ => {
            eprintln!("usage: smoke [--seconds N]");
            return ExitCode::from(2);
        }
    };
    let mut failed = 0;
    for target in ALL {
        let kept = kept(target.name);
        let (tried, found) = smoke(target.check, &kept, Duration::from_secs(seconds));
        let Some(input) = found else {
            println!(
                "{:<8} {tried:>6} inputs, {} kept: {}",
                target.name,
                kept.len(),
                target.promise
            );
            continue;
        };
        failed += 1;
        let file = std::env::temp_dir().join(format!("fuzz-{}.input", target.name));
        println!("{}: broken by the input in {}", target.name, file.display());
        if let Err(error) = std::fs::write(&file, input) {
            eprintln!("{error}");
        }
    }
    println!("{} targets, {failed} broken", ALL.len());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn kept(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.sort();
    files.iter().filter_map(|file| std::fs::read(file).ok()).collect()
}

/// How many inputs were tried, and the one that broke the promise.
fn smoke(check: fn(&[u8]), kept: &[Vec<u8>], time: Duration) -> (u64, Option<Vec<u8>>) {
    let began = Instant::now();
    let mut tried = 0;
    let mut inputs = kept.iter().cloned().chain((0..CHANGED).map(|seed| changed(seed, kept)));
    while tried < kept.len() as u64 || began.elapsed() < time {
        let Some(input) = inputs.next() else { break };
        tried += 1;
        if std::panic::catch_unwind(|| check(&input)).is_err() {
            return (tried, Some(input));
        }
    }
    (tried, None)
}

/// An input like the kept ones, or any bytes.
fn changed(seed: u64, kept: &[Vec<u8>]) -> Vec<u8> {
    let random = bytes(seed, INPUT_BYTES);
    let mut choices = Choices::new(&random);
    if kept.is_empty() || choices.below(3) == 0 {
        return choices.rest().to_vec();
    }
    let mut input = kept[choices.below(kept.len())].clone();
    for _ in 0..1 + choices.below(4) {
        let at = choices.below(input.len() + 1);
        let end = (at + choices.below(8)).min(input.len());
        let other = &kept[choices.below(kept.len())];
        let from = choices.below(other.len() + 1);
        match choices.below(3) {
            0 => drop(input.drain(at..end)),
            1 => drop(input.splice(at..end, other[from..].iter().take(200).copied())),
            _ => drop(input.splice(at..end, choices.take(4).iter().copied())),
        }
    }
    input
}
