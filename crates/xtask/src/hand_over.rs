//! Hands a chore over to the workbench, which is built with the product's crates.

use std::path::Path;
use std::process::Command;
use xtask::Failure;

/// Runs a chore of the workbench as it is built for tests.
pub fn debug(chore: &str, args: &[String]) -> Result<(), Failure> {
    run(&[], chore, args)
}

/// Runs a chore of the workbench whose figures need an optimised build.
pub fn optimised(chore: &str, args: &[String]) -> Result<(), Failure> {
    run(&["--release"], chore, args)
}

fn run(profile: &[&str], chore: &str, args: &[String]) -> Result<(), Failure> {
    let status = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--package", "workbench", "--manifest-path"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml"))
        .args(profile)
        .args(["--", chore])
        .args(args)
        .status()?;
    if status.success() { Ok(()) } else { Err(format!("{status}; see above").into()) }
}
