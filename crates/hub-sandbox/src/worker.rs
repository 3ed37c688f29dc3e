//! Driver B: the same guest natively, in a process that can compute, hold memory and talk to the
//! hub through one socket, and nothing else.
//!
//! A zygote holds the guest with its prelude loaded and forks a fresh worker for every pass; a few
//! wait warm. The worker's side is `child`, `memory`, `line` and `sys`; what confines it is
//! `confine`, and `probe` tries all of it from inside. The hub's side is `pool` and `guest`.

mod begin;
mod child;
mod confine;
mod guest;
mod line;
mod memory;
mod pool;
mod probe;
mod sys;
mod wire;
mod zygote;

pub use confine::{Confinement, Held, Wall};
pub use memory::WorkerMemory;
pub use probe::{Attempted, Outcome, Probed};
pub use zygote::worker_main;

use crate::budget::Budget;
use guest::WorkerGuest;
use hub_core::ports::{BoxFuture, Driver, Guest, GuestSpec, Started};
use pool::Pool;
use sha2::{Digest as _, Sha256};
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};

/// Everything beside the program's own bytes that a guest could notice.
const SEMANTICS: &str = "stack=4MiB";
/// Bytes of a program that are read at once.
const DIGEST_PART: usize = 256 << 10;
/// The running program, also after its file was replaced.
const THIS_PROGRAM: &str = "/proc/self/exe";

/// How the driver is opened.
#[derive(Debug)]
pub struct WorkerOptions {
    /// The program that calls [`worker_main`], with the arguments that make it do so.
    pub command: Vec<OsString>,
    /// Memory of all guests together; a quarter of the machine's unless set.
    pub memory_budget: Option<Arc<Budget>>,
    /// Workers kept ready.
    pub warm: usize,
}

impl WorkerOptions {
    /// Workers are this same program, called with `argument`.
    pub fn this_program(argument: &str) -> Self {
        Self::of([THIS_PROGRAM, argument])
    }

    /// Workers are another program.
    pub fn of<S: Into<OsString>>(command: impl IntoIterator<Item = S>) -> Self {
        let command = command.into_iter().map(Into::into).collect();
        Self { command, memory_budget: None, warm: pool::WARM }
    }
}

/// The driver of locked workers. One serves all runs.
pub struct WorkerDriver {
    command: Vec<OsString>,
    engine_id: OnceLock<String>,
    pool: OnceLock<Result<Arc<Pool>, String>>,
    warm: usize,
    budget: Arc<Budget>,
}

impl WorkerDriver {
    /// A driver that starts nothing until a program wants it, or [`WorkerDriver::confinement`]
    /// is asked.
    pub fn open(options: WorkerOptions) -> Arc<Self> {
        Arc::new(Self {
            command: options.command,
            engine_id: OnceLock::new(),
            pool: OnceLock::new(),
            warm: options.warm,
            budget: options.memory_budget.unwrap_or_else(Budget::of_machine),
        })
    }

    /// Starts the zygote, where none runs, and says how its workers are confined on this system.
    pub async fn confinement(&self) -> Result<Confinement, String> {
        self.pool()?.confinement().await
    }

    /// The process that workers are forked from, once there is one.
    pub fn zygote(&self) -> Option<u32> {
        self.pool.get()?.as_ref().ok()?.zygote()
    }

    /// Bytes that guests hold now.
    pub fn memory_used(&self) -> usize {
        self.budget.used()
    }

    fn pool(&self) -> Result<Arc<Pool>, String> {
        let start = || Pool::start(self.command.clone(), self.warm).map_err(|e| e.to_string());
        self.pool.get_or_init(start).clone()
    }
}

impl Drop for WorkerDriver {
    fn drop(&mut self) {
        if let Some(Ok(pool)) = self.pool.get() {
            pool.close();
        }
    }
}

impl Driver for WorkerDriver {
    /// Reads the program's bytes the first time.
    fn engine_id(&self) -> String {
        self.engine_id.get_or_init(|| engine_id(&self.command)).clone()
    }

    fn start(&self, spec: GuestSpec) -> BoxFuture<'_, Started> {
        Box::pin(async move {
            let pool = self.pool().map_err(hub_core::ports::GuestFault::Broken)?;
            let (guest, turn) = WorkerGuest::start(&pool, self.budget.lease(), spec).await?;
            Ok((Box::new(guest) as Box<dyn Guest>, turn))
        })
    }
}

fn engine_id(command: &[OsString]) -> String {
    let program = command.first().map(PathBuf::from).unwrap_or_default();
    match digest(&program) {
        Ok(digest) => format!("worker:{digest}"),
        Err(error) => {
            tracing::warn!(%error, "the worker's program cannot be read");
            "worker:unknown".into()
        }
    }
}

/// The digest of a program and of what else a guest could notice; the program is large, so it is
/// never in memory as a whole.
fn digest(program: &Path) -> std::io::Result<String> {
    let mut file = File::open(program)?;
    let mut hasher = Sha256::new_with_prefix(SEMANTICS);
    let mut part = vec![0; DIGEST_PART];
    loop {
        match file.read(&mut part)? {
            0 => break,
            count => hasher.update(&part[..count]),
        }
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Runs the probe of `command`'s workers: what each forbidden thing does when it is tried.
pub fn probe(options: &WorkerOptions) -> Result<Probed, String> {
    let (program, arguments) = options.command.split_first().ok_or("no program")?;
    let output = Command::new(program)
        .args(arguments)
        .arg("probe")
        .env_clear()
        .env("TZ", "UTC0")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    serde_json::from_slice(&output.stdout).map_err(|_| "the probe gave no answer".into())
}
