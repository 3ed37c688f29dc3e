//! The zygote: one small process with one thread that holds a guest with the prelude loaded and
//! forks a fresh worker for each program. It ends when the hub is gone, and its workers with it.

use super::confine::{self, Confinement, Doors};
use super::pool::Ended;
use super::{child, memory, probe, sys};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::{Errno, IoSlice, retry_on_intr};
use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
};
use rustix::process::{Pid, PidfdFlags};
use std::collections::VecDeque;
use std::mem::MaybeUninit;

/// Answer to an order for a worker that could not be made.
const NONE: u32 = 0;
/// Bytes of the answer to how a worker ended.
pub const ENDED: usize = 16;
/// Ends that are remembered until somebody asks.
const REMEMBERED: usize = 256;

/// What the hub orders of a zygote, as bytes: what, and about which worker.
pub mod ask {
    use super::super::pool::Ended;
    use super::{ENDED, Pid};
    use std::time::Duration;

    /// Bytes of an order.
    pub const LENGTH: usize = 8;
    /// Make a worker.
    pub const WORKER: u32 = 1;
    /// Say how a worker ended.
    pub const HOW_ENDED: u32 = 2;
    /// The answer is known.
    pub const KNOWN: u32 = 1;

    /// The order for a worker.
    pub fn worker() -> [u8; LENGTH] {
        order(WORKER, 0)
    }

    /// The question how a worker ended.
    pub fn ended(pid: Pid) -> [u8; LENGTH] {
        order(HOW_ENDED, pid.as_raw_nonzero().get())
    }

    fn order(what: u32, pid: i32) -> [u8; LENGTH] {
        let mut order = [0; LENGTH];
        order[..4].copy_from_slice(&what.to_le_bytes());
        order[4..].copy_from_slice(&pid.to_le_bytes());
        order
    }

    /// What and about whom.
    pub fn read(order: [u8; LENGTH]) -> (u32, i32) {
        let [a, b, c, d, e, f, g, h] = order;
        (u32::from_le_bytes([a, b, c, d]), i32::from_le_bytes([e, f, g, h]))
    }

    /// How a worker ended, to be told.
    pub fn write_ended(ended: Option<Ended>) -> [u8; ENDED] {
        let mut answer = [0; ENDED];
        if let Some(ended) = ended {
            let micros = u64::try_from(ended.cpu.as_micros()).unwrap_or(u64::MAX);
            answer[..4].copy_from_slice(&KNOWN.to_le_bytes());
            answer[4..8].copy_from_slice(&ended.signal.unwrap_or(0).to_le_bytes());
            answer[8..].copy_from_slice(&micros.to_le_bytes());
        }
        answer
    }

    /// What was told; none where the zygote does not know.
    pub fn read_ended(answer: &[u8; ENDED]) -> Option<Ended> {
        let (what, rest) = answer.split_first_chunk::<4>()?;
        let (signal, micros) = rest.split_first_chunk::<4>()?;
        let signal = i32::from_le_bytes(*signal);
        let cpu = Duration::from_micros(u64::from_le_bytes(micros.try_into().ok()?));
        (u32::from_le_bytes(*what) == KNOWN)
            .then_some(Ended { signal: (signal != 0).then_some(signal), cpu })
    }
}

/// The program of a worker: the zygote, or with `probe` behind it the test of what confines it.
/// Called before anything else of the program, while it has one thread.
pub fn worker_main(arguments: &[String]) -> ! {
    if !memory::count() {
        refuse("the program does not count its memory");
    }
    sys::settle_time_zone();
    match arguments {
        [] => serve(),
        [probe] if probe == "probe" => probe::run(),
        _ => refuse("takes no arguments"),
    }
}

fn refuse(why: &str) -> ! {
    eprintln!("sandbox worker: {why}");
    sys::end()
}

fn serve() -> ! {
    let control = rustix::stdio::stdin();
    sys::catch_faults();
    let vm = match child::guest() {
        Ok(vm) => vm,
        Err(why) => refuse(&why),
    };
    std::panic::set_hook(Box::new(|_| sys::end_by(super::wire::fault::CRASH)));
    let (doors, found) = confine::zygote();
    let found = tried(&doors, found);
    let hello = serde_json::to_vec(&found).unwrap_or_default();
    sys::outlive_signals();
    let mut ends = VecDeque::new();
    if rustix::net::send(control, &hello, SendFlags::NOSIGNAL).is_err() || !found.is_offered() {
        sys::end();
    }
    loop {
        // Each worker that ends interrupts the wait, so that none stays a zombie for long.
        reap(&mut ends);
        let mut order = [0; ask::LENGTH];
        match rustix::io::read(control, &mut order) {
            Ok(ask::LENGTH) => {}
            Err(Errno::INTR) => continue,
            _ => sys::end(),
        }
        let answered = match ask::read(order) {
            (ask::WORKER, _) => match worker() {
                Ok(Made::Child) => {
                    if doors.close().is_err() {
                        sys::end();
                    }
                    child::serve(vm)
                }
                Ok(Made::Worker { pid, socket, handle }) => {
                    // A worker that cannot be handed over ends with its socket.
                    answer(pid.as_raw_nonzero().get().unsigned_abs(), &[socket, handle])
                        .or_else(|_| answer(NONE, &[]))
                }
                Err(_) => answer(NONE, &[]),
            },
            (ask::HOW_ENDED, pid) => {
                reap(&mut ends);
                let found = ends.iter().rev().find(|(ended, _)| *ended == pid);
                let told = ask::write_ended(found.map(|(_, ended)| *ended));
                // A worker that ends meanwhile interrupts this too.
                retry_on_intr(|| rustix::net::send(control, &told, SendFlags::NOSIGNAL)).map(drop)
            }
            _ => sys::end(),
        };
        if answered.is_err() {
            sys::end();
        }
    }
}

/// Takes in who has ended, and remembers how.
fn reap(ends: &mut VecDeque<(i32, Ended)>) {
    while let Some(ended) = sys::ended_child() {
        if ends.len() == REMEMBERED {
            ends.pop_front();
        }
        ends.push_back(ended);
    }
}

/// Tries the filter before it is trusted: a harmless call passes, any other is the end.
fn tried(doors: &Doors, mut found: Confinement) -> Confinement {
    if found.is_offered() {
        let right = probe::ends_well(doors) && probe::ends_at_the_filter(doors);
        if !right {
            found.filter_does_not_hold();
        }
    }
    found
}

enum Made {
    Child,
    Worker { pid: Pid, socket: OwnedFd, handle: OwnedFd },
}

fn worker() -> Result<Made, Errno> {
    let (hubs, workers) = rustix::net::socketpair(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    match sys::fork()? {
        sys::Forked::Child => {
            if sys::keep_only(&workers).is_err() {
                sys::end();
            }
            // Both were closed with all the others.
            std::mem::forget((hubs, workers));
            Ok(Made::Child)
        }
        sys::Forked::Parent(pid) => {
            let handle = rustix::process::pidfd_open(pid, PidfdFlags::empty())?;
            Ok(Made::Worker { pid, socket: hubs, handle })
        }
    }
}

fn answer(pid: u32, descriptors: &[OwnedFd]) -> Result<(), Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let given: Vec<_> = descriptors.iter().map(AsFd::as_fd).collect();
    if !given.is_empty() && !control.push(SendAncillaryMessage::ScmRights(&given)) {
        return Err(Errno::NOBUFS);
    }
    let bytes = pid.to_le_bytes();
    let bytes = [IoSlice::new(&bytes)];
    let hub = rustix::stdio::stdin();
    let send = || rustix::net::sendmsg(hub, &bytes, &mut control, SendFlags::NOSIGNAL);
    retry_on_intr(send).map(drop)
}
