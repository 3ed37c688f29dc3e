//! Use cases of the hub: the shell of I/O around the pure machine of `hub-core`.
//!
//! [`Engine`] is the one door: agents come through `hub-server`'s MCP side, people through its
//! API and pages, the command line through the same API. The engine owns every run; a request
//! only listens to one.

mod admin;
mod api;
mod catalog;
mod engine;
mod lookup;
mod run;
pub mod seal;
mod tasks;

pub use api::*;
pub use engine::Engine;
