//! Dependencies: once, with a reason, and not many.

use super::Finding;
use super::project::Project;

/// Packages in `Cargo.lock`, ours too. Raise it in the commit that needs more, and say why.
const PACKAGES: usize = 460;

/// A line above each dependency of the workspace says why it is here; members of one family
/// (`oxc_parser` below `oxc_allocator`) share one.
pub fn have_reasons(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut before = "";
    for line in section(project.text("Cargo.toml"), "[workspace.dependencies]") {
        let is_ours = line.contains("path = ");
        if let Some(name) = key(line) {
            let family = key(before).is_some_and(|b| stem(b) == stem(name));
            if !is_ours && !family && !is_reason(before) {
                findings.push(format!("Cargo.toml: no line above {name} says why it is here"));
            }
        }
        before = line;
    }
    findings
}

/// Versions and features stand in the workspace, nowhere else.
pub fn are_declared_once(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in project.files.iter().filter(|f| is_manifest(&f.path)) {
        for heading in ["[dependencies]", "[dev-dependencies]", "[build-dependencies]"] {
            for line in section(&file.text, heading) {
                let inherits = line.contains("workspace = true");
                if let Some(name) = key(line).filter(|_| !inherits) {
                    findings.push(format!(
                        "{}: {name} must inherit: {name}.workspace = true",
                        file.path
                    ));
                }
            }
        }
    }
    findings
}

/// A cap on what everyone has to build and trust.
pub fn are_few(project: &Project) -> Vec<Finding> {
    let count = project.text("Cargo.lock").lines().filter(|l| *l == "[[package]]").count();
    if count > PACKAGES {
        return vec![format!("Cargo.lock: {count} packages; at most {PACKAGES}")];
    }
    Vec::new()
}

/// Every crate takes the workspace's lints.
pub fn lints_are_shared(project: &Project) -> Vec<Finding> {
    let manifests = project.files.iter().filter(|f| is_manifest(&f.path));
    manifests
        .filter(|f| !section(&f.text, "[lints]").any(|line| line == "workspace = true"))
        .map(|f| format!("{}: [lints] workspace = true is missing", f.path))
        .collect()
}

fn is_manifest(path: &str) -> bool {
    path.starts_with("crates/") && path.ends_with("/Cargo.toml")
}

/// The lines of a TOML table up to the next one.
fn section<'a>(text: &'a str, heading: &'a str) -> impl Iterator<Item = &'a str> {
    let after = text.lines().skip_while(move |l| l.trim() != heading).skip(1);
    after.take_while(|l| !l.starts_with('['))
}

fn is_reason(line: &str) -> bool {
    line.starts_with("# ") && !line.starts_with("# ---")
}

fn key(line: &str) -> Option<&str> {
    let (key, _) = line.split_once('=')?;
    let key = key.trim().trim_end_matches(".workspace");
    (!key.is_empty() && !key.starts_with('#')).then_some(key)
}

fn stem(name: &str) -> &str {
    name.split(['-', '_']).next().unwrap_or(name)
}
