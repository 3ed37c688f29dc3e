//! How search grows: catalogues of 1,000 to 100,000 tools made from the labelled sets.

use super::ours::Ours;
use super::sets::{Set, Tool};
use hub_core::policy::Verdict;
use hub_core::search::{Query, Weights, search};
use std::fmt::Write;
use std::time::Instant;

/// Sizes measured.
const SIZES: [usize; 5] = [1_000, 3_000, 10_000, 30_000, 100_000];
/// Tools of one namespace: as many small sources, and as few of the largest allowed size.
const SHAPES: [usize; 2] = [50, 10_000];
/// Queries timed per catalogue.
const QUERIES: usize = 200;

/// Times each query is timed; the best counts, so that other work of the machine does not.
const ROUNDS: usize = 5;

/// What one catalogue costs.
pub struct Point {
    pub tools: usize,
    pub per_namespace: usize,
    pub build_ms: f64,
    pub mean_ms: f64,
    pub worst_ms: f64,
    /// Bytes of the index per tool.
    pub index_bytes: f64,
    /// Bytes of all that the catalogue keeps per tool, index included.
    pub all_bytes: f64,
}

/// Measures every size in every shape.
pub fn measure(sets: &[Set]) -> Vec<Point> {
    of_sizes(sets, &SIZES)
}

/// The same for chosen sizes.
pub fn of_sizes(sets: &[Set], sizes: &[usize]) -> Vec<Point> {
    let queries: Vec<&str> = sets
        .iter()
        .filter(|s| s.name != "seal-tools")
        .flat_map(|s| &s.files)
        .flat_map(|f| &f.queries)
        .map(|q| q.text.as_str())
        .collect();
    let step = (queries.len() / QUERIES).max(1);
    let queries: Vec<&str> = queries.into_iter().step_by(step).collect();
    let mut out = Vec::new();
    for per_namespace in SHAPES {
        for &tools in sizes {
            out.push(point(&synthetic(sets, tools, per_namespace), per_namespace, &queries));
        }
    }
    out
}

fn point(set: &Set, per_namespace: usize, queries: &[&str]) -> Point {
    let ours = Ours::new(set, &Weights::default());
    let once = |text: &str| {
        let query = Query { text, namespace: None, limit: 10, offset: 0 };
        let start = Instant::now();
        std::hint::black_box(search(&ours.catalog, &query, &|_, _| Verdict::Allow));
        start.elapsed().as_secs_f64() * 1e3
    };
    let best = |text: &&str| (0..ROUNDS).map(|_| once(text)).fold(f64::INFINITY, f64::min);
    let mut times: Vec<f64> = queries.iter().map(best).collect();
    times.sort_by(f64::total_cmp);
    let tools = set.tools.len();
    let index = ours.catalog.index.heap_bytes();
    Point {
        tools,
        per_namespace,
        build_ms: ours.build_ms,
        mean_ms: times.iter().sum::<f64>() / times.len() as f64,
        worst_ms: times[times.len() * 99 / 100],
        index_bytes: index as f64 / tools as f64,
        all_bytes: (index + ours.catalog_bytes()) as f64 / tools as f64,
    }
}

/// The tools of all sets, over and over, until there are enough. Later rounds carry a word of
/// their own in name and description, as other products would.
fn synthetic(sets: &[Set], tools: usize, per_namespace: usize) -> Set {
    let all: Vec<&Tool> = sets.iter().flat_map(|s| &s.tools).collect();
    // A stride without a common divisor mixes the sets.
    let stride =
        (all.len() / 3..).find(|s| !all.len().is_multiple_of(*s) && s % 2 == 1).unwrap_or(1);
    let made = (0..tools).map(|i| {
        let tool = all[(i * stride) % all.len()];
        let round = i / all.len();
        let product = if round == 0 { String::new() } else { format!("product{round}x") };
        Tool {
            id: i.to_string(),
            namespace: format!("source {}", i / per_namespace),
            name: format!("{product}_{}_{i}", tool.name),
            description: format!("{} {product}", tool.description),
            parameters: tool.parameters.clone(),
        }
    });
    Set { name: "synthetic".to_owned(), tools: made.collect(), files: Vec::new() }
}

/// The figures as Markdown.
pub fn table(points: &[Point]) -> String {
    let mut out = String::from(
        "| tools | per namespace | build, ms | search, mean ms | 99 of 100 below, ms | \
         index, bytes per tool | all in memory, bytes per tool |\n|---|---|---|---|---|---|---|\n",
    );
    for p in points {
        let _ = writeln!(
            out,
            "| {} | {} | {:.0} | {:.3} | {:.3} | {:.0} | {:.0} |",
            p.tools,
            p.per_namespace.min(p.tools),
            p.build_ms,
            p.mean_ms,
            p.worst_ms,
            p.index_bytes,
            p.all_bytes
        );
    }
    out
}

/// `docs/search-growth.md`.
pub fn page(points: &[Point]) -> String {
    format!("{}\n{}", PAGE.replace("QUERIES", &QUERIES.to_string()), table(points))
}

const PAGE: &str = "\
# How search grows

Written by `cargo xtask growth`. Catalogues are made from the tools of the
labelled sets, over and over, in many small namespaces and in few large ones; QUERIES dev queries,
the best of several times each, ten hits, one thread. *Build* is the whole index; a refresh of one
source builds that source's part only. *All in memory* is the index with names, summaries and what
else a tool keeps; the signatures here are short ones.

Goals: 10,000 tools: search ≤ 1 ms, build ≤ 300 ms, ≤ 30 MB; 100,000 tools: search ≤ 10 ms;
≤ 500 bytes per tool.

![Milliseconds per search by number of tools](search-growth.svg)
";
