//! Which crate may see which, and which crate owns which heavy dependency.

use super::Finding;
use super::project::{Crate, Dependency, Project};

/// Crates that see the core alone.
const SIBLINGS: &[&str] = &[
    "hub-schema",
    "hub-tokens",
    "hub-guest",
    "hub-sandbox",
    "hub-store",
    "hub-secrets",
    "hub-upstream",
    "hub-engine",
    "hub-oauth",
    "hub-testkit",
];

/// Dependencies that only one crate may have (a trailing `*` stands for any rest).
const OWNERS: &[(&str, &[&str])] = &[
    ("rusqlite", &["hub-store"]),
    ("wasmtime*", &["hub-sandbox"]),
    // The fuzz targets compare with the transformer itself.
    ("oxc_*", &["hub-guest", "proving"]),
    ("jsonschema", &["hub-schema"]),
    ("tiktoken-rs", &["hub-tokens"]),
    ("reqwest", &["hub-upstream"]),
    // The workbench serves fixtures for the conformance suite.
    ("axum", &["hub-server", "workbench"]),
    ("clap", &["capabilities"]),
];

/// Crates that must not know the async runtime.
const WITHOUT_RUNTIME: &[&str] = &["hub-core", "hub-schema", "hub-tokens", "hub-guest"];

/// Arrows between our own crates.
pub fn between_crates(project: &Project) -> Vec<Finding> {
    let ours = |d: &&Dependency| project.crates.iter().any(|c| c.name == d.name);
    let mut findings = Vec::new();
    for from in &project.crates {
        for to in from.dependencies.iter().filter(ours) {
            if !is_allowed(&from.name, to) {
                findings.push(format!("{} must not depend on {}", from.name, to.name));
            }
        }
    }
    findings
}

fn is_allowed(from: &str, to: &Dependency) -> bool {
    let is_dev = to.kind.as_deref() == Some("dev");
    match (from, to.name.as_str()) {
        ("workbench", _) => true,
        (_, "xtask" | "workbench" | "proving") => false,
        ("proving", _) => true,
        ("hub-core", "hub-testkit") => is_dev,
        ("hub-core", _) => false,
        (_, "hub-core") => true,
        (_, "hub-testkit") => is_dev,
        ("capabilities", _) => true,
        ("hub-server", "hub-engine" | "hub-oauth") => true,
        ("hub-sandbox", "hub-guest-vm") => true,
        (from, _) if SIBLINGS.contains(&from) => false,
        _ => false,
    }
}

/// Heavy dependencies stay with their owner.
pub fn owners_of_heavy_dependencies(project: &Project) -> Vec<Finding> {
    project.crates.iter().flat_map(misplaced).collect()
}

fn misplaced(from: &Crate) -> Vec<Finding> {
    let mut findings = Vec::new();
    for dependency in from.dependencies.iter().filter(|d| d.kind.is_none()) {
        let name = dependency.name.as_str();
        let owner = OWNERS.iter().find(|(pattern, _)| matches(pattern, name));
        if let Some((_, owners)) = owner.filter(|(_, owners)| !owners.contains(&from.name.as_str()))
        {
            findings.push(format!("{name} belongs to {} alone, not {}", owners[0], from.name));
        }
        if name.starts_with("tokio") && WITHOUT_RUNTIME.contains(&from.name.as_str()) {
            findings.push(format!("{} must not know the async runtime ({name})", from.name));
        }
    }
    findings
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => pattern == name,
    }
}
