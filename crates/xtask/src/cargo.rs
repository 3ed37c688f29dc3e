//! Cargo, as it is called from a chore that cargo itself started.

use std::process::Command;

/// What `cargo run` tells the program about its own package. Some build scripts watch these: with
/// them in the environment, every chore would build TLS and all that stands on it anew.
const OF_THE_CHORE: &[&str] = &[
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_LINKS",
    "CARGO_MANIFEST_PATH",
    "CARGO_PKG_AUTHORS",
    "CARGO_PKG_DESCRIPTION",
    "CARGO_PKG_HOMEPAGE",
    "CARGO_PKG_LICENSE",
    "CARGO_PKG_LICENSE_FILE",
    "CARGO_PKG_NAME",
    "CARGO_PKG_README",
    "CARGO_PKG_REPOSITORY",
    "CARGO_PKG_RUST_VERSION",
    "CARGO_PKG_VERSION",
    "CARGO_PKG_VERSION_MAJOR",
    "CARGO_PKG_VERSION_MINOR",
    "CARGO_PKG_VERSION_PATCH",
    "CARGO_PKG_VERSION_PRE",
];

/// The cargo that built this chore, with the environment that a person's shell gives it.
pub fn cargo() -> Command {
    let mut command = Command::new(env!("CARGO"));
    for name in OF_THE_CHORE {
        command.env_remove(name);
    }
    command
}
