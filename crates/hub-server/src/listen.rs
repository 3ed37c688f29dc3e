//! The hub's ears: both loopbacks for agents, `hub.sock` for the command line, `mcp.sock` for
//! the pipes of `hub stdio`. All of them are bound, or the hub does not start.

mod pipes;
mod socket;
mod tcp;

use crate::api::Api;
use crate::mcp::surface::Surface;
use crate::middleware::Guard;
use crate::middleware::agents::Agents;
use crate::peers::{Caller, Clients, Peer};
use crate::router;
use crate::web::{Pages, Web};
use hub_core::limits::SHUTDOWN_MS;
use hub_engine::Engine;
pub use pipes::Hello;
pub use socket::Own;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
pub use tcp::Counted;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// The API's socket, in the folder of sockets.
pub const HUB_SOCKET: &str = "hub.sock";
/// The socket of `hub stdio` pipes, in the same folder.
pub const MCP_SOCKET: &str = "mcp.sock";

/// Where to listen.
#[derive(Debug)]
pub struct ServeConfig {
    /// The port on both loopbacks; 0 takes a free one.
    pub port: u16,
    /// The folder of sockets: made where it is missing, and closed to everybody else.
    pub sockets: PathBuf,
    /// Ends serving; `POST /api/hub/stop` cancels it too.
    pub stop: CancellationToken,
    /// Told once everything is bound.
    pub bound: Option<oneshot::Sender<Bound>>,
}

/// Where the hub listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The port on the loopbacks.
    pub port: u16,
    /// The loopback addresses: 127.0.0.1, and ::1 where the machine has it.
    pub addresses: Vec<SocketAddr>,
    /// The API's socket.
    pub hub_socket: PathBuf,
    /// The socket of pipes.
    pub mcp_socket: PathBuf,
}

/// Why the hub cannot listen.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// A loopback address is taken. Both are needed: another program on one of them could pose
    /// as the hub.
    #[error(
        "cannot listen on {address}: {source}; stop what listens there, or choose another port"
    )]
    Address {
        /// Which.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// A hub listens at the socket already.
    #[error("a hub is running already (it listens at {0})")]
    Running(PathBuf),
    /// The folder or a socket in it cannot be made.
    #[error("cannot use {path}: {source}")]
    Socket {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A unix socket's path has a length limit that is the system's.
    #[error("the path of the socket is too long for this system: {0}; choose a shorter folder")]
    PathTooLong(PathBuf),
}

/// [`serve_with_pages`], without pages.
pub async fn serve(engine: Engine, config: ServeConfig) -> Result<(), ListenError> {
    listen(engine, config, None).await
}

/// Listens and serves until `config.stop` is cancelled, then lets runs come to rest and open
/// answers finish. Calls [`Engine::shut_down`]. `pages` is the screen that the engine was
/// opened with.
pub async fn serve_with_pages(
    engine: Engine,
    config: ServeConfig,
    pages: Pages,
) -> Result<(), ListenError> {
    listen(engine, config, Some(pages)).await
}

async fn listen(
    engine: Engine,
    config: ServeConfig,
    pages: Option<Pages>,
) -> Result<(), ListenError> {
    let ServeConfig { port, sockets, stop, bound } = config;
    let folder = socket::Folder::open(&sockets)?;
    let hub_socket = folder.bind(HUB_SOCKET).await?;
    let mcp_socket = folder.bind(MCP_SOCKET).await?;
    let loopbacks = tcp::bind(port).await?;
    let addresses: Arc<[SocketAddr]> = loopbacks.iter().map(|(_, at)| *at).collect();
    let port = addresses[0].port();
    if let Some(told) = bound {
        // Whoever asked may have lost interest.
        let _ = told.send(Bound {
            port,
            addresses: addresses.to_vec(),
            hub_socket: hub_socket.path().to_owned(),
            mcp_socket: mcp_socket.path().to_owned(),
        });
    }
    tracing::info!(port, "listening");

    // Two steps of stopping: no new connections, then the end of open streams.
    let ended = CancellationToken::new();
    let surface = Surface::Code(Arc::new(engine.clone()));
    let clients = Clients::open(&sockets);
    let agents = Agents::new(surface.clone(), clients.clone(), ended.clone());
    if let Some(pages) = &pages {
        pages.served_on(port);
    }
    let web = pages.clone().map(|pages| Web { engine: engine.clone(), pages });
    let shown = router::loopback(surface.door(), agents, Guard::on_port(port), web);
    let api = Api {
        engine: engine.clone(),
        pages,
        stop: stop.clone(),
        addresses,
        started: Instant::now(),
        clients: clients.clone(),
        peer: Peer::default(),
    };
    let (path, listener) = hub_socket.into_parts();

    let mut serving = JoinSet::new();
    for listener in Counted::all(loopbacks) {
        let until = stop.clone().cancelled_owned();
        let shown = shown.clone().into_make_service_with_connect_info::<Caller>();
        serving.spawn(axum::serve(listener, shown).with_graceful_shutdown(until).into_future());
    }
    let until = stop.clone().cancelled_owned();
    let commands = router::socket(api).into_make_service_with_connect_info::<Peer>();
    let commands = axum::serve(listener, commands).with_graceful_shutdown(until);
    serving.spawn(commands.into_future());
    let pipes = pipes::serve(mcp_socket, surface, clients, stop.clone(), ended.clone());
    serving.spawn(async move {
        pipes.await;
        Ok(())
    });

    stop.cancelled().await;
    tracing::info!("stopping");
    let grace = Duration::from_millis(SHUTDOWN_MS);
    if tokio::time::timeout(grace, engine.shut_down()).await.is_err() {
        tracing::warn!("some runs did not come to rest in time; they go on where they stand");
    }
    ended.cancel();
    let finished = async { while serving.join_next().await.is_some() {} };
    if tokio::time::timeout(grace, finished).await.is_err() {
        tracing::warn!("some connections did not end in time and are cut");
    }
    drop(path);
    Ok(())
}
