//! The engine over a memory store, scripted sources and guests written in Rust.

mod approvals;
mod harness;
mod journal;
mod lost_answers;
mod runs;
