//! `cargo xtask killtest`: the real hub under a real source, ended by SIGKILL while a program of a
//! hundred calls is at work, started again, and asked for the same program.
//!
//! The source is the sample tracker, which keeps its comments in a file. Every comment of the
//! program has a text of its own, so that one that was written twice, or not at all although
//! the program was told that it was, is seen in that file.

use hub_core::catalog::Transport;
use hub_engine::NewSource;
use hub_server::api::Call;
use hub_server::api::hub::status::AskStatus;
use hub_server::api::hub::stop::Stop;
use hub_server::api::sources::add::Add;
use hub_server::api::tools::execute::Execute;
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use xtask::Failure;

/// Points where none are asked for.
const POINTS: usize = 20;
/// Calls of the program: half reads, half effects.
const CALLS: usize = 100;
/// How long anything may take before the test gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// `killtest [--points N] [--binary FILE]`
pub fn run(args: &[String]) -> Result<(), Failure> {
    let points = match value(args, "--points") {
        Some(text) => text.parse().map_err(|_| Failure::from("--points takes a whole number"))?,
        None => POINTS,
    };
    let binary = match value(args, "--binary") {
        Some(path) => PathBuf::from(path),
        None => build()?,
    };
    let home = std::env::temp_dir().join(format!("hub-killtest-{}", std::process::id()));
    std::fs::create_dir_all(&home)?;
    let tested = test(&Hub { binary, home: home.clone() }, points);
    std::fs::remove_dir_all(&home)?;
    let tally = tested?;
    println!("{points} points: {} doubled, {} lost, {} unknown", tally.0, tally.1, tally.2);
    if tally.0 + tally.1 > 0 {
        return Err(Failure::from("a call was doubled or lost; its line is above"));
    }
    Ok(())
}

fn value<'a>(args: &'a [String], name: &str) -> Option<&'a String> {
    args.iter().position(|a| a == name).and_then(|at| args.get(at + 1))
}

/// Builds the hub in the profile this chore was built in; returns its path.
fn build() -> Result<PathBuf, Failure> {
    let here = std::env::current_exe()?;
    let folder = here.parent().ok_or("this program stands in no folder")?;
    let mut build = Command::new("cargo");
    build.args(["build", "--quiet", "--package", "capabilities"]);
    if folder.ends_with("release") {
        build.arg("--release");
    }
    if !build.status()?.success() {
        return Err(Failure::from("the hub does not build"));
    }
    Ok(folder.join("capabilities"))
}

struct Hub {
    binary: PathBuf,
    home: PathBuf,
}

/// Doubled, lost, unknown.
type Tally = (usize, usize, usize);

fn test(hub: &Hub, points: usize) -> Result<Tally, Failure> {
    let (state, calls) = (hub.home.join("issues.json"), hub.home.join("calls.txt"));
    let mut process = hub.start()?;
    hub.add_tracker(&state, &calls)?;
    let mut tally = (0, 0, 0);
    for point in 0..points {
        let after = 1 + point * (CALLS - 2) / points.saturating_sub(1).max(1);
        let before = lines(&calls);
        let code = program(point);
        let mut asking = hub.command(&["execute", &code]).stdout(Stdio::null()).spawn()?;
        let reached = wait_for(|| lines(&calls) >= before + after)?;
        process.kill()?;
        process.wait()?;
        asking.wait()?;
        process = hub.start()?;
        let told = hub.call(&Execute::Resume("last".into()))?;
        let told: Value = serde_json::from_str(&told.json).map_err(|e| Failure(e.to_string()))?;
        let found = check(point, &told, &state)?;
        if !reached {
            println!("point {point}: the program ended before call {after}");
        }
        tally = (tally.0 + found.0, tally.1 + found.1, tally.2 + found.2);
    }
    hub.call(&Stop {})?;
    process.wait()?;
    Ok(tally)
}

/// A read and a comment, fifty times; comments whose fate is unknown are returned.
fn program(point: usize) -> String {
    format!(
        "const unknown = [];\n\
         for (let i = 0; i < {half}; i++) {{\n\
           await tracker.listIssues({{}});\n\
           try {{ await tracker.commentOnIssue({{ number: 1, text: `p{point}-c${{i}}.` }}); }}\n\
           catch (e) {{ if (e.code !== \"outcome_unknown\") throw e; unknown.push(i); }}\n\
         }}\n\
         return unknown;",
        half = CALLS / 2
    )
}

/// What became of each comment, by the source's own file.
fn check(point: usize, told: &Value, state: &Path) -> Result<Tally, Failure> {
    let unknown: Vec<usize> = serde_json::from_value(told["result"].clone())
        .map_err(|_| Failure(format!("point {point}: the run did not complete: {told}")))?;
    let kept = std::fs::read_to_string(state)?;
    let mut tally = (0, 0, unknown.len());
    let mut seen: HashMap<usize, usize> = HashMap::new();
    for i in 0..CALLS / 2 {
        seen.insert(i, kept.matches(&format!("p{point}-c{i}.")).count());
    }
    for (i, times) in seen {
        if times > 1 {
            println!("doubled: point {point}, comment {i} was written {times} times");
            tally.0 += 1;
        }
        if times == 0 && !unknown.contains(&i) {
            println!("lost: point {point}, comment {i} was answered and is not there");
            tally.1 += 1;
        }
    }
    Ok(tally)
}

fn lines(path: &Path) -> usize {
    std::fs::read(path).map_or(0, |bytes| bytes.iter().filter(|b| **b == b'\n').count())
}

/// Looks again and again; whether it came in time.
fn wait_for(there: impl Fn() -> bool) -> Result<bool, Failure> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        if there() {
            return Ok(true);
        }
        std::thread::yield_now();
    }
    Ok(false)
}

impl Hub {
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.arg("--home").arg(&self.home).args(args);
        command.stdin(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Calls the hub's API as its command line does.
    fn call<C: Call>(&self, request: &C) -> Result<C::Answer, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let socket = self.home.join("run").join(hub_server::HUB_SOCKET);
        let answer = runtime.block_on(hub_server::client::call(&socket, request));
        answer.map_err(|e| Failure(format!("{}: {e}", C::PATH)))
    }

    fn start(&self) -> Result<Child, Failure> {
        let args = ["hub", "start", "--port", "0", "--no-browser"];
        let mut process = self.command(&args).stdout(Stdio::null()).spawn()?;
        if wait_for(|| self.call(&AskStatus {}).is_ok())? {
            return Ok(process);
        }
        process.kill()?;
        process.wait()?;
        Err(Failure::from("the hub did not come up"))
    }

    fn add_tracker(&self, state: &Path, calls: &Path) -> Result<(), Failure> {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let args = ["sample-server".into(), "--state".into(), path(state), "--calls".into()];
        let transport = Transport::Stdio {
            command: path(&self.binary),
            args: args.into_iter().chain([path(calls)]).collect(),
            env: Default::default(),
            cwd: None,
        };
        let source = NewSource {
            name: "tracker".into(),
            transport,
            trusted: true,
            effects: Default::default(),
            timeout_ms: None,
            concurrency: None,
            from_file: false,
        };
        self.call(&Add { source }).map(|_| ())
    }
}
