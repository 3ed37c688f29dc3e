//! Where the hub keeps what is its own: one folder, readable by its owner alone.
//!
//! ```text
//! <home>/store/            the SQLite store
//! <home>/cache/            compiled guests; may be deleted at any time
//! <home>/secrets/          the encrypted secrets file and its key
//! <home>/local.key         the local server key, made at the first start
//! <home>/keys/             keys of clients that use `hub stdio`
//! <home>/pages/            files that forward a browser to the hub's pages, once
//! <home>/limits.toml       limits and durability, written by `apply`, read at the start
//! <home>/hub.log           what a hub that was started in the background wrote
//! <home>/run/hub.sock      commands of the owner
//! <home>/run/mcp.sock      `hub stdio`
//! <home>/run/port          the port of the running hub
//! ```

use crate::environment::Environment;
use crate::error::CliError;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Bytes that the path of a unix socket may have (`sun_path`, with room for its end).
const SOCKET_PATH_BYTES: usize = 103;

/// The hub's folder.
#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// The folder that was asked for, or the usual one.
    pub fn choose(flag: Option<&Path>, environment: &Environment) -> Result<Self, CliError> {
        let root = flag
            .map(Path::to_owned)
            .or_else(|| environment.capabilities_home.clone())
            .or_else(|| environment.data_home.as_ref().map(|d| d.join("capabilities")))
            .or_else(|| environment.home.as_ref().map(|h| h.join(".local/share/capabilities")))
            .ok_or_else(|| {
                CliError::usage("no folder for the hub: neither HOME nor CAPABILITIES_HOME is set")
                    .hint("give one with --home DIR")
            })?;
        let root = std::path::absolute(&root)
            .map_err(|e| CliError::failed(format!("{}: {e}", root.display())))?;
        let folder = Self { root };
        if folder.hub_socket().as_os_str().len() > SOCKET_PATH_BYTES {
            return Err(CliError::usage(format!(
                "the path of the hub's folder is too long for a socket in it: {}",
                folder.root.display()
            ))
            .hint("choose a shorter one with --home DIR or CAPABILITIES_HOME"));
        }
        Ok(folder)
    }

    /// Makes the folder where it is missing; only its owner can look into it.
    pub fn create(&self) -> Result<(), CliError> {
        make_private(&self.root)
            .map_err(|e| CliError::failed(format!("cannot make {}: {e}", self.root.display())))
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The store.
    pub fn store(&self) -> PathBuf {
        self.root.join("store")
    }

    /// Compiled guests.
    pub fn cache(&self) -> PathBuf {
        self.root.join("cache")
    }

    /// The encrypted secrets file and its key.
    pub fn secrets(&self) -> PathBuf {
        self.root.join("secrets")
    }

    /// The local server key.
    pub fn local_key(&self) -> PathBuf {
        self.root.join("local.key")
    }

    /// The key of a client that `client connect` configured.
    pub fn client_key(&self, client: &str) -> PathBuf {
        self.root.join("keys").join(format!("{client}.key"))
    }

    /// Limits and durability.
    pub fn limits(&self) -> PathBuf {
        self.root.join("limits.toml")
    }

    /// Log of a hub in the background.
    pub fn log(&self) -> PathBuf {
        self.root.join("hub.log")
    }

    /// The port of the running hub.
    pub fn port(&self) -> PathBuf {
        self.sockets().join("port")
    }

    /// Files that forward a browser to a page, once.
    pub fn pages(&self) -> PathBuf {
        self.root.join("pages")
    }

    /// The folder of sockets.
    pub fn sockets(&self) -> PathBuf {
        self.root.join("run")
    }

    /// Commands of the owner.
    pub fn hub_socket(&self) -> PathBuf {
        self.sockets().join(hub_server::HUB_SOCKET)
    }

    /// Clients that speak MCP through `hub stdio`.
    pub fn mcp_socket(&self) -> PathBuf {
        self.sockets().join(hub_server::MCP_SOCKET)
    }
}

/// Makes a folder that only its owner can enter.
pub fn make_private(path: &Path) -> std::io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Writes a file that only its owner can read, in one step: never half of it.
pub fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    let fresh = path.with_extension("fresh");
    // Left over from a crash, or a link that somebody put there: never written through.
    let _ = std::fs::remove_file(&fresh);
    let mut file =
        std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&fresh, path)
}
