//! The real hub as a process, for chores that end it, load it or look at it.

use hub_core::catalog::Transport;
use hub_core::policy::Verdict;
use hub_engine::{NewRule, NewSource};
use hub_server::api::Call;
use hub_server::api::hub::status::AskStatus;
use hub_server::api::policy::set::Set;
use hub_server::api::sources::add::Add;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use xtask::Failure;

/// How long anything may take before a chore gives up.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A hub's program and folder. The folder is told by the environment, so that it is found in
/// whatever the hub starts and forgets.
pub struct Hub {
    /// The program.
    pub binary: PathBuf,
    /// Its folder.
    pub home: PathBuf,
}

impl Hub {
    /// The program that was named with `--binary`, else one built as this chore was.
    pub fn find(args: &[String], home: PathBuf) -> Result<Self, Failure> {
        let binary = match value(args, "--binary") {
            Some(path) => PathBuf::from(path),
            None => build()?,
        };
        Ok(Self { binary, home })
    }

    /// Starts it.
    pub fn start(&self) -> Result<Child, Failure> {
        let mut command = Command::new(&self.binary);
        command.args(["hub", "start", "--port", "0", "--no-browser"]);
        command.env("CAPABILITIES_HOME", &self.home);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = command.spawn()?;
        if wait_for(|| self.call(&AskStatus {}).is_ok()) {
            return Ok(process);
        }
        process.kill()?;
        process.wait()?;
        Err(Failure::from("the hub did not come up"))
    }

    /// Calls its API as its command line does.
    pub fn call<C: Call>(&self, request: &C) -> Result<C::Answer, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let socket = self.home.join("run").join(hub_server::HUB_SOCKET);
        let answer = runtime.block_on(hub_server::client::call(&socket, request));
        answer.map_err(|e| Failure(format!("{}: {e}", C::PATH)))
    }

    /// Adds a source that is trusted.
    pub fn add(&self, name: &str, transport: Transport) -> Result<(), Failure> {
        let source = NewSource {
            name: name.to_owned(),
            transport,
            trusted: true,
            effects: Default::default(),
            timeout_ms: None,
            concurrency: None,
            from_file: false,
        };
        let added = self.call(&Add { source })?;
        match added.view.problem {
            Some(problem) => Err(Failure(format!("source {name}: {problem}"))),
            None => Ok(()),
        }
    }

    /// Lets every call go.
    pub fn allow_all(&self) -> Result<(), Failure> {
        let rule = NewRule {
            pattern: "**".into(),
            connection: None,
            arguments: Vec::new(),
            client: None,
            decision: Verdict::Allow,
            note: String::new(),
        };
        self.call(&Set { rule, who: "chore".into() }).map(drop)
    }
}

/// The value behind an option.
pub fn value<'a>(args: &'a [String], name: &str) -> Option<&'a String> {
    args.iter().position(|a| a == name).and_then(|at| args.get(at + 1))
}

/// The whole number behind an option.
pub fn number(args: &[String], name: &str, default: usize) -> Result<usize, Failure> {
    match value(args, name) {
        Some(text) => text.parse().map_err(|_| Failure(format!("{name} takes a whole number"))),
        None => Ok(default),
    }
}

/// This program as a source that runs `args`.
pub fn this_program(args: &[&str]) -> Result<Transport, Failure> {
    let this = std::env::current_exe()?;
    Ok(Transport::Stdio {
        command: this.to_string_lossy().into_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: Default::default(),
        cwd: None,
    })
}

/// Looks again and again; whether it came in time.
pub fn wait_for(there: impl Fn() -> bool) -> bool {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        if there() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

/// Ids of all processes that have `folder` on their command line or in their environment, but
/// for this one.
pub fn processes_of(folder: &Path) -> Vec<u32> {
    let mark = folder.to_string_lossy().into_owned();
    let holds = |pid: u32, file: &str| {
        let bytes = std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        bytes.windows(mark.len()).any(|part| part == mark.as_bytes())
    };
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    all.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != std::process::id())
        .filter(|pid| holds(*pid, "cmdline") || holds(*pid, "environ"))
        .collect()
}

/// Numbers that need not be good, only different.
pub struct Dice(u64);

impl Dice {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// One of `0..below`.
    pub fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % below.max(1)
    }
}

/// A seed that was named with `--seed`, else a fresh one.
pub fn seed(args: &[String]) -> Result<u64, Failure> {
    let mut bits = [0; 4];
    getrandom::fill(&mut bits).map_err(|e| Failure(e.to_string()))?;
    number(args, "--seed", u32::from_le_bytes(bits) as usize).map(|seed| seed as u64)
}

/// Builds the hub in the profile this chore was built in; returns its path.
fn build() -> Result<PathBuf, Failure> {
    let here = std::env::current_exe()?;
    let folder = here.parent().ok_or("this program stands in no folder")?;
    let mut build = xtask::cargo();
    build.args(["build", "--quiet", "--package", "capabilities"]);
    if folder.ends_with("release") {
        build.arg("--release");
    }
    if !build.status()?.success() {
        return Err(Failure::from("the hub does not build"));
    }
    Ok(folder.join("capabilities"))
}
