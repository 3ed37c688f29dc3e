//! The processes that are clients of this hub.

use super::process::{Process, holds};
use super::sockets;
use crate::error::{ApiError, ErrorKind};
use hub_core::limits::CLIENT_PROCESSES;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

/// Tells one start of the system from another: process numbers begin anew.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";
/// The file in the folder of sockets.
const FILE: &str = "clients";

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Known {
    pid: u32,
    started: u64,
    client: String,
}

/// What is kept, so that stopping the hub makes nobody unknown.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    boot: String,
    known: Vec<Known>,
}

/// All of them. Written by whoever lets a client in, read before rights are widened.
#[derive(Clone, Debug, Default)]
pub struct Clients {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// Where they are kept; nowhere in tests of the wire.
    file: Option<PathBuf>,
    /// Held while a process is looked for: one search at a time.
    kept: Mutex<Kept>,
}

impl Clients {
    /// Those that the hub before this one knew, as far as they still live.
    pub fn open(folder: &Path) -> Self {
        let file = folder.join(FILE);
        let boot = std::fs::read_to_string(BOOT).unwrap_or_default();
        let kept = std::fs::read(&file).ok();
        let kept: Option<Kept> = kept.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let mut kept = kept.filter(|kept| kept.boot == boot).unwrap_or_default();
        kept.boot = boot;
        Self { inner: Arc::new(Inner { file: Some(file), kept: Mutex::new(kept) }) }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Nothing is half done where it is held.
        self.inner.kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The process behind a connection from `far` to `near` is a client.
    pub async fn connected(&self, near: SocketAddr, far: SocketAddr, client: &str) {
        let (clients, client) = (self.clone(), client.to_owned());
        let looked = tokio::task::spawn_blocking(move || clients.look(near, far, &client));
        // Cut off only where the hub ends.
        let _ = looked.await;
    }

    fn look(&self, near: SocketAddr, far: SocketAddr, client: &str) {
        let inodes = sockets::inodes(near, far);
        if inodes.is_empty() {
            return;
        }
        let mut kept = self.kept();
        // Most connections come from a process that has had one before. The hub itself is none:
        // below it run its sources.
        let is_there = |known: &&Known| Process::read(known.pid).is_some_and(|p| known.is(&p));
        let before = kept.known.iter().filter(is_there).map(|known| known.pid);
        let mut before = before.chain([std::process::id()]);
        if before.any(|pid| holds(pid, &inodes)) {
            return;
        }
        let holding = Process::all().into_iter().filter(|&pid| holds(pid, &inodes));
        let found: Vec<Process> = holding.filter_map(Process::read).collect();
        self.add(&mut kept, found, client);
    }

    /// The process `pid` speaks through `mcp.sock`: it is a client, and so is whoever started it
    /// where it is only a pipe.
    pub async fn piped(&self, pid: Option<u32>, client: &str) {
        let Some(pid) = pid else { return };
        let (clients, client) = (self.clone(), client.to_owned());
        let looked = tokio::task::spawn_blocking(move || {
            let chain = Process::chain(pid);
            let owner = Process::owner(&chain).cloned();
            let found = chain.first().cloned().into_iter().chain(owner);
            let found = found.filter(|process| process.pid != std::process::id()).collect();
            clients.add(&mut clients.kept(), found, &client);
        });
        // As above.
        let _ = looked.await;
    }

    fn add(&self, kept: &mut Kept, found: Vec<Process>, client: &str) {
        let before = kept.known.len();
        for process in found {
            let (pid, started) = (process.pid, process.started);
            if !kept.known.iter().any(|k| (k.pid, k.started) == (pid, started)) {
                tracing::info!(client, pid, process = process.name, "a client's process");
                kept.known.push(Known { pid, started, client: client.to_owned() });
            }
        }
        if kept.known.len() == before {
            return;
        }
        let lives = |known: &Known| Process::read(known.pid).is_some_and(|p| known.is(&p));
        kept.known.retain(lives);
        let over = kept.known.len().saturating_sub(CLIENT_PROCESSES);
        kept.known.drain(..over);
        if let Err(error) = self.write(kept) {
            tracing::warn!(%error, "the clients' processes are not kept over a restart");
        }
    }

    /// In one step: never half of it.
    fn write(&self, kept: &Kept) -> std::io::Result<()> {
        let Some(file) = &self.inner.file else { return Ok(()) };
        let fresh = file.with_extension("fresh");
        let _ = std::fs::remove_file(&fresh);
        let options = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).clone();
        options.open(&fresh)?.write_all(&serde_json::to_vec(kept)?)?;
        std::fs::rename(&fresh, file)
    }

    /// The nearest client among `pid` and its ancestors, for people to read.
    pub async fn above(&self, pid: Option<u32>) -> Option<String> {
        let clients = self.clone();
        let looked = tokio::task::spawn_blocking(move || clients.nearest(&Process::chain(pid?)));
        looked.await.unwrap_or_default()
    }

    pub(super) fn nearest(&self, chain: &[Process]) -> Option<String> {
        let kept = self.kept();
        chain.iter().find_map(|process| {
            let known = kept.known.iter().find(|known| known.is(process))?;
            let Process { name, pid, .. } = process;
            Some(format!("{name} (process {pid}, connected as {})", known.client))
        })
    }

    /// Refuses `what` where `pid` runs below a client.
    pub async fn refuse_below(&self, pid: Option<u32>, what: &str) -> Result<(), ApiError> {
        let Some(client) = self.above(pid).await else { return Ok(()) };
        tracing::warn!(what, client, "refused below a client");
        let told = format!(
            "{what} is for a person, but this command was started by {client}, which is a client \
             of this hub"
        );
        let hint = "Do it on the hub's page, or in a terminal of your own.";
        Err(ApiError::new(ErrorKind::Forbidden, told).hint(hint))
    }
}

impl Known {
    fn is(&self, process: &Process) -> bool {
        (self.pid, self.started) == (process.pid, process.started)
    }
}
