//! The hub's side towards sources: importing tools from MCP servers and calling them.
//!
//! Three rules shape everything here. A server is read leniently: whatever it gets wrong costs
//! as little as possible (a bad tool itself, a bad answer that call). A call is sent once:
//! nothing here sends a `tools/call` again unless the server proved that it never looked at it.
//! A credential is resolved late, sent in one place and scrubbed from everything that is shown.
//!
//! The wire is our own small JSON-RPC client and not the SDK's: the SDK reads answers through
//! closed types (one odd tool loses the page, an odd block loses the result) and cannot say
//! whether a failed call left the machine.

mod call;
mod desk;
mod era;
mod fault;
mod http;
mod listing;
mod open;
mod options;
mod pool;
mod scrub;
mod session;
mod stdio;
mod upstream;
mod value;
mod wire;

pub use options::{ListChanged, Options};
pub use pool::SourceStatus;
pub use stdio::reaper_main;
pub use upstream::McpUpstream;
