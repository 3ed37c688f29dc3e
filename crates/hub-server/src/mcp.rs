//! MCP toward agents: one handler for every revision, over HTTP and over pipes.
//!
//! The handler holds nothing: who asks and what its client can do is read from each request.

mod answer;
mod arguments;
pub(crate) mod audience;
pub(crate) mod caller;
mod direct;
mod execute;
mod forms;
mod handler;
pub(crate) mod http;
mod logs;
mod progress;
mod stream;
pub(crate) mod surface;
pub(crate) mod tools;
pub(crate) mod url;

pub use stream::serve_stream;
pub(crate) use stream::{Line, read_line, serve_lines};
