//! Generated programs on every driver and in Node: the same lines, the same result, the same kind
//! of failure. On the drivers everything else is compared too. Called by
//! `cargo xtask differential`; what may differ is in `differences.md`.
#![expect(clippy::unwrap_used, reason = "a chore that cannot go on stops")]

#[path = "../../hub-sandbox/tests/it/support.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod support;

use hub_core::ports::{GuestLimits, Prepare};
use proving::targets::read::Tools;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use support::{Ended, Play, drivers};

/// Programs, unless told.
const PROGRAMS: u64 = 2_000;
/// Differences that are shown in full.
const SHOWN: usize = 5;

/// This program is its own worker, and that of this crate's tests.
#[cfg(target_os = "linux")]
#[global_allocator]
static MEMORY: hub_sandbox::WorkerMemory = hub_sandbox::WorkerMemory;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if std::env::args().nth(1).as_deref() == Some("sandbox-worker") {
        let rest: Vec<String> = std::env::args().skip(2).collect();
        hub_sandbox::worker_main(&rest);
    }
    #[cfg(target_os = "linux")]
    support::OWN_WORKER.store(true, std::sync::atomic::Ordering::Relaxed);
    let Some((programs, seed, only)) = arguments() else {
        eprintln!("usage: cargo xtask differential [--programs N] [--seed S] [--only P]");
        return ExitCode::from(2);
    };
    let Some(mut node) = Node::start() else {
        println!("differential: skipped, no Node in .tools (.ci/setup puts it there)");
        return if is_required() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    };
    let limits = GuestLimits { log_bytes: 4 << 20, ..GuestLimits::default() };
    let plays: Vec<(&str, Play)> = drivers()
        .into_iter()
        .map(|(name, driver)| (name, Play { driver, limits, seed: [9; 32], ..Play::default() }))
        .collect();
    let (mut different, mut threw, mut invalid) = (Vec::new(), 0, 0);
    let numbers = only.map_or(0..programs, |only| only..only + 1);
    let tried = numbers.end - numbers.start;
    for number in numbers {
        let code = proving::programs::program(seed, number);
        if only.is_some() {
            println!("{code}");
        }
        let wanted = node.run(&code);
        threw += usize::from(wanted.get("error").is_some());
        match compare(&code, &plays, &wanted) {
            Ok(Compared::Same) => {}
            Ok(Compared::Invalid) => invalid += 1,
            Err(why) => different.push((number, why)),
        }
    }
    for (number, why) in different.iter().take(SHOWN) {
        println!("program {number} (--seed {seed} --only {number}):\n{why}\n");
    }
    let names: Vec<&str> = plays.iter().map(|(name, _)| *name).collect();
    println!(
        "differential: {tried} programs on {} and Node: {threw} threw, {invalid} refused by both \
         or nested beyond the reader's limit, {} different {:?}",
        names.join(", "),
        different.len(),
        different.iter().take(40).map(|(number, _)| number).collect::<Vec<_>>()
    );
    if different.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[expect(clippy::disallowed_methods, reason = "a chore is test code: `.ci/run` asks for tools so")]
fn is_required() -> bool {
    std::env::var_os("HUB_REQUIRE_TOOLS").is_some()
}

fn arguments() -> Option<(u64, u64, Option<u64>)> {
    let (mut programs, mut seed, mut only) = (PROGRAMS, 1, None);
    let mut args = std::env::args().skip(1);
    while let Some(flag) = args.next() {
        let value = args.next()?.parse().ok()?;
        match flag.as_str() {
            "--programs" => programs = value,
            "--seed" => seed = value,
            "--only" => only = Some(value),
            _ => return None,
        }
    }
    Some((programs, seed, only))
}

enum Compared {
    Same,
    /// No program: both sides refuse it, or the reader has a limit that Node has not.
    Invalid,
}

fn compare(code: &str, plays: &[(&str, Play)], wanted: &Value) -> Result<Compared, String> {
    let read = match hub_guest::Reader::new().prepare(code, &Tools) {
        Ok(read) => read,
        Err(error) => {
            let known = wanted.get("broken").is_some() || error.message.contains("too deeply");
            return if known { Ok(Compared::Invalid) } else { Err(format!("{error:?}")) };
        }
    };
    if let Some(broken) = wanted.get("broken") {
        return Err(format!("Node does not run it: {broken}"));
    }
    let mut first: Option<(&str, Ended)> = None;
    for (name, play) in plays {
        let ended = play.run(&read.program);
        let got = seen(&ended);
        if got != *wanted {
            return Err(told(name, &got, wanted));
        }
        match &first {
            Some((other, before)) if *before != ended => {
                return Err(format!("{other}: {before:#?}\n{name}: {ended:#?}"));
            }
            Some(_) => {}
            None => first = Some((name, ended)),
        }
    }
    Ok(Compared::Same)
}

/// What Node can tell too.
fn seen(ended: &Ended) -> Value {
    let logs: Vec<&str> = ended.logs.iter().map(|line| line.text.as_str()).collect();
    let mut seen = json!({ "logs": logs });
    if let Some(fault) = &ended.fault {
        seen["fault"] = json!(fault.to_string());
    } else if let Some(error) = &ended.error {
        seen["error"] = json!(error.name);
    } else if ended.stalled {
        seen["stalled"] = json!(true);
    } else {
        seen["result"] = json!(ended.finish.as_ref().and_then(|f| f.result.as_ref()));
    }
    seen
}

/// The first line that differs.
fn told(name: &str, got: &Value, wanted: &Value) -> String {
    let lines = |v: &Value| v["logs"].as_array().cloned().unwrap_or_default();
    let (ours, theirs) = (lines(got), lines(wanted));
    let at = ours.iter().zip(&theirs).position(|(a, b)| a != b);
    let at = at.unwrap_or(ours.len().min(theirs.len()));
    let rest = |v: &Value| {
        let mut rest = v.clone();
        if let Some(object) = rest.as_object_mut() {
            object.remove("logs");
        }
        rest.to_string()
    };
    format!(
        "  line {at}\n  {name}: {:?}\n  node: {:?}\n  {name}: {}\n  node: {}",
        ours.get(at),
        theirs.get(at),
        rest(got),
        rest(wanted)
    )
}

/// Node, reading programs.
struct Node {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Node {
    fn start() -> Option<Self> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let node: PathBuf = here.join("../../.tools/node/node_modules/.bin/node");
        let mut child = Command::new(node)
            .arg("--no-warnings")
            .arg(here.join("src/node.mjs"))
            .env_clear()
            .env("TZ", "UTC")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let (to, from) = (child.stdin.take()?, BufReader::new(child.stdout.take()?));
        Some(Self { child, to, from })
    }

    fn run(&mut self, code: &str) -> Value {
        let mut line = serde_json::to_string(code).unwrap();
        line.push('\n');
        self.to.write_all(line.as_bytes()).unwrap();
        let mut answer = String::new();
        self.from.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
