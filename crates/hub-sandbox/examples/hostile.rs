//! Runs every program of `hostile/` and says how it ended: a line per program and driver, a line
//! per driver, a summary last, and failure on an escape, a crash or a missed limit. Beside each
//! attack another program runs over and over; how long it took in the median is recorded. Called
//! by `cargo xtask hostile`.
//!
//! The second line of a program says how it must end:
//! `blocked` (it returns that text, or throws), `error` (it throws), `safe` (it ends by itself or
//! at a limit), `value …` (exactly this result), `limit …` (one of these limits, or a result
//! where `value` is among them), `syntax`, `clean` (a run after it finds no trace).
#![expect(clippy::unwrap_used, reason = "a chore that cannot go on stops")]

#[path = "../tests/it/support.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod support;

use hub_core::ports::{Driver, GuestFault, GuestLimits};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::{Ended, Play, block_on, drivers, sample};

/// Milliseconds of CPU a program of the suite may take in one turn.
const CPU_MS: u64 = 1_000;
/// How long after its limit a program may still be there. Wall time on a machine that does other
/// things too, so it is generous; the figure is printed.
const GRACE: Duration = Duration::from_secs(10);
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
    let drivers = drivers();
    let mut failed = 0usize;
    for (name, driver) in &drivers {
        failed += against(name, driver, &programs);
    }
    let (count, drivers) = (programs.len(), drivers.len());
    println!("{count} programs on {drivers} drivers, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Every program on one driver; how many were not held.
fn against(name: &str, driver: &Arc<dyn Driver>, programs: &[Program]) -> usize {
    let limits = GuestLimits { cpu_ms: CPU_MS, ..GuestLimits::default() };
    let play = Play { driver: Arc::clone(driver), limits, seed: [3; 32], ..Play::default() };
    let traces = play.run(TRACES).json().to_owned();
    let mut failed = 0;
    let mut others = Beside::default();
    for program in programs {
        let (ended, took, beside) = attacked(&play, program);
        let mut verdict = judged(program, &ended);
        if verdict.is_ok() && took > limit(&ended) + GRACE {
            verdict = Err(format!("missed its limit: {took:?}"));
        }
        if verdict.is_ok() && program.ends == "clean" && play.run(TRACES).json() != traces {
            verdict = Err("left traces".into());
        }
        if verdict.is_ok() && play.run("return 1").value() != 1 {
            verdict = Err("the next program did not run".into());
        }
        let (word, detail) = match &verdict {
            Ok(how) => ("ok    ", how),
            Err(why) => ("FAILED", why),
        };
        failed += usize::from(verdict.is_err());
        let median = beside[beside.len() / 2];
        println!(
            "{word} {name:<6} {:<34} {:>6} ms, others {:>6.1} ms: {detail}",
            program.name,
            took.as_millis(),
            median.as_secs_f64() * 1e3
        );
        others.slowest = others.slowest.max(beside.last().copied().unwrap_or_default());
        others.medians.push(median);
    }
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

fn programs() -> Vec<Program> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("hostile");
    let only = std::env::args().nth(1).unwrap_or_default();
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
        .filter(|program| program.name.starts_with(&only))
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
