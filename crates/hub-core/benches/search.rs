//! What an index and a search of it cost: `cargo bench -p hub-core`. The best of many.

#[path = "../tests/it/big.rs"]
mod big;

use hub_core::names::closest;
use hub_core::policy::Verdict;
use hub_core::search::{Query, search};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Sizes of the catalogue.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// Repetitions of a search, of which the best counts.
const ROUNDS: usize = 200;
/// Of building a catalogue.
const BUILDS: usize = 3;

const QUERIES: [&str; 5] = [
    "create an invoice",
    "list recent messages in a channel",
    "update_issue_43",
    "who merged the last pull request of the project",
    "qwrtp zxcvb",
];

fn main() {
    println!("| tools | build | index, bytes per tool | search, mean | worst | closest name |");
    println!("|---|---|---|---|---|---|");
    for tools in SIZES {
        let build = best(BUILDS, || big::catalog(tools));
        let catalog = big::catalog(tools);
        let times: Vec<Duration> = QUERIES
            .iter()
            .map(|text| {
                let query = Query { text, namespace: None, limit: 10, offset: 0 };
                best(ROUNDS, || search(&catalog, &query, &|_, _| Verdict::Allow))
            })
            .collect();
        let names = &catalog.namespaces[0].tools;
        let like = best(20, || closest("creatInvoice", names.iter().map(|t| &*t.name), 3));
        println!(
            "| {tools} | {build:.1?} | {} | {:.1?} | {:.1?} | {like:.1?} |",
            catalog.index.heap_bytes() / tools,
            times.iter().sum::<Duration>() / QUERIES.len() as u32,
            times.iter().max().unwrap_or(&Duration::ZERO),
        );
    }
}

fn best<R>(rounds: usize, mut act: impl FnMut() -> R) -> Duration {
    let once = |_| {
        let began = Instant::now();
        black_box(act());
        began.elapsed()
    };
    (0..rounds).map(once).min().unwrap_or_default()
}
