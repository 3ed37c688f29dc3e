//! Runs untrusted JavaScript under limits. Nothing of the engine is known outside this crate.
//!
//! Driver A ([`WasmDriver`]) runs QuickJS as WebAssembly inside this process: the guest sees its
//! own memory and two host functions, nothing else. Driver B (`WorkerDriver`, on Linux) runs the
//! same guest natively in a locked process. The prelude and the guest's Rust live in
//! `hub-guest-vm`; `cargo xtask guest` makes driver A's committed image from them.

mod budget;
mod cpu;
mod late;
mod outbox;
#[cfg(test)]
mod outbox_tests;
mod start;
mod threads;
mod ticker;
mod trim;
mod wasm;
#[cfg(target_os = "linux")]
mod worker;

pub use budget::Budget;
pub use late::Overrun;
pub use trim::trim;
pub use wasm::{OpenError, WasmDriver, WasmOptions};
#[cfg(target_os = "linux")]
pub use worker::{
    Attempted, Confinement, Held, Outcome, Probed, Wall, WorkerDriver, WorkerMemory, WorkerOptions,
    probe, worker_main,
};
