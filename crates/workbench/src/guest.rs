//! `guest`: rebuilds the guest image of the sandbox from `crates/hub-guest-vm`.
//!
//! Needs clang and its archiver and the target `wasm32-unknown-unknown`; everybody else uses the
//! committed image. The steps: compile to WebAssembly, load the prelude and freeze the result
//! (`hub-sandbox`'s example `snapshot`), write the image and what it was made from.

use hub_core::digest::Digest;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::Failure;

const TARGET: &str = "wasm32-unknown-unknown";
/// Names of the C compiler and the archiver that are tried, newest first.
const TOOLS: &[(&str, &str)] =
    &[("clang-19", "llvm-ar-19"), ("clang-18", "llvm-ar-18"), ("clang", "llvm-ar")];
/// Bytes of the guest's stack; it lies at the bottom of memory, so that an overrun traps.
const STACK: &str = "-Clink-arg=-zstack-size=1048576 -Clink-arg=--export=__stack_pointer";

/// Rebuilds the image.
pub fn run(args: &[String]) -> Result<(), Failure> {
    if !args.is_empty() {
        return Err("takes no arguments".into());
    }
    let root = root()?;
    let target = root.join("target/guest");
    let raw = build(&root, &target)?;
    let sandbox = root.join("crates/hub-sandbox");
    let image = sandbox.join("guest.wasm");
    if !image.exists() {
        // The library includes the image; the snapshot only needs it to compile.
        std::fs::write(&image, b"")?;
    }
    let fresh = target.join("image.wasm");
    done(
        xtask::cargo()
            .current_dir(&root)
            .args(["run", "--quiet", "-p", "hub-sandbox", "--features", "image"])
            .args(["--example", "snapshot", "--"])
            .args([&raw, &fresh]),
    )?;
    let bytes = std::fs::read(&fresh)?;
    std::fs::write(&image, &bytes)?;
    let sources = sources(&root.join("crates/hub-guest-vm"))?;
    let lock = format!("image {}\nsources {sources}\n", Digest::of(&bytes));
    std::fs::write(sandbox.join("guest.lock"), &lock)?;
    print!("{} bytes\n{lock}", bytes.len());
    Ok(())
}

fn root() -> Result<PathBuf, Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Ok(root.canonicalize()?)
}

fn build(root: &Path, target: &Path) -> Result<PathBuf, Failure> {
    let runs = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
    let Some((clang, ar)) = TOOLS.iter().find(|(clang, ar)| runs(clang) && runs(ar)) else {
        return Err("no clang with llvm-ar found (Debian: clang-19 lld-19 llvm-19)".into());
    };
    // The same paths in every place, so that the same sources give the same bytes.
    let home = root.to_string_lossy();
    let registry = cargo_home().map(|home| format!(" --remap-path-prefix={home}=/cargo"));
    let flags = format!("{STACK} --remap-path-prefix={home}=/hub{}", registry.unwrap_or_default());
    let c_flags = format!("-ffile-prefix-map={}=/build", target.to_string_lossy());
    done(
        xtask::cargo()
            .current_dir(root)
            .args(["build", "--release", "-p", "hub-guest-vm", "--target", TARGET])
            .env("CARGO_TARGET_DIR", target)
            .env("CC_wasm32_unknown_unknown", clang)
            .env("CFLAGS_wasm32_unknown_unknown", c_flags)
            .env("AR_wasm32_unknown_unknown", ar)
            .env("RUSTFLAGS", flags)
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "3")
            .env("CARGO_PROFILE_RELEASE_LTO", "true")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")
            .env("CARGO_PROFILE_RELEASE_PANIC", "abort"),
    )?;
    Ok(target.join(TARGET).join("release/hub_guest_vm.wasm"))
}

/// Where the sources of dependencies lie, found from a tool that is run from there.
fn cargo_home() -> Option<String> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
    let sysroot = String::from_utf8(output.stdout).ok()?;
    let toolchains = Path::new(sysroot.trim()).parent()?.parent()?.parent()?;
    Some(toolchains.join(".cargo").to_string_lossy().into_owned())
}

fn done(command: &mut Command) -> Result<(), Failure> {
    let status = command.status()?;
    if status.success() {
        return Ok(());
    }
    Err(format!("{:?} failed: {status}", command.get_program()).into())
}

/// The digest of every file the image is made from; a test of `hub-sandbox` compares it.
fn sources(guest: &Path) -> Result<Digest, Failure> {
    let mut files = vec![guest.join("Cargo.toml")];
    for folder in ["src", "prelude"] {
        for entry in std::fs::read_dir(guest.join(folder))? {
            files.push(entry?.path());
        }
    }
    files.sort();
    let mut parts = Vec::new();
    for file in files {
        let name = file.strip_prefix(guest).map_err(|error| error.to_string())?;
        parts.push(name.to_string_lossy().replace('\\', "/").into_bytes());
        parts.push(std::fs::read(&file)?);
    }
    Ok(Digest::of_parts(parts.iter().map(Vec::as_slice)))
}
