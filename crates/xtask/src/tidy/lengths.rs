//! How long files, functions and lines may be.

use super::Finding;
use super::project::{File, Project};

/// Lines of a source file.
const FILE_LINES: usize = 800;
/// Lines of a test file.
const TEST_FILE_LINES: usize = 1_200;
/// Lines of a function; clippy counts them, we see that it does.
const FUNCTION_LINES: usize = 70;
/// Columns of a line.
const COLUMNS: usize = 100;

/// Files over their limit.
pub fn of_files(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in sources(project) {
        let limit = if file.is_test() { TEST_FILE_LINES } else { FILE_LINES };
        let lines = file.text.lines().count();
        if lines > limit {
            findings.push(format!("{}: {lines} lines; at most {limit}: split it", file.path));
        }
    }
    findings
}

/// Lines over their limit. Tests are left to rustfmt: they quote programs and protocols, and an
/// attack is as long as it is.
pub fn of_lines(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_quoted = |f: &&File| f.is_test() || f.path.contains("/hostile/");
    for file in sources(project).filter(|f| !is_quoted(f)) {
        for (number, line) in file.text.lines().enumerate() {
            let columns = line.chars().count();
            if columns > COLUMNS && !is_one_literal(line) {
                let at = number + 1;
                findings.push(format!("{}:{at}: {columns} columns; at most {COLUMNS}", file.path));
            }
        }
    }
    findings
}

/// Clippy is told to refuse long functions.
pub fn of_functions(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    let threshold = format!("too-many-lines-threshold = {FUNCTION_LINES}");
    if !project.text("clippy.toml").lines().any(|l| l == threshold) {
        findings.push(format!("clippy.toml: {threshold} is missing"));
    }
    if !project.text("Cargo.toml").lines().any(|l| l == "too_many_lines = \"deny\"") {
        findings.push("Cargo.toml: too_many_lines = \"deny\" is missing".into());
    }
    findings
}

fn sources(project: &Project) -> impl Iterator<Item = &File> {
    project.files.iter().filter(|f| f.path.ends_with(".rs") || f.path.ends_with(".js"))
}

/// A line that is one long text cannot be broken; rustfmt leaves it too.
fn is_one_literal(line: &str) -> bool {
    let text = line.trim_start();
    ["\"", "r\"", "r#\"", "b\""].iter().any(|quote| text.starts_with(quote))
}
