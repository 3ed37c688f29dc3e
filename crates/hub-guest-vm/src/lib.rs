//! The guest: QuickJS with our prelude in it, built as the WebAssembly image of driver A, and
//! natively (feature `native`) for the worker of driver B.
//!
//! Without either this crate is only the text of the prelude and its digest's input, so that
//! nobody compiles an engine who does not run it.

mod prelude;

#[cfg(any(target_arch = "wasm32", feature = "native"))]
mod encode;
#[cfg(any(target_arch = "wasm32", feature = "native"))]
mod host;
#[cfg(any(target_arch = "wasm32", feature = "native"))]
mod names;
#[cfg(any(target_arch = "wasm32", feature = "native"))]
mod natives;
#[cfg(any(target_arch = "wasm32", feature = "native"))]
mod random;
#[cfg(any(target_arch = "wasm32", feature = "native"))]
mod raw;
#[cfg(any(target_arch = "wasm32", feature = "native"))]
mod spaces;
#[cfg(any(target_arch = "wasm32", feature = "native"))]
mod start;
#[cfg(any(target_arch = "wasm32", feature = "native"))]
mod text;
#[cfg(any(target_arch = "wasm32", feature = "native"))]
mod tools;
#[cfg(all(test, feature = "native"))]
mod tools_tests;
#[cfg(any(target_arch = "wasm32", feature = "native"))]
mod vm;
#[cfg(target_arch = "wasm32")]
mod wasm;

pub use prelude::PRELUDE;

#[cfg(any(target_arch = "wasm32", feature = "native"))]
pub use {host::Host, host::set as set_host, start::Begin, start::Start, vm::Vm};
