//! Driver B: the same guest natively, in a process that can compute, hold memory and talk to the
//! hub through one socket, and nothing else.
//!
//! A zygote holds the guest with its prelude loaded and forks a fresh worker for every pass; a few
//! wait warm. The worker's side is `child`, `memory`, `line` and `sys`; what confines it is
//! `confine`, and `probe` tries all of it from inside. The hub's side is `pool` and `guest`.

mod child;
mod confine;
mod guest;
mod identity;
mod line;
mod memory;
mod orders;
mod pool;
mod probe;
mod sys;
mod talk;
#[cfg(test)]
mod talk_tests;
mod wire;
#[cfg(test)]
mod wire_tests;
mod zygote;

pub use confine::{Confinement, Held, Wall};
pub use memory::WorkerMemory;
pub use probe::{Attempted, Outcome, Probed};
pub use zygote::worker_main;

use crate::budget::Budget;
use crate::late::{Late, Overrun};
use crate::{outbox, start};
use guest::WorkerGuest;
use hub_core::ports::{BoxFuture, Driver, Guest, GuestSpec, Started};
use pool::Pool;
use std::ffi::OsString;
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use tokio::sync::watch;

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
    late: Late,
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
            late: Late::default(),
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

    /// How far guests get beyond their CPU limit.
    pub fn overruns(&self) -> watch::Receiver<Overrun> {
        self.late.seen()
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
    /// Reads the program's bytes the first time, and tries the system's mathematics.
    fn engine_id(&self) -> String {
        self.engine_id.get_or_init(|| identity::engine_id(&self.command)).clone()
    }

    fn start(&self, spec: GuestSpec) -> BoxFuture<'_, Started> {
        Box::pin(async move {
            let pool = self.pool().map_err(hub_core::ports::GuestFault::Broken)?;
            let (guest, turn) =
                WorkerGuest::start(&pool, &self.late, self.budget.lease(), spec).await?;
            Ok((Box::new(guest) as Box<dyn Guest>, turn))
        })
    }
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
