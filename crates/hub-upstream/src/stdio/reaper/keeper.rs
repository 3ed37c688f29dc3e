//! The reaper itself: one thread, one loop. It takes orders from the socket on its standard
//! input and ends when that does.

use super::words::{Order, PACKET_BYTES, Report, say};
use super::{spawn, tree};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitOptions, WaitStatus, getpid,
    kill_process_group, pidfd_open, set_child_subreaper, wait, waitid, waitpid,
};
use std::collections::BTreeMap;
use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::time::Duration;

/// How often orphans are looked after while there are children.
const TICK: Timespec = Timespec { tv_sec: 2, tv_nsec: 0 };
/// What children get after SIGTERM when the hub is gone, in steps.
const LAST_GRACE: Duration = Duration::from_millis(25);
const LAST_STEPS: usize = 40;

struct Kept {
    pid: Pid,
    handle: OwnedFd,
}

#[derive(Default)]
struct Keeper {
    children: BTreeMap<u64, Kept>,
    /// Marks of buried children of which something may be left.
    left: Vec<String>,
}

/// Runs the reaper; returns never. The binary calls it for its hidden command, before it starts
/// threads or reads anything.
pub fn reaper_main() -> ! {
    // Fails only where the kernel has no such thing; then orphans are not ours to end.
    set_child_subreaper(Some(getpid())).ok();
    let mut keeper = Keeper::default();
    while keeper.turn() {}
    keeper.end();
    std::process::exit(0)
}

fn mark(child: u64) -> String {
    format!("{}.{child}", getpid().as_raw_pid())
}

impl Keeper {
    /// Waits for the next thing and handles it; false when the hub is gone.
    fn turn(&mut self) -> bool {
        let hub = rustix::stdio::stdin();
        let mut fds = vec![PollFd::new(&hub, PollFlags::IN)];
        fds.extend(self.children.values().map(|kept| PollFd::new(&kept.handle, PollFlags::IN)));
        let watches = !self.children.is_empty() || !self.left.is_empty();
        let timeout = watches.then_some(&TICK);
        if poll(&mut fds, timeout).is_err() {
            // Interrupted; look again.
            return true;
        }
        let spoken = !fds[0].revents().is_empty();
        drop(fds);
        self.collect();
        self.left.retain(|mark| !tree::kill_marked(mark));
        !spoken || self.obey()
    }

    /// Takes one order; false at the end of the hub.
    fn obey(&mut self) -> bool {
        let mut packet = vec![0; PACKET_BYTES];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut parts = [IoSliceMut::new(&mut packet)];
        let flags = RecvFlags::CMSG_CLOEXEC;
        let bytes = match recvmsg(rustix::stdio::stdin(), &mut parts, &mut control, flags) {
            Ok(message) => message.bytes,
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => return true,
            Err(_) => return false,
        };
        if bytes == 0 {
            return false;
        }
        let fds: Vec<OwnedFd> = control
            .drain()
            .filter_map(|message| match message {
                RecvAncillaryMessage::ScmRights(fds) => Some(fds),
                _ => None,
            })
            .flatten()
            .collect();
        match serde_json::from_slice(&packet[..bytes]) {
            Ok(order) => self.carry_out(order, fds),
            // Both sides are one binary; a packet that cannot be read was cut.
            Err(_) => return false,
        }
        true
    }

    fn carry_out(&mut self, order: Order, fds: Vec<OwnedFd>) {
        match order {
            Order::Start { child, command, args, env, cwd } => {
                let started = <[OwnedFd; 3]>::try_from(fds)
                    .map_err(|_| std::io::Error::other("its streams did not arrive"))
                    .and_then(|fds| {
                        let cwd = cwd.as_deref();
                        spawn::spawn(&command, &args, &env, cwd, &mark(child), fds)
                    })
                    .and_then(|pid| self.keep(child, pid));
                report(&match started {
                    Ok(pid) => Report::Started { child, pid },
                    Err(error) => {
                        let (errno, why) = (error.raw_os_error(), error.to_string());
                        Report::Failed { child, errno, why }
                    }
                });
            }
            Order::AskToEnd { child } => {
                if let Some(kept) = self.children.get(&child) {
                    kill_process_group(kept.pid, Signal::TERM).ok();
                }
            }
            Order::Kill { child } => {
                if let Some(kept) = self.children.get(&child) {
                    tree::kill(kept.pid, &mark(child));
                }
            }
        }
    }

    fn keep(&mut self, child: u64, pid: u32) -> std::io::Result<i32> {
        let raw = pid as i32;
        let pid = Pid::from_raw(raw).ok_or_else(|| std::io::Error::other("no process id"))?;
        let handle = pidfd_open(pid, PidfdFlags::empty())?;
        self.children.insert(child, Kept { pid, handle });
        Ok(raw)
    }

    /// Buries what has ended: our children (what came of them ends first) and orphans.
    fn collect(&mut self) {
        let has_ended = |who| {
            let peek = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            matches!(waitid(who, peek), Ok(Some(_)))
        };
        while has_ended(WaitId::All) {
            let ours = self.children.iter().filter(|(_, kept)| has_ended(WaitId::Pid(kept.pid)));
            let ended: Vec<(u64, Pid)> = ours.map(|(child, kept)| (*child, kept.pid)).collect();
            let mut buried = ended.len();
            for (child, pid) in ended {
                // Not buried yet: its number still names the dead, so the group is its own.
                let whole = tree::kill(pid, &mark(child));
                let status = waitpid(Some(pid), WaitOptions::NOHANG);
                self.buried(child, status.ok().flatten().map(|(_, status)| status), whole);
            }
            // A child of ours that has ended since stays for the next round.
            for pid in tree::dead_children() {
                let orphan = self.children.values().all(|kept| kept.pid != pid);
                buried += usize::from(orphan && waitpid(Some(pid), WaitOptions::NOHANG).is_ok());
            }
            if buried == 0 {
                // Without `/proc` nobody can be told apart; they stay.
                break;
            }
        }
    }

    fn buried(&mut self, child: u64, status: Option<WaitStatus>, whole: bool) {
        self.children.remove(&child);
        if !whole {
            self.left.push(mark(child));
        }
        report(&Report::Ended { child, how: how(status) });
    }

    /// The hub is gone: so is everything else, soon.
    fn end(&mut self) {
        for kept in self.children.values() {
            kill_process_group(kept.pid, Signal::TERM).ok();
        }
        for _ in 0..LAST_STEPS {
            self.collect();
            if self.children.is_empty() {
                break;
            }
            std::thread::sleep(LAST_GRACE);
        }
        for (child, kept) in &self.children {
            tree::kill(kept.pid, &mark(*child));
        }
        // Each death may bring new orphans; there are none left when there is nothing to wait for.
        for _ in 0..LAST_STEPS {
            tree::kill_all();
            match wait(WaitOptions::NOHANG) {
                Err(_) => return,
                Ok(Some(_)) => {}
                Ok(None) => std::thread::sleep(LAST_GRACE),
            }
        }
    }
}

fn how(status: Option<WaitStatus>) -> String {
    let status = status.map(|s| (s.exit_status(), s.terminating_signal()));
    match status {
        Some((Some(code), _)) => format!("exit status: {code}"),
        Some((_, Some(signal))) => format!("signal: {signal}"),
        _ => "unknown end".to_owned(),
    }
}

fn report(report: &Report) {
    // Fails where the hub is gone; the next turn sees that.
    say(rustix::stdio::stdin(), report).ok();
}
