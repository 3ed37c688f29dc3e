//! What stands between the network and the handlers, one small file per concern.
//!
//! [`guard`] stands before every route of the loopback listeners: host, origin, log line.
//! [`agents`] is the whole way of a request to `/mcp`, step by step.

mod accept;
pub(crate) mod agents;
mod batch;
mod body;
mod guard;
mod key;
mod log;
mod origin;
pub(crate) mod presence;
pub(crate) mod session;

pub(crate) use guard::{Guard, guard};
pub(crate) use log::log;
