//! What the system tells about processes: `/proc`, where there is one.

use std::path::{Path, PathBuf};

/// Ancestors that are looked at.
const GENERATIONS: usize = 64;
/// Times that a chain is read until it is whole.
const TRIES: usize = 3;
/// Programs that run other programs' lines, and that people sit at.
const SHELLS: [&str; 9] = ["sh", "bash", "dash", "zsh", "fish", "ksh", "ash", "busybox", "tmux"];
/// Names of processes that start sessions and take in orphans.
const HOUSES: [&str; 12] = [
    "systemd",
    "init",
    "launchd",
    "tini",
    "dumb-init",
    "docker-init",
    "catatonit",
    "s6-svscan",
    "runsvdir",
    "login",
    "sshd",
    "sshd-session",
];

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

    /// `pid` and its ancestors, the nearest first, as far as they can be read.
    pub fn chain(pid: u32) -> Vec<Self> {
        Self::line(pid).chain
    }

    /// Whether all of its ancestors can be read.
    pub fn is_placed(pid: u32) -> bool {
        Self::line(pid).whole
    }

    /// `pid` and its ancestors, and whether that is all of them.
    pub(super) fn line(pid: u32) -> Line {
        let read = || Line::read(pid);
        // A parent may end while it is looked for; then the child has another.
        (1..TRIES).map(|_| read()).find(|line| line.whole).unwrap_or_else(read)
    }

    /// The file that it runs.
    pub(super) fn program(&self) -> Option<PathBuf> {
        let file = std::fs::read_link(folder(self.pid).join("exe")).ok()?;
        // So it is called once its package was updated.
        let text = file.to_str()?;
        Some(PathBuf::from(text.strip_suffix(" (deleted)").unwrap_or(text)))
    }

    /// Whether it is the pipe of a client, or only wraps one: the pipe's words stand among its
    /// own, or it is a shell that was given a line with them. Another program may have them
    /// inside a text, such as an agent in its prompt.
    fn carries_pipe(&self) -> bool {
        let is_pipe = |words: &[String]| words[0] == "hub" && words[1] == "stdio";
        let is_option = |word: &String| word.starts_with('-') && word.ends_with('c');
        let first = self.command.first().map_or("", |word| file_name(word));
        self.command.windows(2).any(is_pipe)
            || SHELLS.contains(&first)
                && self.command.iter().any(is_option)
                && self.command.iter().any(|word| word.contains("hub stdio"))
    }

    /// Whether all kinds of programs run below it, and whatever lost its parent: one that a
    /// client started may stand there, and it is no client for that.
    pub(super) fn is_house(&self) -> bool {
        HOUSES.contains(&self.name.as_str())
    }

    /// Of the chain above a pipe, what belongs to the client: the pipe, what wraps it, and
    /// whoever started that. Nobody did where the system took the pipe in.
    pub(super) fn behind_pipe(chain: &[Self]) -> &[Self] {
        let wraps = chain.iter().skip(1).take_while(|process| process.carries_pipe()).count();
        let pipe = (1 + wraps).min(chain.len());
        let owner = chain.get(pipe).filter(|process| !process.is_house());
        &chain[..pipe + usize::from(owner.is_some())]
    }

    /// How many of `above`, the ancestors of a process that runs `program`, the nearest first,
    /// are the same application: an editor speaks MCP in one of its processes and has its
    /// terminals in another, and both are below the first. A shell below a shell is none.
    pub(super) fn same_application(
        program: Option<&Path>,
        above: impl Iterator<Item = Option<PathBuf>>,
    ) -> usize {
        let name = |path: &Path| path.file_name()?.to_str().map(str::to_owned);
        let Some(program) = program else { return 0 };
        if name(program).is_none_or(|name| SHELLS.contains(&name.as_str())) {
            return 0;
        }
        above.take_while(|found| found.as_deref() == Some(program)).count()
    }
}

/// A process and its ancestors.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// The nearest first.
    pub chain: Vec<Process>,
    /// Whether the last of them has no parent that this system knows.
    pub whole: bool,
}

impl Line {
    fn read(pid: u32) -> Self {
        let (mut chain, mut next) = (Vec::new(), pid);
        while chain.len() < GENERATIONS && next != 0 {
            let Some(process) = Process::read(next) else { break };
            next = process.parent;
            chain.push(process);
        }
        let whole = next == 0 && !chain.is_empty();
        Self { chain, whole }
    }
}

/// The last part of a path; a login shell has a dash before its name.
fn file_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or_default().trim_start_matches('-')
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
