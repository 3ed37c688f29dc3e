//! Runs every program of `hostile/` and says how it ended: a line per program and driver, a line
//! per driver, a summary last, and failure on an escape, a crash or a missed limit. Beside each
//! attack another program runs over and over; how long it took in the median is recorded. Called
//! by `cargo xtask hostile`, with beginnings of names where only some programs are to run.
//!
//! The second line of a program says how it must end:
//! `blocked` (it returns that text, or throws), `error` (it throws), `safe` (it ends by itself or
//! at a limit), `value …` (exactly this result), `limit …` (one of these limits, or a result
//! where `value` is among them), `syntax`, `clean` (a run after it finds no trace).
#![expect(clippy::unwrap_used, reason = "a chore that cannot go on stops")]

#[path = "../tests/it/support.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod support;

use hub_core::ports::{GuestFault, GuestLimits};
use hub_sandbox::Overrun;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::{Ended, Play, WASM, block_on, drivers, sample};
use tokio::sync::watch;

/// Milliseconds of CPU a program of the suite may take in one turn.
const CPU_MS: u64 = 1_000;
/// CPU that a program may have used beyond its limit when it is gone, by its own clock: a machine
/// that does other things too changes nothing about it.
const BEYOND: Duration = Duration::from_millis(100);
/// How long after its limit a program may still be there by the clock on the wall: on a machine
/// that does other things it waits for its turn, so this is generous.
const GRACE: Duration = Duration::from_secs(120);
/// How a name begins whose program keeps one of the engine's own loops busy, by the kind of loop.
/// At least one of each kind has to reach the limit of CPU.
const LOOPS: &[(&str, &[&str])] = &[
    ("empty loop", &["cpu-empty-loop"]),
    ("sort", &["cpu-sort-huge", "cpu-sparse-sort", "cpu-sort-comparator"]),
    ("join", &["cpu-split-join", "cpu-sparse-join"]),
    ("regex", &["cpu-regexp-backtracking", "cpu-regexp-lookahead", "cpu-regexp-replace"]),
    ("BigInt", &["cpu-bigint-power", "cpu-bigint-divide", "cpu-bigint-text", "cpu-bigint-parse"]),
    ("JSON", &["cpu-json-loop"]),
    ("normalize", &["cpu-normalize"]),
    ("reverse", &["cpu-sparse-reverse"]),
    ("indexOf", &["cpu-typed-index-of", "cpu-sparse-index-of"]),
];
/// Looks for traces of an earlier run.
const TRACES: &str = "const found = [];
    for (const o of [globalThis, Object, Object.prototype, Array.prototype, Promise, RegExp, Math,
      Date, Function.prototype, String.prototype, Error.prototype, Uint8Array.prototype,
      Object.getPrototypeOf(Uint8Array)]) {
      for (const k of Reflect.ownKeys(o)) if (/leak/.test(String(k))) found.push(String(k)) }
    const whole = [1].map(String).join() + JSON.stringify({a: 1}) + 'x'.replace('x', 'y')
      + String(new Error('e')) + Date.now() + typeof Math.random()
      + await Promise.resolve(1).then((x) => x) + [...new Map([[1, 2]])].length
      + /a/.lastIndex + (() => 7).call();
    return [found, whole]";

/// The example is its own worker.
#[cfg(target_os = "linux")]
#[global_allocator]
static MEMORY: hub_sandbox::WorkerMemory = hub_sandbox::WorkerMemory;

/// What the second run beside the attacks took.
#[derive(Default)]
struct Beside {
    slowest: Duration,
    medians: Vec<Duration>,
}

struct Program {
    name: String,
    ends: String,
    code: String,
}

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if std::env::args().nth(1).as_deref() == Some("sandbox-worker") {
        let rest: Vec<String> = std::env::args().skip(2).collect();
        hub_sandbox::worker_main(&rest);
    }
    #[cfg(target_os = "linux")]
    support::OWN_WORKER.store(true, Ordering::Relaxed);
    let programs = programs();
    let limits = GuestLimits { cpu_ms: CPU_MS, ..GuestLimits::default() };
    let drivers = drivers();
    let mut failed = 0usize;
    for (name, driver) in &drivers {
        let driver = Arc::clone(driver);
        let play = Play { driver, limits, seed: [3; 32], ..Play::default() };
        failed += against(name, &play, overruns(name), &programs);
    }
    let (count, drivers) = (programs.len(), drivers.len());
    println!("{count} programs on {drivers} drivers, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Where a driver notes how far beyond their limit programs get.
fn overruns(driver: &str) -> watch::Receiver<Overrun> {
    #[cfg(target_os = "linux")]
    if driver == "worker"
        && let Some(worker) = &*support::WORKER
    {
        return worker.overruns();
    }
    assert_eq!(driver, "wasm");
    WASM.overruns()
}

/// Every program on one driver; how many were not held.
fn against(
    name: &str,
    play: &Play,
    mut overruns: watch::Receiver<Overrun>,
    programs: &[Program],
) -> usize {
    let traces = play.run(TRACES).json().to_owned();
    let mut failed = 0;
    let mut others = Beside::default();
    let mut beyond: Vec<(&str, Duration)> = Vec::new();
    for program in programs {
        let before = overruns.borrow().count;
        let (ended, took, beside) = attacked(play, program);
        let mut verdict = judged(program, &ended);
        if let Some(GuestFault::Cpu(_)) = ended.fault {
            match block_on(next(&mut overruns, before)) {
                Some(noted) if noted <= BEYOND => beyond.push((&program.name, noted)),
                Some(noted) => verdict = Err(format!("used {noted:?} of CPU beyond its limit")),
                None => verdict = Err("nobody knows how it ended".into()),
            }
        }
        if verdict.is_ok() && took > limit(&ended) + GRACE {
            verdict = Err(format!("missed its limit: {took:?}"));
        }
        if verdict.is_ok() && program.ends == "clean" && play.run(TRACES).json() != traces {
            verdict = Err("left traces".into());
        }
        if verdict.is_ok() && play.run("return 1").value() != 1 {
            verdict = Err("the next program did not run".into());
        }
        failed += usize::from(verdict.is_err());
        let median = beside[beside.len() / 2];
        told(name, program, &verdict, took, median);
        others.slowest = others.slowest.max(beside.last().copied().unwrap_or_default());
        others.medians.push(median);
    }
    failed += ended_loops(name, programs, &beyond);
    others.medians.sort();
    println!(
        "{name}: {} programs, {failed} failed; another run beside each: {:.1} ms in the median \
         of medians, {} ms at most",
        programs.len(),
        others.medians.get(others.medians.len() / 2).map_or(0.0, |m| m.as_secs_f64() * 1e3),
        others.slowest.as_millis()
    );
    failed
}

/// How far beyond its limit the next program got.
async fn next(overruns: &mut watch::Receiver<Overrun>, before: u64) -> Option<Duration> {
    let next = overruns.wait_for(|seen| seen.count > before);
    tokio::time::timeout(GRACE, next).await.ok()?.ok().map(|seen| seen.last)
}

fn told(
    name: &str,
    program: &Program,
    verdict: &Result<String, String>,
    took: Duration,
    median: Duration,
) {
    let (word, detail) = match verdict {
        Ok(how) => ("ok    ", how),
        Err(why) => ("FAILED", why),
    };
    println!(
        "{word} {name:<6} {:<34} {:>6} ms, others {:>6.1} ms: {detail}",
        program.name,
        took.as_millis(),
        median.as_secs_f64() * 1e3
    );
}

/// A line for each kind of native loop: how far beyond the limit of CPU its programs got. How many
/// kinds no program tried, where all programs were to run.
fn ended_loops(name: &str, programs: &[Program], beyond: &[(&str, Duration)]) -> usize {
    let mut missed = 0;
    for (kind, names) in LOOPS {
        if !names.iter().any(|n| programs.iter().any(|p| p.name == *n)) {
            continue;
        }
        let of_kind = beyond.iter().filter(|(program, _)| names.contains(program));
        match of_kind.map(|(_, beyond)| *beyond).max() {
            Some(worst) => println!(
                "{name:<6} {kind:<10} ended {:.1} ms of CPU after its limit at most",
                worst.as_secs_f64() * 1e3
            ),
            None => {
                missed += 1;
                println!("FAILED {name:<6} {kind}: no program of this kind reached its limit");
            }
        }
    }
    let worst = beyond.iter().map(|(_, beyond)| *beyond).max().unwrap_or_default();
    println!(
        "{name}: {} programs were ended at the limit of CPU, {:.1} ms of CPU after it at most",
        beyond.len(),
        worst.as_secs_f64() * 1e3
    );
    missed
}

fn programs() -> Vec<Program> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("hostile");
    let only: Vec<String> = std::env::args().skip(1).collect();
    let mut programs: Vec<Program> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let code = std::fs::read_to_string(&path).unwrap();
            let ends = code.lines().nth(1).and_then(|line| line.strip_prefix("// ends: "));
            Program {
                name: path.file_stem().unwrap().to_string_lossy().into_owned(),
                ends: ends.unwrap_or_else(|| panic!("{path:?} does not say how it ends")).into(),
                code,
            }
        })
        .filter(|program| only.is_empty() || only.iter().any(|o| program.name.starts_with(o)))
        .collect();
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    programs
}

/// Runs the program, and another one beside it again and again: how long each of those took,
/// sorted; at least one.
fn attacked(play: &Play, program: &Program) -> (Ended, Duration, Vec<Duration>) {
    let over = Arc::new(AtomicBool::new(false));
    let beside = {
        let (play, over) = (play.clone(), Arc::clone(&over));
        std::thread::spawn(move || {
            let mut took = Vec::new();
            while took.is_empty() || !over.load(Ordering::Relaxed) {
                let from = Instant::now();
                let ended = play.run("return (await demo.echo({a: 1})).a");
                assert_eq!(ended.value(), 1);
                took.push(from.elapsed());
            }
            took
        })
    };
    let from = Instant::now();
    let ended = block_on(play.play(play.spec(&program.code), sample));
    let took = from.elapsed();
    over.store(true, Ordering::Relaxed);
    let mut beside = beside.join().unwrap();
    beside.sort();
    (ended, took, beside)
}

fn limit(ended: &Ended) -> Duration {
    Duration::from_millis(CPU_MS) * u32::try_from(ended.turns + 2).unwrap_or(u32::MAX)
}

fn judged(program: &Program, ended: &Ended) -> Result<String, String> {
    if let Some(GuestFault::Broken(why)) = &ended.fault {
        return Err(format!("broke the sandbox: {why}"));
    }
    let result = ended.finish.as_ref().and_then(|finish| finish.result.as_deref());
    if result.is_some_and(|result| result.contains("ESCAPE")) {
        return Err(format!("escaped: {result:?}"));
    }
    let how = how(ended);
    let (kind, rest) = program.ends.split_once(' ').unwrap_or((&program.ends, ""));
    let fits = match kind {
        "blocked" => result == Some("\"blocked\"") || ended.error.is_some(),
        "error" => ended.error.is_some(),
        "safe" | "clean" => true,
        "syntax" => matches!(ended.fault, Some(GuestFault::Syntax { .. })),
        "value" => result == Some(rest),
        "limit" => rest.split(' ').any(|limit| how.starts_with(limit)),
        other => return Err(format!("{other:?} is no way to end")),
    };
    if fits { Ok(how) } else { Err(format!("ended otherwise: {how}")) }
}

fn how(ended: &Ended) -> String {
    match &ended.fault {
        Some(GuestFault::Cpu(_)) => return "cpu limit".into(),
        Some(GuestFault::Memory(_)) => return "memory limit".into(),
        Some(GuestFault::Stack) => return "stack limit".into(),
        Some(other) => return format!("{other:?}"),
        None => {}
    }
    if ended.stalled {
        return "stalled".into();
    }
    if let Some(error) = &ended.error {
        let message: String = error.message.chars().take(60).collect();
        return format!("threw {}: {message}", error.name);
    }
    let result = ended.finish.as_ref().and_then(|finish| finish.result.as_deref());
    format!("value {}", result.unwrap_or("none").chars().take(60).collect::<String>())
}
