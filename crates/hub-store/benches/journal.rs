//! What the journal costs on the disk, and what parked runs cost a hub that starts:
//! `cargo bench -p hub-store`. Rows of tables for `docs/runs.md`.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]

use hub_core::envelope::Status;
use hub_core::id::{PendingId, RunId};
use hub_core::ports::{NewRun, RunCommit, RunFilter, RunStore};
use hub_store::{Durability, Options, SqliteStore};
use hub_testkit::fixtures::{T0, new_run, pending, pins, run, state, step};
use std::path::Path;
use std::time::{Duration, Instant};

/// Steps of which the median counts.
const STEPS: u64 = 400;
/// Bytes of one journal entry, about those of a call with a short answer.
const ENTRY_BYTES: usize = 260;
/// Parked runs.
const PARKED: usize = 10_000;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        journal().await;
        parked().await;
    });
}

fn open(dir: &Path, durability: Durability) -> std::sync::Arc<SqliteStore> {
    SqliteStore::open(dir, Options { durability, ..Options::default() }).unwrap()
}

/// One effect after the other: a settled call and the next intent share a step.
async fn journal() {
    println!("| a step of two entries survives | median | 95th percentile | bytes written |");
    println!("|---|---|---|---|");
    for (name, durability) in
        [("a power cut", Durability::Power), ("the end of the process", Durability::Process)]
    {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path(), durability);
        let record = run("a", "c", "code");
        store.open_run(new_run(record.clone())).await.unwrap();
        let written = || std::fs::metadata(dir.path().join("hub.db-wal")).map_or(0, |m| m.len());
        let before = written();
        let mut times = Vec::new();
        for n in 0..STEPS {
            let step = RunCommit {
                events: vec![vec![b'x'; ENTRY_BYTES]; 2],
                effects: 1,
                ..step(&record.id, 2 * n)
            };
            let began = Instant::now();
            store.commit(step).await.unwrap();
            times.push(began.elapsed());
        }
        times.sort();
        println!(
            "| {name} | {:.0} µs | {:.0} µs | {} |",
            micros(times[times.len() / 2]),
            micros(times[times.len() * 95 / 100]),
            (written() - before) / STEPS,
        );
    }
    println!();
}

/// A store full of runs that wait, and a hub that starts on it.
async fn parked() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), Durability::Process);
    fill(&store).await;
    drop(store);
    let before = resident();
    let mut times = Vec::new();
    for _ in 0..5 {
        let began = Instant::now();
        let store = open(dir.path(), Durability::Power);
        // What the engine asks at its start, and what it does at once to keep the house.
        let running = RunFilter { status: vec![Status::Running], ..RunFilter::default() };
        assert!(store.runs(running).await.unwrap().is_empty());
        assert!(store.overdue_pendings(T0).await.unwrap().is_empty());
        let forgotten = RunFilter {
            status: Status::OPEN.to_vec(),
            changed_before: Some(T0),
            ..RunFilter::default()
        };
        assert!(store.runs(forgotten).await.unwrap().is_empty());
        times.push(began.elapsed());
    }
    let store = open(dir.path(), Durability::Power);
    let grown = resident().saturating_sub(before);
    let mut found = Vec::new();
    let mut added = Vec::new();
    for n in 0..50 {
        let began = Instant::now();
        let id = RunId::new(format!("run_{}", n * PARKED / 50));
        store.run(id.clone()).await.unwrap().unwrap();
        assert_eq!(store.journal(id.clone()).await.unwrap().len(), 4);
        assert_eq!(store.pendings(id).await.unwrap().len(), 1);
        found.push(began.elapsed());
        let began = Instant::now();
        let fresh = new_run(run(&format!("fresh{n}"), "c", "code"));
        store.open_run(NewRun { at_most: Some(2 * PARKED), ..fresh }).await.unwrap();
        added.push(began.elapsed());
    }
    let least = |times: &mut Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    println!("| {PARKED} parked runs in the store | |");
    println!("|---|---|");
    println!("| a hub's start and first round | {:.1} ms |", micros(least(&mut times)) / 1e3);
    println!("| memory they take | {:.1} MiB in all |", grown as f64 / (1 << 20) as f64);
    println!("| reading one to go on with it | {:.0} µs |", micros(least(&mut found)));
    println!("| adding one more, all of one principal | {:.0} µs |", micros(least(&mut added)));
    println!();
}

async fn fill(store: &SqliteStore) {
    for n in 0..PARKED {
        let mut record = run(&n.to_string(), "c", &"await demo.ask({});\n".repeat(20));
        record.pins = Some(pins(b"program", b"names"));
        let id = record.id.clone();
        let blobs = vec![b"program".to_vec().into(), b"names".to_vec().into()];
        store.open_run(NewRun { record, blobs, attach: None, at_most: None }).await.unwrap();
        let mut waits = pending(&n.to_string(), &id);
        waits.id = PendingId::new(format!("pend_{n}"));
        let parks = RunCommit {
            events: vec![vec![b'x'; ENTRY_BYTES]; 4],
            waits: vec![waits],
            state: state(Status::AwaitingApproval, T0.plus(1)),
            ..step(&id, 0)
        };
        store.commit(parks).await.unwrap();
    }
}

/// Bytes of memory that this process has resident; 0 where the system does not say.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|l| l.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
