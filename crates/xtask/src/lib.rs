//! What every program of chores shares: how a chore looks, fails and is found by its name.

mod cargo;
mod failure;

pub use cargo::cargo;
pub use failure::Failure;
use std::process::ExitCode;

/// One thing that can be asked for by name.
pub struct Chore {
    /// What it is called on the command line.
    pub name: &'static str,
    /// Its arguments, for the usage text.
    pub args: &'static str,
    /// What it is for, in a line.
    pub purpose: &'static str,
    /// Does it with the arguments behind its name: prints what it found on standard output,
    /// fails with one message.
    pub run: fn(&[String]) -> Result<(), Failure>,
}

/// Runs the chore that the command line names; `program` stands in the usage text.
pub fn main(program: &str, chores: &[Chore]) -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = args.split_first() else {
        eprint!("{}", usage(program, chores));
        return ExitCode::from(2);
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print!("{}", usage(program, chores));
        return ExitCode::SUCCESS;
    }
    let Some(chore) = chores.iter().find(|c| c.name == name) else {
        eprintln!("no chore is called {name:?}\n\n{}", usage(program, chores));
        return ExitCode::from(2);
    };
    match (chore.run)(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{name}: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn usage(program: &str, chores: &[Chore]) -> String {
    let mut text = format!("usage: {program} <chore> [arguments]\n\n");
    for chore in chores {
        let call = format!("{} {}", chore.name, chore.args);
        text.push_str(&format!("  {call:<38} {}\n", chore.purpose));
    }
    text
}
