//! What is run and what may fail: `ci/conformance.toml`.

use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;
use xtask::Failure;

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// In order.
    pub runs: Vec<Run>,
    /// What fails, and why.
    #[serde(default)]
    expected: Vec<Fails>,
    /// Scenarios that a revision requires and no run has, and why.
    #[serde(default)]
    left_out: Vec<LeftOut>,
}

/// One run of the suite.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// For people, and for `expected`.
    pub name: String,
    /// Against what.
    pub target: Target,
    /// The protocol revision.
    pub revision: String,
    /// Whether all scenarios run that the revision requires.
    #[serde(default)]
    pub required: bool,
    /// Scenarios by name.
    #[serde(default)]
    pub scenarios: Vec<String>,
}

/// Against what.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// The hub's own endpoint.
    Hub,
    /// The direct surface before the fixture.
    Relay,
    /// The same, spoken to in the revision with sessions.
    RelayOlder,
    /// The client that sources are spoken to with.
    Client,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fails {
    reason: String,
    runs: Vec<String>,
    /// `scenario:check`.
    checks: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LeftOut {
    reason: String,
    scenarios: Vec<String>,
}

impl Expected {
    /// Reads the file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path)?;
        let read: Self = toml::from_str(&text).map_err(|error| Failure(error.to_string()))?;
        let reasons = read.expected.iter().map(|fails| &fails.reason);
        let mut reasons = reasons.chain(read.left_out.iter().map(|left| &left.reason));
        if reasons.any(|reason| reason.trim().is_empty()) {
            return Err("ci/conformance.toml: every exception needs its reason".into());
        }
        let runs: BTreeSet<&str> = read.runs.iter().map(|run| run.name.as_str()).collect();
        let mut named = read.expected.iter().flat_map(|fails| &fails.runs);
        match named.find(|name| !runs.contains(name.as_str())) {
            Some(name) => Err(Failure(format!("ci/conformance.toml: there is no run {name}"))),
            None => Ok(read),
        }
    }

    /// The checks (`scenario:check`) that fail in a run.
    pub fn of(&self, run: &Run) -> BTreeSet<&str> {
        let here = self.expected.iter().filter(|fails| fails.runs.contains(&run.name));
        here.flat_map(|fails| &fails.checks).map(String::as_str).collect()
    }

    /// Whether no run has to have this scenario.
    pub fn leaves_out(&self, scenario: &str) -> bool {
        self.left_out.iter().flat_map(|left| &left.scenarios).any(|name| name == scenario)
    }
}
