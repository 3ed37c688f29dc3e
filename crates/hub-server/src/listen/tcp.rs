//! The two loopbacks. Both, because a program that held the other one could pose as the hub
//! for clients that resolve `localhost` to it.

use crate::listen::ListenError;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use tokio::net::TcpListener;

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
