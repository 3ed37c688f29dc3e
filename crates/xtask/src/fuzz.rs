//! `fuzz`: one target under libFuzzer, or a short try of all of them without it.
//!
//! Only our own crates are compiled with coverage (`crates/proving/rustc.sh`), so their
//! dependencies are those of every other build. Needs a C++ compiler for libFuzzer itself.

use crate::hand_over;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::Failure;

/// Seconds for one target.
const SECONDS: &str = "60";
/// Bytes of one input.
const INPUT_BYTES: u32 = 4_096;
/// Seconds after which one input counts as hung.
const HUNG: u32 = 20;
/// Bytes of an input that is kept in the repository.
const KEPT_BYTES: u64 = 1_024;
/// Inputs kept per target.
const KEPT: usize = 120;

/// `fuzz [TARGET] [--seconds N] [--keep]`.
pub fn run(args: &[String]) -> Result<(), Failure> {
    let (mut target, mut seconds, mut keep) = (None, None, false);
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "--seconds" => seconds = rest.next().cloned(),
            "--keep" => keep = true,
            name if !name.starts_with('-') && target.is_none() => target = Some(name),
            other => return Err(format!("{other:?} is not understood").into()),
        }
    }
    let Some(target) = target else {
        let seconds = seconds.map(|n| vec!["--seconds".to_owned(), n]);
        return hand_over::example("smoke", &seconds.unwrap_or_default());
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let kept = root.join("crates/proving/corpus").join(target);
    let found = root.join("target/fuzz").join(target);
    let artifacts = root.join("crates/proving/findings").join(target);
    for folder in [&kept, &found, &artifacts] {
        std::fs::create_dir_all(folder)?;
    }
    let dictionary = root.join("crates/proving/grammars").join(format!("{target}.dict"));
    let mut flags = vec![
        format!("-max_total_time={}", seconds.as_deref().unwrap_or(SECONDS)),
        format!("-max_len={INPUT_BYTES}"),
        format!("-timeout={HUNG}"),
        format!("-artifact_prefix={}/", artifacts.display()),
        "-print_final_stats=1".to_owned(),
    ];
    if dictionary.exists() {
        flags.push(format!("-dict={}", dictionary.display()));
    }
    fuzzer(&root, target, &flags, &[&found, &kept])?;
    if keep { keep_some(&root, target, &found, &kept) } else { Ok(()) }
}

fn fuzzer(root: &Path, target: &str, flags: &[String], dirs: &[&PathBuf]) -> Result<(), Failure> {
    let program = format!("fuzz_{target}");
    let what = ["--features", "proving/libfuzzer", "--bin", &program];
    let folder = hand_over::built(&what, Some(&root.join("crates/proving/rustc.sh")))?;
    hand_over::done(Command::new(folder.join(program)).args(flags).args(dirs))
}

/// Copies the small inputs that reach something of their own into the repository.
fn keep_some(root: &Path, target: &str, found: &PathBuf, kept: &PathBuf) -> Result<(), Failure> {
    let merged = root.join("target/fuzz").join(format!("{target}-merged"));
    let _ = std::fs::remove_dir_all(&merged);
    std::fs::create_dir_all(&merged)?;
    fuzzer(root, target, &["-merge=1".to_owned()], &[&merged, kept, found])?;
    let mut files: Vec<(u64, PathBuf)> = std::fs::read_dir(&merged)?
        .map(|entry| entry.and_then(|e| Ok((e.metadata()?.len(), e.path()))))
        .collect::<Result<_, _>>()?;
    files.retain(|(bytes, _)| *bytes <= KEPT_BYTES);
    files.sort();
    // Every n-th: short and long ones.
    let step = files.len().div_ceil(KEPT).max(1);
    for (_, file) in files.iter().step_by(step) {
        if let Some(name) = file.file_name() {
            std::fs::copy(file, kept.join(name))?;
        }
    }
    Ok(())
}
