//! A hub in a folder of its own, a terminal to answer in, and plain HTTP.

mod http;
mod hub;
mod mcp;
mod relay;
mod served;
mod terminal;
mod tools;

pub use http::{Answer, http};
pub use hub::TestHub;
pub use mcp::{Agent, message};
pub use relay::{Fate, Relay};
pub use served::Served;
pub use terminal::Terminal;
pub use tools::Tools;
