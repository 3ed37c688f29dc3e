//! The rules of the house, as a test. Each rule is a module with a pure function from what it
//! looks at to findings, so that a planted violation proves it (see the tests).

mod arrows;
mod dependencies;
mod lengths;
mod project;
mod snapshots;
mod words;

#[cfg(test)]
mod tests;

use project::Project;
use xtask::Failure;

/// One violation, as it is printed.
type Finding = String;

/// Looks at the whole project and says what is wrong.
type Rule = fn(&Project) -> Vec<Finding>;

/// Every rule.
const RULES: &[Rule] = &[
    arrows::between_crates,
    arrows::owners_of_heavy_dependencies,
    dependencies::have_reasons,
    dependencies::are_declared_once,
    dependencies::are_few,
    dependencies::lints_are_shared,
    lengths::of_files,
    lengths::of_lines,
    lengths::of_functions,
    words::forbidden,
    words::unfinished,
    words::attributes,
    words::spawned_tasks,
    words::module_heads,
    snapshots::are_referenced,
];

/// Checks the project.
pub fn run(_args: &[String]) -> Result<(), Failure> {
    let project = Project::read()?;
    let findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(&project)).collect();
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => Ok(()),
        1 => Err("1 finding".into()),
        n => Err(format!("{n} findings").into()),
    }
}
