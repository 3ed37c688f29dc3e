//! Who started this process, and whether one of them is a client of this hub.
//!
//! A client is a process that started a `hub stdio` pipe, or that has a connection to the hub's
//! port. Both are looked up in `/proc`; where there is none, nobody is found and the record
//! says so.

use super::process::{Process, connected_to};
use crate::folder::Folder;

/// Ancestors that are looked at.
const GENERATIONS: usize = 64;

/// This process's ancestors, the parent first, without the first process of the system.
pub fn of_this_process() -> Vec<Process> {
    let mut chain = Vec::new();
    let mut next = Process::read(std::process::id()).map(|p| p.parent);
    while let Some(process) = next.filter(|&pid| pid > 1).and_then(Process::read) {
        next = Some(process.parent);
        chain.push(process);
        if chain.len() == GENERATIONS {
            break;
        }
    }
    chain
}

/// For the record: `zsh 812, tmux 401`.
pub fn describe(chain: &[Process]) -> String {
    if chain.is_empty() {
        return "ancestors unknown".to_owned();
    }
    chain.iter().map(|p| format!("{} {}", p.name, p.pid)).collect::<Vec<_>>().join(", ")
}

/// The nearest ancestor that is a client of the hub in `folder`.
pub fn first_client(chain: &[Process], folder: &Folder) -> Option<String> {
    let pipes = pipe_owners(&Process::all());
    let connected = connections(folder);
    let client = chain.iter().find(|ancestor| {
        let speaks = || ancestor.sockets().iter().any(|inode| connected.contains(inode));
        pipes.contains(&ancestor.pid) || speaks()
    })?;
    Some(format!("{} (process {})", client.name, client.pid))
}

/// Who started the pipes: the parent, or where that only wraps the pipe's command, its parent.
pub fn pipe_owners(all: &[Process]) -> Vec<u32> {
    let find = |pid: u32| all.iter().find(|p| p.pid == pid);
    let owner = |pipe: &Process| {
        let mut parent = find(pipe.parent)?;
        while parent.is_pipe() || parent.command.iter().any(|a| a.contains("hub stdio")) {
            parent = find(parent.parent)?;
        }
        Some(parent.pid)
    };
    all.iter().filter(|p| p.is_pipe()).filter_map(owner).filter(|&pid| pid > 1).collect()
}

/// Inodes of sockets that lead to the hub's port.
fn connections(folder: &Folder) -> Vec<u64> {
    let Ok(port) = std::fs::read_to_string(folder.port()) else { return Vec::new() };
    let Ok(port) = port.trim().parse() else { return Vec::new() };
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(std::fs::read_to_string);
    connected_to(port, &tables.into_iter().flatten().collect::<Vec<_>>())
}
