//! `hostile`: every hostile program against every driver of the sandbox.
//!
//! The programs are `crates/hub-sandbox/hostile/`, the judge is `hub-sandbox`'s example of the
//! same name: this crate does not compile an engine for its other chores.

use std::path::Path;
use xtask::Failure;

/// Runs them all, or those whose name begins with the argument.
pub fn run(args: &[String]) -> Result<(), Failure> {
    if args.len() > 1 {
        return Err("takes at most the beginning of a program's name".into());
    }
    let status = xtask::cargo()
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .args(["run", "--quiet", "-p", "hub-sandbox", "--example", "hostile", "--"])
        .args(args)
        .status()?;
    if status.success() { Ok(()) } else { Err("not every program was held".into()) }
}
