//! Which driver of the sandbox runs programs, and what this system makes of it.

use crate::config::settings::{Sandbox, Settings};
use crate::error::CliError;
use hub_core::ports::Driver;
use hub_sandbox::{Budget, WasmDriver, WasmOptions};
#[cfg(target_os = "linux")]
use hub_sandbox::{WorkerDriver, WorkerOptions};
use std::path::PathBuf;
use std::sync::Arc;

/// The driver that the settings choose, and those in which earlier runs may go on. All share one
/// budget of memory.
pub async fn open(settings: &Settings, cache: PathBuf) -> Result<Drivers, CliError> {
    let budget = Budget::of_machine();
    let options = WasmOptions {
        cache_dir: Some(cache),
        memory_budget: Some(Arc::clone(&budget)),
        ..WasmOptions::default()
    };
    let chosen = settings.sandbox.unwrap_or_default();
    let wasm = match chosen {
        Sandbox::Wasm => WasmDriver::open(options).map_err(|e| does_not_start(&e.to_string()))?,
        // Only a run that began in it needs it, and then it is made.
        Sandbox::Worker => WasmDriver::later(options),
    };
    match (chosen, worker(chosen, &budget).await?) {
        (Sandbox::Worker, Some(worker)) => Ok((worker, vec![wasm])),
        (_, worker) => Ok((wasm, worker.into_iter().collect())),
    }
}

type Drivers = (Arc<dyn Driver>, Vec<Arc<dyn Driver>>);

fn does_not_start(why: &str) -> CliError {
    CliError::failed(format!("the sandbox does not start: {why}"))
}

/// Starts no process unless it is chosen.
#[cfg(target_os = "linux")]
async fn worker(
    chosen: Sandbox,
    budget: &Arc<Budget>,
) -> Result<Option<Arc<dyn Driver>>, CliError> {
    let memory_budget = Some(Arc::clone(budget));
    let driver = WorkerDriver::open(WorkerOptions { memory_budget, ..options() });
    if chosen == Sandbox::Worker {
        let found = driver.confinement().await.map_err(|why| does_not_start(&why))?;
        if !found.is_offered() {
            return Err(does_not_start(&found.weaker().join("; "))
                .hint("workers need a system call filter; set sandbox = \"wasm\""));
        }
        for weaker in found.weaker() {
            tracing::warn!(weaker, "the worker sandbox is weaker on this system");
        }
    }
    Ok(Some(driver))
}

#[cfg(not(target_os = "linux"))]
async fn worker(chosen: Sandbox, _: &Arc<Budget>) -> Result<Option<Arc<dyn Driver>>, CliError> {
    match chosen {
        Sandbox::Wasm => Ok(None),
        Sandbox::Worker => {
            Err(does_not_start("locked workers are there on Linux only")
                .hint("set sandbox = \"wasm\""))
        }
    }
}

#[cfg(target_os = "linux")]
fn options() -> WorkerOptions {
    WorkerOptions::this_program(crate::SANDBOX_WORKER)
}

/// What holds a worker on this system: tried from inside, thing by thing. An error where one of
/// them worked, or where there can be no worker though the settings ask for one.
#[cfg(target_os = "linux")]
pub fn tried(asked_for: Sandbox) -> Result<String, String> {
    let probed = hub_sandbox::probe(&options())?;
    let (all, weaker) = (probed.attempts.len(), probed.confinement.weaker());
    if !probed.confinement.is_offered() {
        let why = format!("no locked worker on this system ({})", weaker.join("; "));
        return if asked_for == Sandbox::Worker { Err(why) } else { Ok(why) };
    }
    let open: Vec<_> =
        probed.attempts.iter().filter(|attempt| !attempt.behind_all.is_held()).collect();
    if let Some(first) = open.first() {
        return Err(format!("{} of {all} things are open to a worker: {}", open.len(), first.what));
    }
    let walls = if weaker.is_empty() {
        let names: Vec<_> =
            probed.confinement.walls.iter().map(|wall| wall.name.as_str()).collect();
        names.join("; ")
    } else {
        format!("weaker here: {}", weaker.join("; "))
    };
    Ok(format!("all {all} things that were tried from inside are refused ({walls})"))
}

#[cfg(not(target_os = "linux"))]
pub fn tried(asked_for: Sandbox) -> Result<String, String> {
    let why = "locked workers are there on Linux only; programs run as WebAssembly".to_owned();
    if asked_for == Sandbox::Worker { Err(why) } else { Ok(why) }
}
