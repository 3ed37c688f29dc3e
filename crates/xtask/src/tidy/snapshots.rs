//! Snapshots of tests that are gone must go too.

use super::Finding;
use super::project::{File, Project};

/// Snapshot files whose name no test of their crate has.
pub fn are_referenced(project: &Project) -> Vec<Finding> {
    let snapshots = project.files.iter().filter(|f| f.path.ends_with(".snap"));
    snapshots
        .filter(|snapshot| !is_referenced(project, snapshot))
        .map(|s| format!("{}: no test has a snapshot of this name", s.path))
        .collect()
}

fn is_referenced(project: &Project, snapshot: &File) -> bool {
    let name = name(&snapshot.path);
    let root = snapshot.path.split('/').take(2).collect::<Vec<_>>().join("/");
    let tests = project.rust().filter(|f| f.path.starts_with(&format!("{root}/")));
    let [function, literal] = [format!("fn {name}("), format!("\"{name}\"")];
    tests.into_iter().any(|f| f.text.contains(&function) || f.text.contains(&literal))
}

/// What the test calls it: without crate, module, and the number of a repeated snapshot.
fn name(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".snap");
    let name = file.rsplit("__").next().unwrap_or(file);
    match name.rsplit_once('-') {
        Some((start, number)) if number.chars().all(|c| c.is_ascii_digit()) => start,
        _ => name,
    }
}
