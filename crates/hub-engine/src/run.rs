//! Runs: one task owns the truth of each; requests only listen.

mod asks;
mod attend;
mod envelope;
mod forms;
mod judge;
mod media;
mod open;
mod pass;
mod registry;
mod replay;
mod rest;
mod seal;
mod send;

pub(crate) use registry::{Report, Runs};
pub(crate) use rest::{cancelled, expired};
