//! What runs cost beside their sources and their sandbox: `cargo bench -p hub-engine`. The
//! smallest of many repetitions, over a store in memory and guests written in Rust; rows of a
//! table for `docs/runs.md`.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]

#[path = "../tests/it/harness.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod harness;

use harness::Hub;
use hub_core::ports::RunStore;
use serde_json::json;
use std::time::{Duration, Instant};

/// Calls of one program.
const CALLS: u32 = 100;
/// Repetitions of which the smallest counts.
const TIMES: usize = 40;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(costs());
}

/// The programs: none, in a row and at once, reads and effects.
fn programs(hub: &Hub) {
    hub.driver.program("nothing", |_| async { Ok(json!(null)) });
    for tool in ["read", "write"] {
        hub.driver.program(&format!("{tool}s in a row"), move |api| async move {
            for i in 0..CALLS {
                api.call(&format!("demo.{tool}"), json!({ "i": i })).await?;
            }
            Ok(json!(null))
        });
        hub.driver.program(&format!("{tool}s at once"), move |api| async move {
            let calls: Vec<_> =
                (0..CALLS).map(|i| api.call(&format!("demo.{tool}"), json!({ "i": i }))).collect();
            for call in calls {
                call.await?;
            }
            Ok(json!(null))
        });
    }
}

async fn costs() {
    let hub = Hub::new().await;
    programs(&hub);
    println!("| program | per call | commits | journal bytes per call | replay of the run |");
    println!("|---|---|---|---|---|");
    let base = cost(&hub, "nothing").await.time;
    for name in ["reads in a row", "reads at once", "writes in a row", "writes at once"] {
        let cost = cost(&hub, name).await;
        println!(
            "| {CALLS} {name} | {:.1} µs | {} | {} | {:.2} ms |",
            micros(cost.time.saturating_sub(base)) / f64::from(CALLS),
            cost.commits,
            cost.bytes / u64::from(CALLS),
            micros(cost.replay) / 1_000.0,
        );
    }
    println!();
    println!("A run without calls takes {:.0} µs.", micros(base));
}

struct Cost {
    time: Duration,
    commits: u64,
    bytes: u64,
    replay: Duration,
}

async fn cost(hub: &Hub, name: &str) -> Cost {
    let mut cost = Cost { time: Duration::MAX, commits: 0, bytes: 0, replay: Duration::MAX };
    for i in 0..TIMES {
        let commits = hub.store.commits();
        let began = Instant::now();
        let outcome = hub.run(&format!("{name}#{i}")).await;
        cost.time = cost.time.min(began.elapsed());
        assert_eq!(outcome.status(), "completed");
        cost.commits = hub.store.commits() - commits;
        let began = Instant::now();
        hub.engine.replay_run(outcome.run()).await.unwrap();
        cost.replay = cost.replay.min(began.elapsed());
        let lines = hub.store.journal(outcome.envelope.run_id.clone()).await.unwrap();
        cost.bytes = lines.iter().map(|line| line.len() as u64).sum();
        // Ended runs go, so that the store in memory stays small.
        hub.clock.advance(hub_core::limits::ENDED_RUN_KEPT_MS as u64 + 1);
        hub.engine.keep_house().await.unwrap();
    }
    cost
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
