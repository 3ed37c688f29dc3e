//! The processes that are clients of this hub.

use super::process::{Line, Process, holds};
use super::sockets;
use crate::error::{ApiError, ErrorKind};
use hub_core::id::KeyId;
use hub_core::limits::CLIENT_PROCESSES;
use hub_core::owner::ClientKey;
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
    key: KeyId,
}

/// What is above a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Above {
    /// No client that the hub knows.
    Nobody,
    /// This one, the nearest.
    Client {
        /// For people to read.
        told: String,
        /// The key that it showed last.
        key: KeyId,
    },
    /// It cannot be told, on a system where it can be told of the hub itself.
    Unseen,
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
    pub async fn connected(&self, near: SocketAddr, far: SocketAddr, key: &ClientKey) {
        let (clients, key) = (self.clone(), key.clone());
        let looked = tokio::task::spawn_blocking(move || clients.look(near, far, &key));
        // Cut off only where the hub ends.
        let _ = looked.await;
    }

    fn look(&self, near: SocketAddr, far: SocketAddr, key: &ClientKey) {
        let inodes = sockets::inodes(near, far);
        if inodes.is_empty() {
            return;
        }
        let mut kept = self.kept();
        // The hub itself is no client: below it run its sources.
        if holds(std::process::id(), &inodes) {
            return;
        }
        // Most connections come from a process that has had one before.
        let before = kept.known.iter().filter_map(|known| known.there());
        let before = before.filter(|process| holds(process.pid, &inodes));
        let mut found: Vec<Process> = before.collect();
        if found.is_empty() {
            let holding = Process::all().into_iter().filter(|&pid| holds(pid, &inodes));
            let lines = holding.map(Process::chain).filter(|chain| !chain.is_empty());
            // A tunnel's end is a house, and nobody here is the client.
            let lines = lines.filter(|chain| !chain[0].is_house());
            found = lines.flat_map(|chain| with_application(&chain, 1)).collect();
        }
        self.add(&mut kept, found, key);
    }

    /// The process `pid` speaks through `mcp.sock`: it is a client, and so is whoever started it
    /// where it is only a pipe.
    pub async fn piped(&self, pid: Option<u32>, key: &ClientKey) {
        let Some(pid) = pid else { return };
        let (clients, key) = (self.clone(), key.clone());
        let looked = tokio::task::spawn_blocking(move || {
            let chain = Process::chain(pid);
            let mut found = with_application(&chain, Process::behind_pipe(&chain).len());
            found.retain(|process| process.pid != std::process::id());
            clients.add(&mut clients.kept(), found, &key);
        });
        // As above.
        let _ = looked.await;
    }

    fn add(&self, kept: &mut Kept, found: Vec<Process>, key: &ClientKey) {
        let mut is_news = false;
        for process in found {
            let (pid, started) = (process.pid, process.started);
            let there = kept.known.iter_mut().find(|k| (k.pid, k.started) == (pid, started));
            let client = key.client.clone();
            let known = Known { pid, started, client, key: key.id.clone() };
            match there {
                Some(there) if *there == known => continue,
                Some(there) => *there = known,
                None => {
                    tracing::info!(key.client, pid, process = process.name, "a client's process");
                    kept.known.push(known);
                }
            }
            is_news = true;
        }
        if !is_news {
            return;
        }
        kept.known.retain(|known| known.there().is_some());
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

    /// The nearest client among `pid` and its ancestors.
    pub async fn above(&self, pid: Option<u32>) -> Above {
        let clients = self.clone();
        let looked = tokio::task::spawn_blocking(move || {
            let peer = pid.map(Process::line).unwrap_or_default();
            clients.judge(&Process::line(std::process::id()), &peer)
        });
        looked.await.unwrap_or(Above::Unseen)
    }

    /// The same, where the hub's own line is `own` and that of whoever asks is `peer`.
    pub(super) fn judge(&self, own: &Line, peer: &Line) -> Above {
        let kept = self.kept();
        let mut known = peer.chain.iter().filter_map(|process| {
            let known = kept.known.iter().find(|known| known.is(process))?;
            let Process { name, pid, .. } = process;
            let told = format!("{name} (process {pid}, connected as {})", known.client);
            Some(Above::Client { told, key: known.key.clone() })
        });
        let hides = own.whole && !peer.whole || !own.chain.is_empty() && peer.chain.is_empty();
        known.next().unwrap_or(if hides { Above::Unseen } else { Above::Nobody })
    }

    /// Refuses `what` where `pid` runs below a client, and where that cannot be told.
    pub async fn refuse_below(&self, pid: Option<u32>, what: &str) -> Result<(), ApiError> {
        match self.above(pid).await {
            Above::Nobody => Ok(()),
            Above::Unseen => Err(unseen(what)),
            Above::Client { told, .. } => {
                tracing::warn!(what, client = told, "refused below a client");
                let told = format!(
                    "{what} is for a person, but this command was started by {told}, which is a \
                     client of this hub"
                );
                Err(ApiError::new(ErrorKind::Forbidden, told).hint(
                    "If you are that person: open a terminal window that this program did not \
                     start (an editor's own terminal belongs to the editor) and run the command \
                     again there, or decide on the hub's page.",
                ))
            }
        }
    }
}

/// The refusal where nobody can tell who asks.
pub fn unseen(what: &str) -> ApiError {
    tracing::warn!(what, "refused: the process that asks cannot be seen");
    let told = format!("{what} is for a person, but the hub cannot see which process asks for it");
    ApiError::new(ErrorKind::Forbidden, told).hint(
        "Run the command where the hub runs, outside any container or namespace of its own, and \
         let it run until it is answered; or decide on the hub's page.",
    )
}

/// The first `count` of a chain, and the ancestors that are the same application as the last of
/// these.
fn with_application(chain: &[Process], count: usize) -> Vec<Process> {
    let (own, above) = chain.split_at(count.min(chain.len()));
    let program = own.last().and_then(Process::program);
    let same = Process::same_application(program.as_deref(), above.iter().map(Process::program));
    chain[..own.len() + same].to_vec()
}

impl Known {
    fn is(&self, process: &Process) -> bool {
        (self.pid, self.started) == (process.pid, process.started)
    }

    /// Its process, where it still lives.
    fn there(&self) -> Option<Process> {
        Process::read(self.pid).filter(|process| self.is(process))
    }
}
