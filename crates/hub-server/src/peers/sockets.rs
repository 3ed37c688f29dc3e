//! Which socket stands at the far end of a loopback connection.

use rustix::process::geteuid;
use std::net::SocketAddr;

/// Inodes of this user's sockets that lead from `far` to `near`, from the system's tables.
pub fn inodes(near: SocketAddr, far: SocketAddr) -> Vec<u64> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(std::fs::read_to_string);
    let tables: Vec<String> = tables.into_iter().flatten().collect();
    find(&tables, far.port(), near.port(), geteuid().as_raw())
}

/// The same from the texts of the tables (proc_pid_net(5)), by both ports: on the loopbacks
/// they tell a connection, and each address has several spellings there.
pub(super) fn find(tables: &[String], local: u16, remote: u16, user: u32) -> Vec<u64> {
    let (local, remote) = (format!(":{local:04X}"), format!(":{remote:04X}"));
    let rows = tables.iter().flat_map(|table| table.lines().skip(1));
    let inode = |row: &str| {
        let fields: Vec<&str> = row.split_whitespace().collect();
        let is_it = fields.get(1)?.ends_with(&local) && fields.get(2)?.ends_with(&remote);
        let is_ours = fields.get(7)?.parse() == Ok(user);
        let inode: u64 = fields.get(9)?.parse().ok()?;
        // Nobody holds a connection that is closing any more.
        (is_it && is_ours && inode != 0).then_some(inode)
    };
    rows.filter_map(inode).collect()
}
