//! Runs untrusted JavaScript under limits. Nothing of the engine is known outside this crate.
//!
//! Driver A ([`WasmDriver`]) runs QuickJS as WebAssembly inside this process: the guest sees its
//! own memory and two host functions, nothing else. The prelude and the guest's Rust live in
//! `hub-guest-vm`; `cargo xtask guest` makes the committed image from them.

mod budget;
mod cpu;
mod outbox;
mod threads;
mod ticker;
mod wasm;

pub use wasm::{OpenError, WasmDriver, WasmOptions};
