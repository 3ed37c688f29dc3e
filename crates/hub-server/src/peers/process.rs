//! What the system tells about processes: `/proc`, where there is one.

use std::path::{Path, PathBuf};

/// Ancestors that are looked at.
const GENERATIONS: usize = 64;

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// Its parent's.
    pub parent: u32,
    /// When it was started, in ticks since the system's start: a number that is used again
    /// belongs to another process.
    pub started: u64,
    /// Its short name.
    pub name: String,
    /// Its command line.
    pub command: Vec<String>,
}

impl Process {
    /// The process `pid`, as far as this user may look.
    pub fn read(pid: u32) -> Option<Self> {
        let stat = std::fs::read_to_string(folder(pid).join("stat")).ok()?;
        let command = std::fs::read(folder(pid).join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command);
        let command = command.split_terminator('\0').map(str::to_owned).collect();
        Self::parse(pid, &stat, command)
    }

    /// From the text of `stat` (proc_pid_stat(5)): the name stands in parentheses and may hold
    /// some itself.
    pub(super) fn parse(pid: u32, stat: &str, command: Vec<String>) -> Option<Self> {
        let (head, tail) = stat.rsplit_once(')')?;
        let name = head.split_once('(')?.1.to_owned();
        let fields: Vec<&str> = tail.split_whitespace().collect();
        // State is the third field of all, the parent the fourth, the start the 22nd.
        let parent = fields.get(1)?.parse().ok()?;
        let started = fields.get(19)?.parse().ok()?;
        Some(Self { pid, parent, started, name, command })
    }

    /// The numbers of all processes.
    pub(super) fn all() -> Vec<u32> {
        let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
        entries.filter_map(|e| e.ok()?.file_name().to_str()?.parse().ok()).collect()
    }

    /// `pid` and its ancestors, the nearest first, without the first process of the system.
    pub fn chain(pid: u32) -> Vec<Self> {
        let mut chain: Vec<Self> = Vec::new();
        let mut next = Some(pid);
        while let Some(process) = next.filter(|&pid| pid > 1).and_then(Self::read) {
            next = Some(process.parent);
            chain.push(process);
            if chain.len() == GENERATIONS {
                break;
            }
        }
        chain
    }

    /// Whether it is the pipe of a client, or only wraps one.
    pub(super) fn carries_pipe(&self) -> bool {
        self.command.windows(2).any(|w| w[0] == "hub" && w[1] == "stdio")
            || self.command.iter().any(|a| a.contains("hub stdio"))
    }

    /// The nearest of `chain` that is more than a pipe: whoever started the pipe.
    pub(super) fn owner(chain: &[Self]) -> Option<&Self> {
        chain.iter().find(|process| !process.carries_pipe())
    }
}

/// Whether `pid` has one of these sockets open.
pub(super) fn holds(pid: u32, inodes: &[u64]) -> bool {
    let Ok(entries) = std::fs::read_dir(folder(pid).join("fd")) else { return false };
    let mut links = entries.filter_map(|e| std::fs::read_link(e.ok()?.path()).ok());
    links.any(|link| {
        let inode = || link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok();
        inode().is_some_and(|inode: u64| inodes.contains(&inode))
    })
}

fn folder(pid: u32) -> PathBuf {
    Path::new("/proc").join(pid.to_string())
}
