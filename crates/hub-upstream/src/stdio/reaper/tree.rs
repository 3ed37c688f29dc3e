//! Finding and killing all that came of a child: its group, its descendants, and those that
//! left both (they fall to the reaper as orphans and carry the child's mark).
//!
//! One look at `/proc` is no proof: a process that dies hands its children over, and a look in
//! that moment finds them neither below it nor with the reaper. So what was found is killed, its
//! death awaited, and then looked again, until nothing is found.

use super::spawn::MARK;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::process::{
    Pid, PidfdFlags, Signal, getpid, kill_process_group, pidfd_open, pidfd_send_signal,
};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Rounds of looking: a process may fork while it is being killed.
const ROUNDS: usize = 8;
/// How long one round waits for deaths; only a process that hangs in the kernel takes as long.
const DEATH: Duration = Duration::from_millis(250);

/// Kills a child that is not buried yet, its group and everything that came of it. False where
/// something may be left.
pub(super) fn kill(child: Pid, mark: &str) -> bool {
    rounds(|all| {
        let found = all.of(child, mark);
        // Fails where the group is gone. The child is not buried: the number is still its own.
        kill_process_group(child, Signal::KILL).ok();
        found
    })
}

/// Kills everything that carries the mark of a child that is buried.
pub(super) fn kill_marked(mark: &str) -> bool {
    rounds(|all| all.marked(mark))
}

/// Kills every descendant of this process.
pub(super) fn kill_all() -> bool {
    rounds(|all| all.below(getpid().as_raw_pid()))
}

/// Children of this process that are dead and not buried.
pub(super) fn dead_children() -> Vec<Pid> {
    let ours = getpid().as_raw_pid();
    let all = Processes::now().0.into_iter();
    let dead = all.filter(|(_, seen)| seen.dead && seen.parent == ours);
    dead.filter_map(|(pid, _)| Pid::from_raw(pid)).collect()
}

fn rounds(find: impl Fn(&Processes) -> Vec<i32>) -> bool {
    for _ in 0..ROUNDS {
        let all = Processes::now();
        let found = find(&all);
        if found.is_empty() {
            return true;
        }
        let killed: Vec<OwnedFd> = found.iter().filter_map(|pid| all.kill(*pid)).collect();
        if !are_dead(&killed) {
            return false;
        }
    }
    false
}

/// Waits until all of these are dead: their children have been handed over then.
fn are_dead(killed: &[OwnedFd]) -> bool {
    let until = Instant::now() + DEATH;
    killed.iter().all(|handle| {
        let left = until.saturating_duration_since(Instant::now());
        let left = Timespec { tv_sec: 0, tv_nsec: left.subsec_nanos().into() };
        matches!(poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&left)), Ok(1))
    })
}

/// What `/proc` said of a process.
#[derive(Clone, Copy)]
struct Seen {
    parent: i32,
    group: i32,
    /// Dead, not buried.
    dead: bool,
}

/// One look at all processes.
struct Processes(HashMap<i32, Seen>);

impl Processes {
    fn now() -> Self {
        let Ok(entries) = std::fs::read_dir("/proc") else { return Self(HashMap::new()) };
        let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        Self(pids.filter_map(|pid| Some((pid, seen(pid)?))).collect())
    }

    /// The child, what is below it, its group, and what carries its mark.
    fn of(&self, child: Pid, mark: &str) -> Vec<i32> {
        let child = child.as_raw_pid();
        let mut found = self.marked(mark);
        found.extend(
            self.with_all_below(self.living(|pid, seen| pid == child || seen.group == child)),
        );
        found.extend(self.below(child));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Descendants of ours, however far, with this mark, and all that is below them.
    fn marked(&self, mark: &str) -> Vec<i32> {
        let ours = self.below(getpid().as_raw_pid());
        self.with_all_below(ours.into_iter().filter(|pid| has_mark(*pid, mark)).collect())
    }

    fn living(&self, wanted: impl Fn(i32, &Seen) -> bool) -> Vec<i32> {
        let living = self.0.iter().filter(|(pid, seen)| !seen.dead && wanted(**pid, seen));
        living.map(|(pid, _)| *pid).collect()
    }

    fn with_all_below(&self, pids: Vec<i32>) -> Vec<i32> {
        let below: Vec<i32> = pids.iter().flat_map(|pid| self.below(*pid)).collect();
        let mut all = [pids, below].concat();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The living descendants of a process.
    fn below(&self, pid: i32) -> Vec<i32> {
        let mut found = Vec::new();
        let mut level = vec![pid];
        while !level.is_empty() {
            let next = self.0.iter().filter(|(_, seen)| level.contains(&seen.parent));
            let next: Vec<i32> = next.map(|(pid, _)| *pid).collect();
            // The dead are no more to kill, but may still be named as parents.
            found.extend(next.iter().filter(|pid| !self.0[pid].dead));
            level = next;
        }
        found
    }

    /// Sends SIGKILL; the handle on what dies. None where it has gone, also where its number
    /// names another process by now.
    fn kill(&self, pid: i32) -> Option<OwnedFd> {
        let handle = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
        let (before, now) = (self.0.get(&pid)?, seen(pid)?);
        let same = now.parent == before.parent || now.parent == getpid().as_raw_pid();
        let sent = same && pidfd_send_signal(&handle, Signal::KILL).is_ok();
        sent.then_some(handle)
    }
}

fn has_mark(pid: i32, mark: &str) -> bool {
    let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let wanted = format!("{MARK}={mark}");
    environ.split(|&byte| byte == 0).any(|entry| entry == wanted.as_bytes())
}

/// State, parent and group (`proc_pid_stat(5)`, fields 3 to 5; the name before may hold
/// anything).
fn seen(pid: i32) -> Option<Seen> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let dead = matches!(fields.next()?, "Z" | "X");
    Some(Seen { parent: fields.next()?.parse().ok()?, group: fields.next()?.parse().ok()?, dead })
}
