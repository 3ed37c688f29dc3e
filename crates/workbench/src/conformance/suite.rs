//! The suite itself: a pinned npm package, run by the pinned node, its results read from the
//! files that it writes.

use crate::conformance::expected::{Expected, Run};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use xtask::Failure;

/// One call of the suite may take so long: all scenarios of a revision.
const PATIENCE: Duration = Duration::from_secs(300);
/// Characters of a failed check's details that are shown.
const DETAILS: usize = 800;
/// Letters of the time at the end of a result's folder, and the dash before it.
const STAMP: usize = "-2026-11-30T11-43-39-464Z".len();

/// What is tested.
pub enum Side {
    /// The server at this URL.
    Server(String),
    /// The client that this program is.
    Client(PathBuf),
}

/// Where node and the suite are.
pub struct Suite {
    node: PathBuf,
    script: PathBuf,
}

/// What came of a scenario, a run, or all.
#[derive(Clone, Copy, Default)]
pub struct Tally {
    scenarios: usize,
    passed: usize,
    expected: usize,
    skipped: usize,
    /// What fails and should not, or should and does not.
    pub unexpected: usize,
}

impl std::iter::Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |a, b| Self {
            scenarios: a.scenarios + b.scenarios,
            passed: a.passed + b.passed,
            expected: a.expected + b.expected,
            skipped: a.skipped + b.skipped,
            unexpected: a.unexpected + b.unexpected,
        })
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scenarios, passed, expected, skipped, unexpected } = self;
        write!(
            f,
            "{scenarios:>3} scenarios: {passed:>3} passed, {expected:>2} expected, \
             {skipped:>2} skipped, {unexpected} unexpected"
        )
    }
}

/// A check as the suite writes it down.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Check {
    id: String,
    status: String,
    error_message: Option<String>,
    details: Option<serde_json::Value>,
}

/// Builds the client for the client set.
pub fn speak() -> Result<PathBuf, Failure> {
    let folder = super::build(&["--package", "hub-upstream", "--example", "speak"])?;
    Ok(folder.join("examples/speak"))
}

impl Suite {
    /// Finds it in `.tools`, and puts it there first where it is missing.
    pub fn find(root: &Path) -> Result<Self, Failure> {
        let tools = root.join(".tools");
        let package = "npm/node_modules/@modelcontextprotocol/conformance/dist/index.js";
        let suite =
            Self { node: tools.join("node/node_modules/.bin/node"), script: tools.join(package) };
        if !suite.script.exists() || !suite.node.exists() {
            println!("the suite is not there yet; .ci/setup installs it");
            let status = std::process::Command::new(root.join(".ci/setup")).status()?;
            if !status.success() || !suite.script.exists() {
                return Err(".ci/setup did not install the suite".into());
            }
        }
        Ok(suite)
    }

    /// One run: a line per scenario, and the sum.
    pub async fn run(
        &self,
        run: &Run,
        expected: &Expected,
        side: &Side,
        scratch: &Path,
    ) -> Result<Tally, Failure> {
        let mut wanted: BTreeSet<String> = run.scenarios.iter().cloned().collect();
        let mut results = BTreeMap::new();
        if run.required {
            let mut of_suite = self.required(run, side).await?;
            of_suite.retain(|scenario| !expected.leaves_out(scenario));
            wanted.extend(of_suite);
            let args = ["--requirements", run.revision.as_str()];
            results.extend(self.call(side, &args, &scratch.join("required")).await?);
        }
        for scenario in &run.scenarios {
            if !results.contains_key(scenario) {
                let args = ["--scenario", scenario, "--spec-version", run.revision.as_str()];
                let folder = scratch.join(scenario.replace('/', "-"));
                results.extend(self.call(side, &args, &folder).await?);
            }
        }
        let expected = expected.of(run);
        let tallies = wanted.iter().map(|scenario| {
            let checks = results.get(scenario).map_or(&[][..], Vec::as_slice);
            judge(run, scenario, checks, &expected)
        });
        let mut sum: Tally = tallies.sum();
        for stale in expected.iter().filter(|check| {
            check.split_once(':').is_none_or(|(scenario, _)| !wanted.contains(scenario))
        }) {
            println!("{}: no scenario of this run has the expected failure {stale}", run.name);
            sum.unexpected += 1;
        }
        Ok(sum)
    }

    /// What the suite says a revision requires of this side.
    async fn required(&self, run: &Run, side: &Side) -> Result<BTreeSet<String>, Failure> {
        let section = match side {
            Side::Server(_) => "Server scenarios",
            Side::Client(_) => "Client scenarios",
        };
        let mut list = self.command();
        list.args(["list", "--requirements", &run.revision]);
        let output = tokio::time::timeout(PATIENCE, list.output());
        let output = output.await.map_err(|_| "the suite's list takes too long")??;
        let text = String::from_utf8_lossy(&output.stdout);
        let named: BTreeSet<String> = text
            .lines()
            .skip_while(|line| !line.starts_with(section))
            .skip(1)
            .map_while(|line| line.trim().strip_prefix("- "))
            .map(str::to_owned)
            .collect();
        match named.is_empty() {
            true => Err(Failure(format!("the suite requires nothing for {}", run.revision))),
            false => Ok(named),
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.node);
        command.arg(&self.script).stdin(Stdio::null()).kill_on_drop(true);
        command
    }

    /// Runs scenarios; what each check came to, by scenario.
    async fn call(
        &self,
        side: &Side,
        args: &[&str],
        folder: &Path,
    ) -> Result<BTreeMap<String, Vec<Check>>, Failure> {
        std::fs::create_dir_all(folder)?;
        let mut command = self.command();
        match side {
            Side::Server(url) => command.args(["server", "--url", url]),
            Side::Client(program) => command.args(["client", "--command"]).arg(program),
        };
        command.args(args).arg("--output-dir").arg(folder);
        let output = tokio::time::timeout(PATIENCE, command.output());
        let output = output.await.map_err(|_| {
            Failure(format!("the suite did not end within {} s: {args:?}", PATIENCE.as_secs()))
        })??;
        let prefix = if matches!(side, Side::Server(_)) { "server-" } else { "" };
        let results = results(folder, prefix)?;
        if results.is_empty() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(Failure(format!("the suite wrote no results for {args:?}: {said}")));
        }
        Ok(results)
    }
}

/// The results in a folder: one folder per scenario, named by it (behind `prefix`) and the time.
fn results(folder: &Path, prefix: &str) -> Result<BTreeMap<String, Vec<Check>>, Failure> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(&at)? {
            let path = entry?.path();
            if !path.is_dir() {
                continue;
            }
            let checks = path.join("checks.json");
            if !checks.exists() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
            let name = name.get(..name.len().saturating_sub(STAMP)).unwrap_or_default();
            let scenario = name.strip_prefix(prefix).unwrap_or(name);
            let text = std::fs::read_to_string(checks)?;
            let checks = serde_json::from_str(&text).map_err(|e| Failure(e.to_string()))?;
            found.insert(scenario.to_owned(), checks);
        }
    }
    Ok(found)
}

/// The beginning of what may be long.
fn cut(text: &str) -> &str {
    text.char_indices().nth(DETAILS).map_or(text, |(end, _)| &text[..end])
}

fn judge(run: &Run, scenario: &str, checks: &[Check], expected: &BTreeSet<&str>) -> Tally {
    let mut tally = Tally { scenarios: 1, ..Tally::default() };
    let mut notes = Vec::new();
    let mut failed = BTreeSet::new();
    for check in checks {
        let name = format!("{scenario}:{}", check.id);
        match check.status.as_str() {
            "FAILURE" | "WARNING" if expected.contains(name.as_str()) => {
                tally.expected += 1;
                failed.insert(name);
            }
            "FAILURE" | "WARNING" => {
                tally.unexpected += 1;
                let why = check.error_message.as_deref().unwrap_or_default();
                notes.push(format!("  UNEXPECTED {name}: {why}"));
                let details = check.details.as_ref().map(ToString::to_string);
                notes.extend(details.map(|text| format!("    {}", cut(&text))));
            }
            "SKIPPED" => tally.skipped += 1,
            _ => tally.passed += 1,
        }
    }
    if checks.is_empty() {
        tally.unexpected += 1;
        notes.push(format!("  UNEXPECTED {scenario} did not run"));
    }
    let of_this = |check: &&&str| check.split_once(':').is_some_and(|(of, _)| of == scenario);
    for stale in expected.iter().filter(of_this).filter(|check| !failed.contains(**check)) {
        tally.unexpected += 1;
        notes.push(format!("  UNEXPECTED {stale} passes, and is expected to fail"));
    }
    println!("{:<34} {scenario:<46} {tally}", run.name);
    notes.iter().for_each(|note| println!("{note}"));
    tally
}
