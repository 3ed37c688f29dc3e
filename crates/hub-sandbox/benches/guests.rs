//! How long guests take: `cargo bench -p hub-sandbox`. Medians in microseconds, from the start
//! of a run to its result, machine code ready.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]

#[path = "../tests/it/support.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod support;

use hub_core::digest::Digest;
use hub_core::ports::{GuestLimits, GuestNamespace, GuestOp, GuestSpec, GuestTool};
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

fn main() {
    let spaces = namespaces();
    let large: String = format!("\"{}\"", "x".repeat(1 << 20));
    for (name, driver) in drivers() {
        let play = Play { driver, limits: GuestLimits::default(), seed: [1; 32] };
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
    }
}
