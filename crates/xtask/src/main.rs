//! Chores of the project, run as `cargo xtask <chore> …`.
//!
//! This crate is small and built in seconds: its chores look at files, and start programs. Chores
//! that need the product's own crates live in `workbench`; a line here hands them over. To add
//! one: a module with `pub fn run(args: &[String]) -> Result<(), Failure>`, a line in [`CHORES`].

mod bench;
mod fuzz;
mod hand_over;
mod hostile;
mod pages;
mod run_costs;
mod tidy;

use std::process::ExitCode;
use xtask::Chore;

/// All chores, those of the workbench too.
const CHORES: &[Chore] = &[
    Chore {
        name: "tidy",
        args: "",
        purpose: "arrows between crates, lengths, forbidden words and other rules of the house",
        run: tidy::run,
    },
    Chore {
        name: "bench",
        args: "peers|smoke [--rounds N] [--binary FILE]",
        purpose: "the hub beside its peers in one run; writes docs/benchmarks.md",
        run: bench::run,
    },
    Chore {
        name: bench::FIXTURE,
        args: "[TOOLS] [FIRST]",
        purpose: "the source that benches call: an MCP server on standard input and output",
        run: bench::fixture,
    },
    Chore {
        name: "hostile",
        args: "[NAME]...",
        purpose: "hostile programs against the sandbox: a line each, a summary last",
        run: hostile::run,
    },
    Chore {
        name: "fuzz",
        args: "[TARGET] [--seconds N] [--keep]",
        purpose: "one target under libFuzzer; without a name, a short try of all",
        run: fuzz::run,
    },
    Chore {
        name: "differential",
        args: "[--programs N] [--seed S] [--only P]",
        purpose: "generated programs on every driver and in Node: the same outcome",
        run: |args| hand_over::example("differential", args),
    },
    Chore {
        name: "pages",
        args: "[--check] [--only WORD]",
        purpose: "the hub's pages in a headless browser; writes docs/pages unless --check",
        run: pages::run,
    },
    Chore {
        name: "guest",
        args: "",
        purpose: "rebuilds the sandbox's guest image (needs clang)",
        run: |args| hand_over::debug("guest", args),
    },
    Chore {
        name: "conformance",
        args: "[--requirements R] [--only RUN]",
        purpose: "the protocol's own suite against both sides of the hub; see ci/conformance.toml",
        run: |args| hand_over::debug("conformance", args),
    },
    Chore {
        name: "case",
        args: "FILE.jsonl [--id X]",
        purpose: "plays trouble cases against the product and prints what happened",
        run: |args| hand_over::debug("case", args),
    },
    Chore {
        name: "rank",
        args: "[--data DIR] [--misses SET]",
        purpose: "quality of search beside simpler rankers; writes docs/ranking.md",
        run: |args| hand_over::debug("rank", args),
    },
    Chore {
        name: "tune",
        args: "[--tries N]",
        purpose: "what weights of search the labelled queries agree on",
        run: |args| hand_over::optimised("tune", args),
    },
    Chore {
        name: "growth",
        args: "",
        purpose: "speed and memory of search by size of catalogue; writes docs/search-growth.md",
        run: |args| hand_over::optimised("growth", args),
    },
    Chore {
        name: "types",
        args: "[--data DIR] [--quick | --check]",
        purpose: "renders, compiles and measures the types of real tools; writes docs/types.md",
        run: |args| hand_over::debug("types", args),
    },
    Chore {
        name: "simulate",
        args: "[--programs N | --minutes M] [--seed S] [--only P]",
        purpose: "random programs killed at every event and resumed, against an oracle",
        run: |args| hand_over::debug("simulate", args),
    },
    Chore {
        name: "run-costs",
        args: "",
        purpose: "what calls, journal, replay and parked runs cost; writes docs/runs.md",
        run: run_costs::run,
    },
    Chore {
        name: "killtest",
        args: "[--points N] [--binary FILE]",
        purpose: "the real hub ended by SIGKILL at N calls of a program, before and after the send",
        run: |args| hand_over::debug("killtest", args),
    },
    Chore {
        name: "orphans",
        args: "[--kills N] [--lanes L] [--seed S] [--binary FILE]",
        purpose: "the real hub ended by SIGKILL with sources that resist: nothing outlives it",
        run: |args| hand_over::debug("orphans", args),
    },
    Chore {
        name: "soak",
        args: "[--agents N] [--sources N] [--seconds S] [--seed S] [--binary FILE]",
        purpose: "agents on one hub, sources killed and answers lost at random: calls and leaks",
        run: |args| hand_over::debug("soak", args),
    },
];

fn main() -> ExitCode {
    xtask::main("cargo xtask", CHORES)
}
