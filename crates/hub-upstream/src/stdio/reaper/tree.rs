//! Finding and killing all that came of a child: its group, its descendants, and those that
//! left both (they fall to the reaper as orphans and carry the child's mark).

use super::spawn::MARK;
use rustix::process::{
    Pid, PidfdFlags, Signal, getpid, kill_process_group, pidfd_open, pidfd_send_signal,
};
use std::collections::HashMap;

/// Rounds of looking: a process may fork while it is being killed.
const ROUNDS: usize = 8;

/// Kills a child's group and everything that came of it.
pub(super) fn kill(child: Pid, mark: &str) {
    // Fails where the group is gone.
    kill_process_group(child, Signal::KILL).ok();
    for _ in 0..ROUNDS {
        if kill_each(&of(child, mark)) == 0 {
            return;
        }
    }
}

/// Kills every descendant of this process.
pub(super) fn kill_all() {
    for _ in 0..ROUNDS {
        if kill_each(&descendants(getpid(), &parents())) == 0 {
            return;
        }
    }
}

fn kill_each(pids: &[Pid]) -> usize {
    let sent = |pid: &&Pid| {
        pidfd_open(**pid, PidfdFlags::empty())
            .and_then(|handle| pidfd_send_signal(handle, Signal::KILL))
            .is_ok()
    };
    pids.iter().filter(sent).count()
}

/// Descendants of `child`, and orphans of ours with its mark and their descendants.
fn of(child: Pid, mark: &str) -> Vec<Pid> {
    let parents = parents();
    let mut found = descendants(child, &parents);
    let orphans = parents.iter().filter(|(_, parent)| **parent == getpid().as_raw_pid());
    for (&pid, _) in orphans {
        let Some(pid) = Pid::from_raw(pid).filter(|pid| *pid != child) else { continue };
        if has_mark(pid, mark) {
            found.push(pid);
            found.extend(descendants(pid, &parents));
        }
    }
    found
}

fn has_mark(pid: Pid, mark: &str) -> bool {
    let environ = std::fs::read(format!("/proc/{}/environ", pid.as_raw_pid())).unwrap_or_default();
    let wanted = format!("{MARK}={mark}");
    environ.split(|&byte| byte == 0).any(|entry| entry == wanted.as_bytes())
}

fn descendants(of: Pid, parents: &HashMap<i32, i32>) -> Vec<Pid> {
    let mut found = Vec::new();
    let mut level = vec![of.as_raw_pid()];
    while !level.is_empty() {
        let next = parents.iter().filter(|(_, parent)| level.contains(parent));
        level = next.map(|(pid, _)| *pid).collect();
        // A zombie is dead already; it would count as killed for ever.
        found
            .extend(level.iter().copied().filter(|pid| !is_zombie(*pid)).filter_map(Pid::from_raw));
    }
    found
}

/// The parent of every process.
fn parents() -> HashMap<i32, i32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return HashMap::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|pid| Some((pid, stat(pid)?.1)))
        .collect()
}

fn is_zombie(pid: i32) -> bool {
    stat(pid).is_none_or(|(state, _)| state == "Z" || state == "X")
}

/// State and parent (`proc_pid_stat(5)`, fields 3 and 4; the name before may hold anything).
fn stat(pid: i32) -> Option<(String, i32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}
