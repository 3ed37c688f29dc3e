//! How long guests take: `cargo bench -p hub-sandbox`. Medians in microseconds, from the start
//! of a run to its result, machine code ready.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]

#[path = "../tests/it/support.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod support;

use hub_core::digest::Digest;
use hub_core::ports::{GuestFault, GuestNamespace, GuestOp, GuestSpec, GuestTool};
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{Play, block_on, drivers, sample};

/// Namespaces and tools of each: 500 tools in all.
const SPACES: usize = 10;
const TOOLS: usize = 50;
/// Runs that are not counted.
const WARM_UP: usize = 3;

fn namespaces() -> Arc<[GuestNamespace]> {
    let tools: Vec<GuestTool> = (0..TOOLS)
        .map(|i| GuestTool {
            name: format!("toolNumber{i:02}"),
            raw: format!("tool_number_{i:02}"),
            definition: Digest::of(b""),
        })
        .collect();
    (0..SPACES)
        .map(|i| GuestNamespace { name: format!("space{i}"), tools: tools.clone() })
        .collect()
}

const PROGRAMS: &[(&str, usize, &str)] = &[
    ("return 1, 500 tools connected", 400, "return 1"),
    ("1 call", 200, "return await space0.toolNumber01({a: 1})"),
    ("10 calls in a row", 100, "for (let i = 0; i < 10; i++) await space0.toolNumber01({i})"),
    ("100 calls in a row", 30, "for (let i = 0; i < 100; i++) await space0.toolNumber01({i})"),
    (
        "100 calls at once",
        30,
        "await Promise.all(Array.from({length: 100}, (_, i) => space0.toolNumber01({i})))",
    ),
    ("a 1 MB answer", 20, "return (await space0.toolNumber00({})).length"),
    ("1 MB of arguments", 20, "await space0.toolNumber01({t: 'x'.repeat(1 << 20)})"),
    ("a loop of 1e7", 5, "let n = 0; for (let i = 0; i < 1e7; i++) n += i % 7; return n"),
];

/// Memory of 20 programs that wait for an answer, each: of this process, and of its children
/// where programs run in them. Private memory alone; shared pages are nobody's cost.
async fn memory(name: &str, play: &Play, spaces: &Arc<[GuestNamespace]>) {
    const GUESTS: usize = 20;
    let before = private_kib();
    let mut guests = Vec::new();
    for _ in 0..GUESTS {
        let code = "await space0.toolNumber01({a: 1})";
        let spec = GuestSpec { namespaces: Arc::clone(spaces), ..play.spec(code) };
        guests.push(play.driver.start(spec).await.unwrap());
    }
    let [here, there] = [0, 1].map(|i| (private_kib()[i].saturating_sub(before[i])) / GUESTS);
    let what = "memory of a program that waits";
    println!("{name:<6} {what:<34} {here:>9} KiB in the hub, {there} KiB in its worker");
    let [hub, workers] = private_kib();
    println!("{name:<6} {:<34} {hub:>9} KiB hub, {workers} KiB workers", "private memory");
}

/// Private KiB of this process, and of all processes below it.
fn private_kib() -> [usize; 2] {
    let read = |file: String| std::fs::read_to_string(file).unwrap_or_default();
    let private = |pid: &str| -> usize {
        let rollup = read(format!("/proc/{pid}/smaps_rollup"));
        let lines = rollup.lines().filter(|line| line.starts_with("Private_"));
        lines.filter_map(|line| line.split_whitespace().nth(1)?.parse::<usize>().ok()).sum()
    };
    let own = std::process::id().to_string();
    let mut sums = [private(&own), 0];
    let Ok(processes) = std::fs::read_dir("/proc") else { return sums };
    for process in processes.flatten() {
        let pid = process.file_name().to_string_lossy().into_owned();
        let parent = |pid: &str| {
            let stat = read(format!("/proc/{pid}/stat"));
            let (_, rest) = stat.rsplit_once(") ")?;
            rest.split(' ').nth(1).map(str::to_owned)
        };
        let above = parent(&pid);
        let is_ours = above.is_some_and(|p| p == own || parent(&p).is_some_and(|p| p == own));
        sums[1] += if is_ours { private(&pid) } else { 0 };
    }
    sums
}

/// CPU of this process, and of the workers that have ended where programs run in them.
fn cpu(name: &str) -> [Duration; 2] {
    let own = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let own = Duration::new(own.tv_sec.cast_unsigned(), u32::try_from(own.tv_nsec).unwrap());
    [own, ended_workers(name).unwrap_or_default()]
}

/// In hundredths of a second, which is how finely the system tells.
#[cfg(target_os = "linux")]
fn ended_workers(name: &str) -> Option<Duration> {
    let zygote = support::WORKER.as_ref().filter(|_| name == "worker")?.zygote()?;
    let stat = std::fs::read_to_string(format!("/proc/{zygote}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(") ")?;
    // User and system time: of itself, then of its children that have ended.
    let ticks = rest.split(' ').skip(11).take(4).map(|n| n.parse::<u64>().unwrap_or(0));
    Some(Duration::from_millis(10 * ticks.sum::<u64>()))
}

#[cfg(not(target_os = "linux"))]
fn ended_workers(_: &str) -> Option<Duration> {
    None
}

/// Prints the CPU of one run, of so many since `before`.
fn cpu_each(name: &str, what: &str, before: [Duration; 2], runs: usize) {
    let after = cpu(name);
    let [hub, workers] =
        [0, 1].map(|i| after[i].saturating_sub(before[i]).as_secs_f64() * 1e6 / runs as f64);
    println!("{name:<6} {what:<34} {hub:>9.0} us CPU in the hub, {workers:.0} us in workers");
}

/// One program, over and over.
fn one(name: &str, play: &Play, spec: &GuestSpec, (what, times): (&str, usize), large: &str) {
    let mut took: Vec<Duration> = Vec::new();
    let mut before = cpu(name);
    for turn in 0..times + WARM_UP {
        if turn == WARM_UP {
            before = cpu(name);
        }
        let spec = spec.clone();
        let from = Instant::now();
        let ended = block_on(play.play(spec, |op| match op {
            GuestOp::Call { address, .. } if address.ends_with("00") => Some(Ok(large.to_owned())),
            other => sample(other),
        }));
        took.push(from.elapsed());
        assert!(ended.finish.is_some(), "{ended:?}");
    }
    took.sort();
    println!(
        "{name:<6} {what:<34} {:>9.0} us median, {:>9.0} us least",
        took[took.len() / 2].as_secs_f64() * 1e6,
        took[0].as_secs_f64() * 1e6
    );
    cpu_each(name, "", before, times);
}

/// Many at once, a few times over.
fn at_once(name: &str, play: &Play, spec: &GuestSpec) {
    const AT_ONCE: usize = 50;
    const ROUNDS: usize = 10;
    let mut took = Vec::new();
    let before = cpu(name);
    for _ in 0..ROUNDS {
        let from = Instant::now();
        block_on(async {
            let mut runs = tokio::task::JoinSet::new();
            for _ in 0..AT_ONCE {
                let (play, spec) = (play.clone(), spec.clone());
                runs.spawn(async move { play.play(spec, sample).await });
            }
            while let Some(ended) = runs.join_next().await {
                assert!(ended.unwrap().finish.is_some());
            }
        });
        took.push(from.elapsed());
    }
    took.sort();
    let median = took[ROUNDS / 2].as_secs_f64() * 1e6;
    println!(
        "{name:<6} {:<34} {median:>9.0} us median of all, {:.0} us for each",
        "50 runs at once",
        median / AT_ONCE as f64
    );
    cpu_each(name, "", before, AT_ONCE * ROUNDS);
}

/// A program that runs beside others.
struct Beside(tokio::task::JoinHandle<Result<(), GuestFault>>);

/// How long a trivial program takes alone, and beside one that computes without end.
fn delayed(name: &str, play: &Play, spec: &GuestSpec) {
    const TIMES: usize = 200;
    let median = || {
        let mut took: Vec<Duration> = (0..TIMES)
            .map(|_| {
                let from = Instant::now();
                assert!(block_on(play.play(spec.clone(), sample)).finish.is_some());
                from.elapsed()
            })
            .collect();
        took.sort();
        took[TIMES / 2].as_secs_f64() * 1e3
    };
    let alone = median();
    let looping = play.spec("for (;;);");
    let (driver, began) = (Arc::clone(&play.driver), Instant::now());
    // It is ended by its limit, or with its task.
    let looping = async move { driver.start(looping).await.map(drop) };
    let beside = block_on(async { Beside(tokio::spawn(looping)) });
    let beside_loop = median();
    assert!(!beside.0.is_finished(), "it ended after {:?}", began.elapsed());
    beside.0.abort();
    println!(
        "{name:<6} {:<34} {alone:>9.3} ms alone, {beside_loop:.3} ms beside a looping program",
        "a trivial program, median"
    );
}

fn main() {
    let spaces = namespaces();
    let large: String = format!("\"{}\"", "x".repeat(1 << 20));
    for (name, driver) in drivers() {
        let play = Play { driver, seed: [1; 32], ..Play::default() };
        let spec = |code| GuestSpec { namespaces: Arc::clone(&spaces), ..play.spec(code) };
        for (what, times, program) in PROGRAMS {
            one(name, &play, &spec(program), (what, *times), &large);
        }
        at_once(name, &play, &spec("return 1"));
        delayed(name, &play, &spec("return 1"));
        block_on(memory(name, &play, &spaces));
    }
}
