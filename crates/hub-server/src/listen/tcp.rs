//! The two loopbacks. Both, because a program that held the other one could pose as the hub
//! for clients that resolve `localhost` to it.

use crate::listen::ListenError;
use axum::serve::Listener;
use hub_core::limits::LOOPBACK_CONNECTIONS;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How often a free port is looked for on both loopbacks at once.
const TRIES: usize = 32;

/// Binds both. A machine without IPv6 has only one.
pub async fn bind(port: u16) -> Result<Vec<(TcpListener, SocketAddr)>, ListenError> {
    let mut tries = if port == 0 { TRIES } else { 1 };
    loop {
        tries -= 1;
        match bind_once(port).await {
            Err(ListenError::Address { source, .. })
                if tries > 0 && source.kind() == io::ErrorKind::AddrInUse => {}
            answer => return answer,
        }
    }
}

async fn bind_once(port: u16) -> Result<Vec<(TcpListener, SocketAddr)>, ListenError> {
    let four = one(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
    let port = four.1.port();
    match one(SocketAddr::from((Ipv6Addr::LOCALHOST, port))).await {
        Ok(six) => Ok(vec![four, six]),
        Err(ListenError::Address { source, .. }) if is_missing(&source) => {
            tracing::warn!("this machine has no IPv6 loopback; listening on 127.0.0.1 only");
            Ok(vec![four])
        }
        Err(error) => Err(error),
    }
}

async fn one(address: SocketAddr) -> Result<(TcpListener, SocketAddr), ListenError> {
    let refuse = |source| ListenError::Address { address, source };
    let listener = TcpListener::bind(address).await.map_err(refuse)?;
    let bound = listener.local_addr().map_err(refuse)?;
    Ok((listener, bound))
}

/// Whether the address does not exist here, as opposed to being taken.
fn is_missing(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let missing = [Errno::AFNOSUPPORT, Errno::ADDRNOTAVAIL];
    Errno::from_io_error(error).is_some_and(|errno| missing.contains(&errno))
}

/// A listener that closes what comes over the limit, which all loopbacks share.
pub struct Counted {
    listener: TcpListener,
    room: Arc<Semaphore>,
}

/// A connection that was counted.
pub struct Held {
    stream: TcpStream,
    _room: OwnedSemaphorePermit,
}

impl Counted {
    /// The listeners, counted together.
    pub fn all(listeners: Vec<(TcpListener, SocketAddr)>) -> Vec<Self> {
        let room = Arc::new(Semaphore::new(LOOPBACK_CONNECTIONS));
        let counted = |(listener, _)| Self { listener, room: room.clone() };
        listeners.into_iter().map(counted).collect()
    }
}

impl Listener for Counted {
    type Io = Held;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Held, SocketAddr) {
        loop {
            let (stream, address) = Listener::accept(&mut self.listener).await;
            // An answer leaves in several small pieces; none waits for the client's
            // acknowledgement of the one before. A connection that refuses is merely slower.
            let _slower = stream.set_nodelay(true);
            match self.room.clone().try_acquire_owned() {
                Ok(room) => return (Held { stream, _room: room }, address),
                // Dropping it closes it.
                Err(_) => tracing::warn!("too many connections are open; one more was closed"),
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl Held {
    /// Its address on our side.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.stream.local_addr()
    }
}

impl AsyncRead for Held {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl AsyncWrite for Held {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
