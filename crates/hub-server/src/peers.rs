//! Which processes are at the other end, and which of them are clients.
//!
//! A client is a process that spoke MCP with a key, through a loopback or through `mcp.sock`;
//! it stays one for as long as it lives, also where it closes its connections in between and
//! where the hub starts anew. What is asked from below a client is refused where it would widen
//! rights ([`Clients::above`]), and so is what cannot be placed at all. All of it is read from
//! `/proc`; where there is none, nobody is found, and `doctor` says so.

mod clients;
mod process;
mod sockets;

pub(crate) use clients::{Above, Clients, unseen};
pub use process::Process;

#[cfg(test)]
mod tests;

use crate::listen::{Counted, Own};
use axum::extract::connect_info::Connected;
use axum::serve::IncomingStream;
use hub_core::owner::ClientKey;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// The process at the other end of `hub.sock`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Peer(pub Option<u32>);

impl Connected<IncomingStream<'_, Own>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Own>) -> Self {
        Self(pid(stream.io()))
    }
}

/// The process that opened a unix socket, as the system saw it.
pub fn pid(stream: &tokio::net::UnixStream) -> Option<u32> {
    stream.peer_cred().ok()?.pid().and_then(|pid| u32::try_from(pid).ok())
}

/// A connection to a loopback.
#[derive(Clone, Debug)]
pub struct Caller {
    near: Option<SocketAddr>,
    far: SocketAddr,
    /// Set once its process was looked for: a connection keeps its process.
    found: Arc<OnceCell<()>>,
}

impl Connected<IncomingStream<'_, Counted>> for Caller {
    fn connect_info(stream: IncomingStream<'_, Counted>) -> Self {
        let near = stream.io().local_addr().ok();
        Self { near, far: *stream.remote_addr(), found: Arc::default() }
    }
}

impl Caller {
    /// It showed a key: its process is a client from now on. Done before its first request is
    /// answered, so that the connection is still there to be found.
    pub async fn is_client(&self, clients: &Clients, key: &ClientKey) {
        let Some(near) = self.near else { return };
        self.found.get_or_init(|| clients.connected(near, self.far, key)).await;
    }
}
