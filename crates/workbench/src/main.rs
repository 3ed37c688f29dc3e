//! Chores that need the product's own crates; `cargo xtask <chore>` hands over to them.
//!
//! To add one: a module with `pub fn run(args: &[String]) -> Result<(), Failure>`, a line in
//! [`CHORES`], and a line in xtask's table, which everybody reads.

mod case;
mod conformance;
mod guest;
mod hub_process;
mod killtest;
mod orphans;
mod rank;
mod simulate;
mod soak;
mod tasks;
mod types;

use std::process::ExitCode;
use xtask::Chore;

/// What xtask hands over.
const CHORES: &[Chore] = &[
    chore("case", case::run),
    chore("conformance", conformance::run),
    chore("growth", rank::growth),
    chore("guest", guest::run),
    chore("killtest", killtest::run),
    chore("orphans", orphans::run),
    chore("rank", rank::run),
    chore("simulate", simulate::run),
    chore("soak", soak::run),
    chore("tune", rank::tune),
    chore("types", types::run),
];

const fn chore(name: &'static str, run: fn(&[String]) -> Result<(), xtask::Failure>) -> Chore {
    Chore { name, args: "…", purpose: "see `cargo xtask help`", run }
}

fn main() -> ExitCode {
    xtask::main("workbench", CHORES)
}
