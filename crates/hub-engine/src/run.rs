//! Runs: one task owns the truth of each; requests only listen.

mod asks;
mod attend;
mod engines;
mod envelope;
mod forms;
mod judge;
mod media;
mod names;
mod open;
mod pass;
mod preflight;
mod registry;
mod replay;
mod rest;
mod resume;
mod send;
mod wait;

pub(crate) use engines::Engines;
pub(crate) use names::Names;
pub(crate) use registry::{Report, Runs};
pub(crate) use rest::{cancelled, expired, forgotten};
