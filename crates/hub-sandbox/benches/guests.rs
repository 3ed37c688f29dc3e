//! How long guests take: `cargo bench -p hub-sandbox`. Medians in microseconds, from the start
//! of a run to its result, machine code ready.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]

#[path = "../tests/it/support.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod support;

use hub_core::digest::Digest;
use hub_core::ports::{GuestNamespace, GuestOp, GuestSpec, GuestTool};
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{Play, block_on, drivers, sample};

/// Namespaces and tools of each: 500 tools in all.
const SPACES: usize = 10;
const TOOLS: usize = 50;

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

fn main() {
    let spaces = namespaces();
    let large: String = format!("\"{}\"", "x".repeat(1 << 20));
    for (name, driver) in drivers() {
        let play = Play { driver, seed: [1; 32], ..Play::default() };
        for (what, times, program) in PROGRAMS {
            let spec = GuestSpec { namespaces: Arc::clone(&spaces), ..play.spec(program) };
            let mut took: Vec<Duration> = Vec::new();
            for _ in 0..*times + 3 {
                let spec = spec.clone();
                let from = Instant::now();
                let ended = block_on(play.play(spec, |op| match op {
                    GuestOp::Call { address, .. } if address.ends_with("00") => {
                        Some(Ok(large.clone()))
                    }
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
        }
        let from = Instant::now();
        block_on(async {
            let mut runs = tokio::task::JoinSet::new();
            for _ in 0..50 {
                let play = play.clone();
                let spec = GuestSpec { namespaces: Arc::clone(&spaces), ..play.spec("return 1") };
                runs.spawn(async move { play.play(spec, sample).await });
            }
            while let Some(ended) = runs.join_next().await {
                assert!(ended.unwrap().finish.is_some());
            }
        });
        let took = from.elapsed().as_secs_f64() * 1e6;
        println!("{name:<6} {:<34} {took:>9.0} us", "50 runs at once");
        block_on(memory(name, &play, &spaces));
    }
}
