//! Unix sockets: 0600 in a folder of 0700, and every connection's user is checked besides.

use crate::listen::ListenError;
use rustix::fs::Mode;
use rustix::process::geteuid;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use tokio::net::unix::SocketAddr;
use tokio::net::{UnixListener, UnixStream};

/// The most bytes a socket's path may have on every system we know (macOS: 104 with the end).
const PATH_BYTES: usize = 103;

/// The folder of sockets.
pub struct Folder(PathBuf);

/// A socket that listens. Its file goes when it is dropped.
pub struct Socket {
    listener: Own,
    path: Placed,
}

/// A socket's file.
pub struct Placed(PathBuf);

/// A listener that lets only the hub's own user in.
pub struct Own(UnixListener);

impl Folder {
    /// Makes the folder, or checks that it is ours, and closes it to everybody else.
    pub fn open(path: &Path) -> Result<Self, ListenError> {
        let refuse = |source| ListenError::Socket { path: path.to_owned(), source };
        let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
        made.map_err(refuse)?;
        let found = std::fs::symlink_metadata(path).map_err(refuse)?;
        if !found.is_dir() || found.uid() != geteuid().as_raw() {
            let text = "it is no folder of this user";
            return Err(refuse(io::Error::new(io::ErrorKind::PermissionDenied, text)));
        }
        rustix::fs::chmod(path, Mode::RWXU).map_err(|errno| refuse(errno.into()))?;
        Ok(Self(path.to_owned()))
    }

    /// Binds a socket in it. A file that nobody listens at any more is replaced.
    pub async fn bind(&self, name: &str) -> Result<Socket, ListenError> {
        let path = self.0.join(name);
        if path.as_os_str().len() > PATH_BYTES {
            return Err(ListenError::PathTooLong(path));
        }
        let refuse = |source| ListenError::Socket { path: path.clone(), source };
        match UnixStream::connect(&path).await {
            Ok(_) => return Err(ListenError::Running(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                std::fs::remove_file(&path).map_err(refuse)?;
            }
            Err(error) => return Err(refuse(error)),
        }
        let listener = UnixListener::bind(&path).map_err(refuse)?;
        let placed = Placed(path.clone());
        let closed = rustix::fs::chmod(&path, Mode::RUSR | Mode::WUSR);
        closed.map_err(|errno| refuse(errno.into()))?;
        Ok(Socket { listener: Own(listener), path: placed })
    }
}

impl Socket {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path.0
    }

    /// The file, to be held while the listener is used, and the listener.
    pub fn into_parts(self) -> (Placed, Own) {
        (self.path, self.listener)
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        // Left over, it would be replaced at the next start.
        let _ = std::fs::remove_file(&self.0);
    }
}

impl axum::serve::Listener for Own {
    type Io = UnixStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (UnixStream, SocketAddr) {
        loop {
            let (stream, address) = axum::serve::Listener::accept(&mut self.0).await;
            if is_own(&stream) {
                return (stream, address);
            }
            tracing::warn!("another user tried the hub's socket");
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

/// Whether the other end runs as the hub's own user.
fn is_own(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == geteuid().as_raw())
}
