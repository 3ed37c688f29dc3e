//! The rules of the house, as a test. Each rule is a module with a pure function from what it
//! looks at to findings, so that a planted violation proves it.

mod lengths;

use crate::failure::Failure;
use std::path::{Path, PathBuf};

/// One violation, as it is printed.
pub type Finding = String;

/// A text file of the project.
pub struct File {
    /// From the project's root, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Checks the whole project.
pub fn run(_args: &[String]) -> Result<(), Failure> {
    let root = root()?;
    let files = tracked(&root)?;
    let findings = lengths::check(&files);
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => Ok(()),
        n => Err(format!("{n} findings").into()),
    }
}

/// The workspace's root.
fn root() -> Result<PathBuf, Failure> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    Ok(here.join("../..").canonicalize()?)
}

/// Files under version control that are text, with files not yet added.
fn tracked(root: &Path) -> Result<Vec<File>, Failure> {
    let listed = std::process::Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()?;
    let mut files = Vec::new();
    for path in String::from_utf8_lossy(&listed.stdout).lines() {
        // Deleted but still tracked, or not text: nothing to read.
        if let Ok(text) = std::fs::read_to_string(root.join(path)) {
            files.push(File { path: path.to_owned(), text });
        }
    }
    if files.is_empty() {
        return Err("git lists no files; run inside a checkout".into());
    }
    Ok(files)
}
