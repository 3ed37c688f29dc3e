//! A small issue tracker that speaks MCP: what the demo and the tests put behind the hub.
//!
//! [`tracker`] is the state and what can be done to it, [`tools`] says what it offers,
//! [`server`] puts both on the wire.

mod server;
mod tools;
mod tracker;

pub use server::serve;
pub use tracker::Tracker;

#[cfg(test)]
mod tests;
