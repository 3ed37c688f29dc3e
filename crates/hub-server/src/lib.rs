//! Everything of the hub that listens: MCP for agents, the API for the command line.
//!
//! [`serve`] is the one way in. Agents reach `/mcp` on both loopbacks (or `hub stdio` through
//! `mcp.sock`); the person's own commands reach the API through `hub.sock` and nowhere else.
//! Only this crate knows HTTP statuses.

pub mod api;
pub mod client;
mod direct;
mod door;
mod error;
mod listen;
mod mcp;
mod middleware;
mod peers;
mod router;
mod web;

pub use direct::{Direct, DirectAnswer, DirectCall, DirectRefusal};
pub use door::{Code, Door};
pub use error::{ApiError, ErrorKind};
pub use listen::{
    Bound, HUB_SOCKET, Hello, ListenError, MCP_SOCKET, ServeConfig, serve, serve_with_pages,
};
pub use mcp::serve_stream;
pub use mcp::surface::Surface;
pub use mcp::url::UrlChoice;
pub use peers::Process;
pub use router::surface;
pub use web::time::{span, utc};
pub use web::{Pages, PagesConfig};

#[cfg(test)]
mod tests;
