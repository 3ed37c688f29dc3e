//! What hub and reaper say to each other: one JSON text per packet.

use rustix::fd::BorrowedFd;
use rustix::io::Errno;
use rustix::net::{SendFlags, send};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Bytes of one packet; a command line with its environment must fit.
pub(super) const PACKET_BYTES: usize = 128 << 10;

/// From the hub.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Order {
    /// Start this; its three streams come with the packet.
    Start {
        child: u64,
        command: String,
        args: Vec<String>,
        env: BTreeMap<String, String>,
        cwd: Option<String>,
    },
    /// SIGTERM to its group.
    AskToEnd { child: u64 },
    /// Kill it and all that came of it.
    Kill { child: u64 },
}

/// From the reaper.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Report {
    Started {
        child: u64,
        pid: i32,
    },
    /// It could not be started; `errno` where the system said why.
    Failed {
        child: u64,
        errno: Option<i32>,
        why: String,
    },
    Ended {
        child: u64,
        how: String,
    },
}

/// Sends one packet.
pub(super) fn say(to: BorrowedFd<'_>, word: &impl Serialize) -> Result<(), Errno> {
    let packet = serde_json::to_vec(word).map_err(|_| Errno::INVAL)?;
    send(to, &packet, SendFlags::NOSIGNAL).map(drop)
}
