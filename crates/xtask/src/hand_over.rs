//! Hands a chore over to the workbench, which is built with the product's crates.

use std::path::{Path, PathBuf};
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

/// Runs an example that is built with the crates it looks at: of `proving`, or of the sandbox.
pub fn example(name: &str, args: &[String]) -> Result<(), Failure> {
    let built = built(&["--example", name], None)?.join("examples").join(name);
    done(Command::new(built).args(args))
}

/// Builds a program of ours and answers the folder of this build. The whole workspace is named,
/// so that its dependencies are those of `cargo test --workspace`, compiled already.
pub fn built(what: &[&str], wrapper: Option<&Path>) -> Result<PathBuf, Failure> {
    let mut cargo = xtask::cargo();
    cargo.args(["build", "--quiet", "--workspace", "--manifest-path"]).arg(manifest()).args(what);
    if let Some(wrapper) = wrapper {
        cargo.env("RUSTC_WORKSPACE_WRAPPER", wrapper);
    }
    done(&mut cargo)?;
    let this = std::env::current_exe()?;
    this.parent().map(Path::to_owned).ok_or_else(|| "this program lies nowhere".into())
}

fn manifest() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml")
}

/// Runs a program to its end.
pub fn done(program: &mut Command) -> Result<(), Failure> {
    let status = program.status()?;
    if status.success() { Ok(()) } else { Err(format!("{status}; see above").into()) }
}

fn run(profile: &[&str], chore: &str, args: &[String]) -> Result<(), Failure> {
    done(
        xtask::cargo()
            .args(["run", "--quiet", "--package", "workbench", "--manifest-path"])
            .arg(manifest())
            .args(profile)
            .args(["--", chore])
            .args(args),
    )
}
