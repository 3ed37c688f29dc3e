//! Declarations and probes as modules, compiled in one go.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::Failure;

const FOLDER: &str = "target/types";
const COMPILER: &str = ".tools/npm/node_modules/typescript/lib/tsc.js";

/// A file: declarations, then probes, a line each.
pub struct Module {
    pub name: String,
    text: String,
    lines: usize,
    /// Line of each probe.
    probes: BTreeMap<usize, Probe>,
}

/// What a line asks.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Whether the schema takes the value.
    pub fits: bool,
    /// What was done to a value that fits.
    pub change: &'static str,
}

/// A complaint of the compiler.
pub struct Finding {
    pub module: String,
    pub line: usize,
    pub message: String,
}

impl Module {
    pub fn new(name: String, declarations: String) -> Self {
        let text = format!("export {{}};\n{declarations}");
        let lines = text.lines().count();
        Self { name, text, lines, probes: BTreeMap::new() }
    }

    /// Adds a line that assigns `value` to `of`.
    pub fn probe(&mut self, of: &str, value: &str, probe: Probe) {
        let at = self.probes.len();
        self.text.push_str(&format!("export const probe{at}: {of} = {value};\n"));
        self.lines += 1;
        self.probes.insert(self.lines, probe);
    }
}

/// Compiles the modules under `--strict`.
pub fn compile(modules: &[Module]) -> Result<Vec<Finding>, Failure> {
    let compiler = PathBuf::from(COMPILER);
    if !compiler.exists() {
        return Err(format!("{COMPILER} is missing: .ci/setup installs it").into());
    }
    let folder = Path::new(FOLDER);
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    for module in modules {
        std::fs::write(folder.join(format!("{}.ts", module.name)), &module.text)?;
    }
    let project = r#"{"compilerOptions":{"strict":true,"noEmit":true,"target":"es2022",
        "module":"es2022","types":[],"skipLibCheck":true},"include":["*.ts"]}"#;
    std::fs::write(folder.join("tsconfig.json"), project)?;
    let own = PathBuf::from(".tools/node/node_modules/.bin/node");
    let node = if own.exists() { own } else { PathBuf::from("node") };
    let output = Command::new(node)
        .arg("--max-old-space-size=4096")
        .arg(&compiler)
        .args(["--pretty", "false", "-p"])
        .arg(folder)
        .output()?;
    let told = String::from_utf8_lossy(&output.stdout);
    let findings: Vec<Finding> = told.lines().filter_map(finding).collect();
    if findings.is_empty() && !output.status.success() {
        return Err(format!("{told}{}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(findings)
}

/// `file.ts(line,column): error …`; further lines of a message are indented.
fn finding(line: &str) -> Option<Finding> {
    let (place, message) = line.split_once("): error ")?;
    let (file, at) = place.rsplit_once('(')?;
    let line = at.split(',').next()?.parse().ok()?;
    let module = file.rsplit('/').next()?.strip_suffix(".ts")?.to_owned();
    Some(Finding { module, line, message: message.to_owned() })
}

/// How probes fared.
#[derive(Default)]
pub struct Verdict<'f> {
    pub modules: usize,
    pub broken: Vec<&'f Finding>,
    pub fitting: (usize, usize),
    /// Per change: refused by the type, of those refused by the schema.
    pub refused: BTreeMap<&'static str, (usize, usize)>,
    /// Examples of probes that did not go as wished.
    pub odd: Vec<String>,
}

/// Sorts findings into errors of declarations and answers to probes.
pub fn judge<'f>(modules: &[Module], findings: &'f [Finding]) -> Verdict<'f> {
    let mut verdict = Verdict { modules: modules.len(), ..Verdict::default() };
    let mut hit: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for finding in findings {
        let module = modules.iter().find(|module| module.name == finding.module);
        if module.is_none_or(|module| !module.probes.contains_key(&finding.line)) {
            verdict.broken.push(finding);
        }
        hit.entry(&finding.module).or_default().insert(finding.line);
    }
    for module in modules {
        let hit = hit.get(module.name.as_str());
        for (line, probe) in &module.probes {
            let refused = hit.is_some_and(|lines| lines.contains(line));
            let (as_wished, count) = match probe.fits {
                true => (!refused, &mut verdict.fitting),
                false => (refused, verdict.refused.entry(probe.change).or_default()),
            };
            count.0 += usize::from(as_wished);
            count.1 += 1;
            if !as_wished {
                verdict.odd.push(format!("{}:{line} {probe:?}", module.name));
            }
        }
    }
    verdict
}

impl fmt::Display for Verdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} modules, {} errors in declarations", self.modules, self.broken.len())?;
        writeln!(f, "values that fit: {} of {} type-check", self.fitting.0, self.fitting.1)?;
        for (change, (refused, of)) in &self.refused {
            writeln!(f, "values with {change}: {refused} of {of} are refused by the type")?;
        }
        for odd in self.odd.iter().take(20) {
            writeln!(f, "  not as wished: {odd}")?;
        }
        Ok(())
    }
}
