//! `cargo xtask types`: every tool of the catalogues and every operation of GitHub's API as
//! TypeScript, compiled, measured against generated values, and counted in tokens.
//!
//! To measure another set of tools: another function in `subjects`.

mod compile;
mod report;
mod subjects;
mod values;

use compile::{Finding, Module};
use hub_core::catalog::ToolDef;
use hub_core::limits::DESCRIBE_TOKENS;
use hub_core::ports::{DeclareBlock, DeclareRequest, Declared, TokenCount, TypeNames, Types};
use hub_schema::Schemas;
use hub_tokens::Tokens;
use report::Measure;
use std::collections::{BTreeSet, VecDeque};
use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use subjects::{OPENAPI_SET, Subject};
use xtask::Failure;

/// What to run on, from the command line.
struct Options {
    catalogs: PathBuf,
    openapi: Option<PathBuf>,
    write: bool,
}

/// Renders, compiles and measures; writes `docs/types.md`.
pub fn run(args: &[String]) -> Result<(), Failure> {
    let options = Options::read(args)?;
    let mut subjects = match options.catalogs.exists() {
        true => subjects::catalogs(&options.catalogs)?,
        false => {
            println!("no catalogues in {}: give --data DIR", options.catalogs.display());
            Vec::new()
        }
    };
    match &options.openapi {
        Some(file) => subjects.push(subjects::openapi(file)?),
        None => println!("without an OpenAPI document (.ci/setup installs one)"),
    }
    let bench = Bench { schemas: Schemas::new(), tokens: Tokens::new() };
    let mut measures = Vec::new();
    let mut modules = Vec::new();
    for subject in &subjects {
        let (measure, written) = bench.subject(subject)?;
        println!("{}", measure.line());
        measures.push(measure);
        modules.extend(written);
    }
    let servers = subjects.split_at(subjects.len() - usize::from(options.openapi.is_some())).0;
    let speed = format!(
        "Signature and parameters, as an import computes them. Servers: {}. All: {}.",
        bench.speed(servers),
        bench.speed(&subjects)
    );
    println!("{speed}");
    let findings = compile::compile(&modules)?;
    let verdict = compile::judge(&modules, &findings);
    println!("{verdict}");
    if options.write {
        report::write(&measures, &speed, &verdict)?;
    }
    match verdict.broken.first() {
        None => Ok(()),
        Some(Finding { module, line, message }) => Err(format!(
            "{} of {} declarations do not compile: {module}:{line} {message}",
            verdict.broken.len(),
            modules.len()
        )
        .into()),
    }
}

impl Options {
    fn read(args: &[String]) -> Result<Self, Failure> {
        let mut options = Self {
            catalogs: PathBuf::from("../shared/catalogs"),
            openapi: Some(PathBuf::from(
                ".tools/npm/node_modules/@octokit/openapi/generated/api.github.com.json",
            ))
            .filter(|file| file.exists()),
            write: true,
        };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--data" => options.catalogs = value(args.next(), arg)?,
                "--openapi" => options.openapi = Some(value(args.next(), arg)?),
                "--check" => options.write = false,
                // Without the large document, and without touching the figures of all.
                "--quick" => (options.openapi, options.write) = (None, false),
                other => return Err(format!("{other:?} is no option of types").into()),
            }
        }
        Ok(options)
    }
}

fn value(arg: Option<&String>, option: &str) -> Result<PathBuf, Failure> {
    arg.map(PathBuf::from).ok_or_else(|| format!("{option} needs a value").into())
}

struct Bench {
    schemas: Schemas,
    tokens: Tokens,
}

impl Bench {
    fn subject(&self, subject: &Subject) -> Result<(Measure, Vec<Module>), Failure> {
        let mut measure = Measure::new(subject);
        let mut modules = Vec::new();
        let mut apart = String::new();
        for (at, (name, tool)) in subject.tools.iter().enumerate() {
            let answer = self.declare(subject, &[at], &[]);
            let schema = serde_json::to_string(tool)?;
            measure.tool(
                self.tokens.count(&schema),
                self.tokens.count(&answer.text),
                answer.omitted.len(),
            );
            let joined = self.joined(subject, answer)?;
            let block = format!("declare const {}", subject.namespace);
            apart.push_str(&joined.replace(&format!("{block}: "), &format!("{block}_{at}: ")));
            let mut module = Module::new(format!("{}-{at}", subject.set), joined);
            values::probe(&self.schemas, &mut module, &subject.namespace, name, tool);
            modules.push(module);
        }
        let all: Vec<usize> = (0..subject.tools.len()).collect();
        let answer = self.declare(subject, &all, &[]);
        measure.whole(self.tokens.count(&answer.text), &answer);
        modules.push(Module::new(format!("{}-all", subject.set), self.joined(subject, answer)?));
        // Of the largest set, answers cut the same type differently.
        if subject.set != OPENAPI_SET {
            modules.push(Module::new(format!("{}-apart", subject.set), apart));
        }
        Ok((measure, modules))
    }

    /// What an import computes for each tool: the quickest of some rounds over all of them.
    fn speed(&self, subjects: &[Subject]) -> String {
        let tools: Vec<&ToolDef> =
            subjects.iter().flat_map(|subject| &subject.tools).map(|tool| &*tool.1).collect();
        let round = |_| {
            let start = Instant::now();
            for tool in &tools {
                let signature = self.schemas.signature(tool, &TypeNames::default());
                black_box((signature, self.schemas.parameters(tool)));
            }
            start.elapsed().as_micros()
        };
        let best = (0..ROUNDS).map(round).min().unwrap_or_default();
        let build = if cfg!(debug_assertions) { "development" } else { "release" };
        let each = best / tools.len().max(1) as u128;
        format!("{} tools, {each} µs each in a {build} build", tools.len())
    }

    fn declare(&self, subject: &Subject, tools: &[usize], types: &[String]) -> Declared {
        let block = DeclareBlock {
            namespace: &subject.namespace,
            connections: &[],
            names: &subject.names,
            tools: tools.iter().map(|at| subject.tools[*at].clone()).collect(),
            types: types.to_vec(),
            all: if types.is_empty() { Vec::new() } else { subject.tools.clone() },
        };
        let request = DeclareRequest {
            blocks: vec![block],
            token_budget: DESCRIBE_TOKENS,
            tokens: &self.tokens,
        };
        self.schemas.declare(&request)
    }

    /// The answer, and the answers for every type that it and they leave out.
    fn joined(&self, subject: &Subject, answer: Declared) -> Result<String, Failure> {
        self.within_budget(&answer)?;
        let prefix = format!("{}.", subject.namespace);
        let addresses: BTreeSet<&str> = subject.tools.iter().map(|tool| tool.0.as_str()).collect();
        let mut text = answer.text;
        let mut seen = BTreeSet::new();
        let mut queue: VecDeque<String> = answer.omitted.into();
        while let Some(name) = queue.pop_front() {
            let name = name.strip_prefix(&prefix).unwrap_or(&name).to_owned();
            if addresses.contains(name.as_str()) || !seen.insert(name.clone()) {
                continue;
            }
            let part = self.declare(subject, &[], std::slice::from_ref(&name));
            if !part.missing.is_empty() {
                return Err(format!("{prefix}{name} is named, but cannot be described").into());
            }
            self.within_budget(&part)?;
            text.push_str(&part.text);
            queue.extend(part.omitted);
        }
        Ok(text)
    }

    fn within_budget(&self, answer: &Declared) -> Result<(), Failure> {
        let tokens = self.tokens.count(&answer.text);
        if tokens > DESCRIBE_TOKENS {
            let start: String = answer.text.chars().take(300).collect();
            return Err(format!("an answer of {tokens} tokens: {start}").into());
        }
        Ok(())
    }
}

/// Rounds of a measurement.
const ROUNDS: usize = 5;

/// A tool with its name in code.
type NamedTool = (String, Arc<ToolDef>);
