//! The crate against scripted servers: child processes (this binary again, see `scripts`) and
//! HTTP servers on loopback. Everything public, nothing else.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod asking;
mod catalogs;
mod eras;
mod http;
mod keeper;
mod lanes;
mod once;
mod pipes;
mod results;
mod scripts;
mod sse;
mod support;
