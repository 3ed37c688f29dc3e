//! `hostile`: every hostile program against every driver of the sandbox.
//!
//! The programs are `crates/hub-sandbox/hostile/`, the judge is `hub-sandbox`'s example of the
//! same name: this crate does not compile an engine for its other chores.

use crate::hand_over;
use xtask::Failure;

/// Runs them all, or those whose name begins with one of the arguments.
pub fn run(args: &[String]) -> Result<(), Failure> {
    hand_over::example("hostile", args).map_err(|_| "not every program was held".into())
}
