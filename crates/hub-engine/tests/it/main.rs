//! The engine over a memory store, scripted sources and guests written in Rust.
#![expect(clippy::unwrap_used, reason = "a test that finds nothing fails")]

mod approvals;
mod builds;
mod changes;
mod divergence;
mod faults;
mod forms;
mod harness;
mod journal;
mod limits;
mod lost_answers;
mod runs;
mod waiting;
