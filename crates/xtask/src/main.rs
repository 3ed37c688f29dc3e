//! Chores of the project, run as `cargo xtask <chore> …`.
//!
//! To add one: a module with `pub fn run(args: &[String]) -> Result<(), Failure>`, a line in
//! [`CHORES`]. A chore prints what it found on standard output and fails with one message.

mod case;
mod failure;
mod guest;
mod hostile;
mod killtest;
mod rank;
mod simulate;
mod tidy;
mod types;

use failure::Failure;
use std::process::ExitCode;

/// Does one chore with the arguments behind its name.
type Chore = fn(&[String]) -> Result<(), Failure>;

/// Name, arguments and purpose for the usage text, and what to run.
const CHORES: &[(&str, &str, &str, Chore)] = &[
    ("growth", "", "speed and memory of search by size of the catalogue", rank::growth),
    (
        "rank",
        "[--data DIR] [--misses SET]",
        "quality of search beside simpler rankers; writes docs/ranking.md",
        rank::run,
    ),
    ("tune", "[--tries N]", "what weights of search the labelled queries agree on", rank::tune),
    (
        "killtest",
        "[--points N] [--binary FILE]",
        "the real hub ended by SIGKILL at each point of a program, and asked again",
        killtest::run,
    ),
    (
        "simulate",
        "[--programs N] [--seed S] [--only P]",
        "random programs killed at every event and resumed, against an oracle",
        simulate::run,
    ),
    ("guest", "", "rebuilds the sandbox's guest image (needs clang)", guest::run),
    (
        "case",
        "FILE.jsonl [--id X]",
        "play trouble cases against the product and print what happened",
        case::run,
    ),
    (
        "hostile",
        "[NAME]",
        "hostile programs against the sandbox: a line each, a summary last",
        hostile::run,
    ),
    (
        "tidy",
        "",
        "arrows between crates, lengths, forbidden words and other rules of the house",
        tidy::run,
    ),
    (
        "types",
        "[--data DIR] [--quick | --check]",
        "render, compile and measure the types of real tools; writes docs/types.md",
        types::run,
    ),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = args.split_first() else {
        eprint!("{}", usage());
        return ExitCode::from(2);
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print!("{}", usage());
        return ExitCode::SUCCESS;
    }
    let Some((_, _, _, chore)) = CHORES.iter().find(|c| c.0 == name) else {
        eprintln!("no chore is called {name:?}\n\n{}", usage());
        return ExitCode::from(2);
    };
    match chore(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{name}: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> String {
    let mut text = String::from("usage: cargo xtask <chore> [arguments]\n\n");
    for (name, args, purpose, _) in CHORES {
        text.push_str(&format!("  {:<34} {purpose}\n", format!("{name} {args}")));
    }
    text
}
