//! How long files and lines may be.

use super::{File, Finding};

/// Lines of a source file.
pub const FILE_LINES: usize = 800;
/// Lines of a test file.
pub const TEST_FILE_LINES: usize = 1_200;
/// Columns of a line.
pub const COLUMNS: usize = 100;

/// Files and lines over their limits. Lock files and other people's formats are left alone.
pub fn check(files: &[File]) -> Vec<Finding> {
    files
        .iter()
        .filter(|f| f.path.ends_with(".rs") || f.path.ends_with(".js"))
        .flat_map(one)
        .collect()
}

fn one(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    let limit = if is_test(&file.path) { TEST_FILE_LINES } else { FILE_LINES };
    let lines = file.text.lines().count();
    if lines > limit {
        findings.push(format!("{}: {lines} lines; at most {limit}: split it", file.path));
    }
    for (number, line) in file.text.lines().enumerate() {
        let columns = line.chars().count();
        // A line that is one long literal cannot be broken; rustfmt leaves it too.
        if columns > COLUMNS && !is_one_literal(line) {
            findings.push(format!(
                "{}:{}: {columns} columns; at most {COLUMNS}",
                file.path,
                number + 1
            ));
        }
    }
    findings
}

/// Whether the path is that of test code.
pub fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("tests.rs") || path.ends_with("/test.rs")
}

fn is_one_literal(line: &str) -> bool {
    let text = line.trim();
    ["\"", "r\"", "r#", "//"].iter().any(|start| text.starts_with(start)) && !text.contains(' ')
        || text.starts_with("r#\"")
        || text.starts_with('"')
}
