//! The wire, over real loopback sockets, with a scripted door where the engine would stand.

mod attendance;
mod batches;
mod direct;
mod eras;
mod expiry;
mod forms;
mod listening;
mod pages;
mod pipes;
mod progress;
mod refusals;
mod sessions;
mod support;
mod texts;
