//! What the rules look at: the text files under version control and the crates.

use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::Failure;

/// The project as it lies on the disk.
#[derive(Debug, Default)]
pub struct Project {
    /// Text files, those not yet added too.
    pub files: Vec<File>,
    /// The workspace's crates.
    pub crates: Vec<Crate>,
}

/// A text file.
#[derive(Debug)]
pub struct File {
    /// From the root, with `/`.
    pub path: String,
    /// What it holds.
    pub text: String,
}

/// A crate of the workspace.
#[derive(Debug, Deserialize)]
pub struct Crate {
    /// Its name.
    pub name: String,
    /// What it depends on.
    pub dependencies: Vec<Dependency>,
}

/// A dependency of a crate.
#[derive(Debug, Deserialize)]
pub struct Dependency {
    /// The package.
    pub name: String,
    /// None for a normal one, else `dev` or `build`.
    pub kind: Option<String>,
}

impl Project {
    /// Reads it.
    pub fn read() -> Result<Self, Failure> {
        let root = root()?;
        Ok(Self { files: files(&root)?, crates: crates(&root)? })
    }

    /// The file at `path`; empty where there is none.
    pub fn text(&self, path: &str) -> &str {
        self.files.iter().find(|f| f.path == path).map_or("", |f| &f.text)
    }

    /// The Rust files.
    pub fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|f| f.path.ends_with(".rs"))
    }
}

impl File {
    /// Whether it holds nothing but tests.
    pub fn is_test(&self) -> bool {
        let path = &self.path;
        path.contains("/tests/") || path.ends_with("/tests.rs") || path.ends_with("_tests.rs")
    }
}

/// The workspace's root.
pub fn root() -> Result<PathBuf, Failure> {
    Ok(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?)
}

fn files(root: &Path) -> Result<Vec<File>, Failure> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()?;
    let mut files = Vec::new();
    for path in String::from_utf8_lossy(&listed.stdout).lines() {
        // Deleted but still listed, or not text: nothing to look at.
        if let Ok(text) = std::fs::read_to_string(root.join(path)) {
            files.push(File { path: path.to_owned(), text });
        }
    }
    if files.is_empty() {
        return Err("git lists no files; run inside a checkout".into());
    }
    Ok(files)
}

fn crates(root: &Path) -> Result<Vec<Crate>, Failure> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Crate>,
    }
    let told = xtask::cargo()
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(root)
        .output()?;
    if !told.status.success() {
        return Err(String::from_utf8_lossy(&told.stderr).into_owned().into());
    }
    Ok(serde_json::from_slice::<Metadata>(&told.stdout)?.packages)
}
