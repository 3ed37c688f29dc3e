//! What the system tells about processes: `/proc`, where there is one.

use std::path::Path;

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// Its parent's.
    pub parent: u32,
    /// Its short name.
    pub name: String,
    /// Its command line.
    pub command: Vec<String>,
}

impl Process {
    /// The process `pid`, as far as this user may look.
    pub fn read(pid: u32) -> Option<Self> {
        let folder = Path::new("/proc").join(pid.to_string());
        let status = std::fs::read_to_string(folder.join("status")).ok()?;
        let field = |name: &str| {
            let line = status.lines().find(|l| l.starts_with(name))?;
            Some(line[name.len()..].trim().to_owned())
        };
        let command = std::fs::read(folder.join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command);
        Some(Self {
            pid,
            parent: field("PPid:")?.parse().ok()?,
            name: field("Name:")?,
            command: command.split_terminator('\0').map(str::to_owned).collect(),
        })
    }

    /// All processes.
    pub fn all() -> Vec<Self> {
        let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
        let pids = entries.filter_map(|e| e.ok()?.file_name().to_str()?.parse().ok());
        pids.filter_map(Self::read).collect()
    }

    /// Inodes of the sockets it has open.
    pub fn sockets(&self) -> Vec<u64> {
        let folder = Path::new("/proc").join(self.pid.to_string()).join("fd");
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let links = entries.filter_map(|e| std::fs::read_link(e.ok()?.path()).ok());
        links
            .filter_map(|link| {
                link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
            })
            .collect()
    }

    /// Whether it is a pipe of this program towards a hub.
    pub fn is_pipe(&self) -> bool {
        self.command.windows(2).any(|w| w[0] == "hub" && w[1] == "stdio")
    }
}

/// Inodes of TCP sockets that are connected to `port` of a loopback, from `/proc/net/tcp` and
/// `/proc/net/tcp6` texts.
pub fn connected_to(port: u16, tables: &[String]) -> Vec<u64> {
    let ends_with = format!(":{port:04X}");
    let rows = tables.iter().flat_map(|t| t.lines().skip(1));
    rows.filter_map(|row| {
        let fields: Vec<&str> = row.split_whitespace().collect();
        let remote = fields.get(2)?;
        remote.ends_with(&ends_with).then(|| fields.get(9)?.parse().ok())?
    })
    .collect()
}
