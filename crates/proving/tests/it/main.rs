//! The reader and the sandbox together, on every driver.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod cases;
mod covered;
mod programs;
mod targets;

#[path = "../../../hub-sandbox/tests/it/support.rs"]
#[expect(dead_code, reason = "the sandbox's own tests use more of it")]
mod support;
