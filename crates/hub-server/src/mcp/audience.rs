//! Who is told when the list of tools changes: open sessions of older agents. (A stateless agent
//! listens by a request of its own.)

use crate::mcp::surface::Surface;
use rmcp::{Peer, RoleServer};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The open sessions of one endpoint. One task tells them; it ends with the endpoint.
#[derive(Clone, Default)]
pub struct Audience {
    peers: Arc<Mutex<Vec<Peer<RoleServer>>>>,
    telling: Option<Arc<JoinHandle<()>>>,
}

impl Audience {
    /// For what this surface can announce.
    pub fn of(surface: &Surface, stop: CancellationToken) -> Self {
        let mut audience = Self::default();
        if let Surface::Direct(direct) = surface {
            let mut changes = direct.changes();
            let told = audience.clone();
            let telling = tokio::spawn(async move {
                loop {
                    tokio::select! {
                        () = stop.cancelled() => return,
                        changed = changes.changed() => match changed {
                            Ok(()) => told.tell().await,
                            Err(_) => return,
                        },
                    }
                }
            });
            audience.telling = Some(Arc::new(telling));
        }
        audience
    }

    /// A session is open.
    pub fn joins(&self, peer: Peer<RoleServer>) {
        if self.telling.as_ref().is_none_or(|telling| telling.is_finished()) {
            return;
        }
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        peers.retain(|peer| !peer.is_transport_closed());
        peers.push(peer);
    }

    async fn tell(&self) {
        let peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let all = peers.iter().map(Peer::notify_tool_list_changed);
        // Sessions that ended are forgotten when the next one opens.
        futures_util::future::join_all(all).await;
    }
}
