//! The zygote: one small process with one thread that holds a guest with the prelude loaded and
//! forks a fresh worker for each program. It ends when the hub is gone, and its workers with it.

use super::confine::{self, Confinement, Doors};
use super::{child, memory, probe, sys};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::{Errno, IoSlice};
use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
};
use rustix::process::{Pid, PidfdFlags};
use std::mem::MaybeUninit;

/// Answer to an order for a worker that could not be made.
pub const NONE: u32 = 0;

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
    sys::forget_children();
    if rustix::net::send(control, &hello, SendFlags::NOSIGNAL).is_err() || !found.is_offered() {
        sys::end();
    }
    loop {
        let mut order = [0];
        match rustix::io::read(control, &mut order) {
            Ok(1) => {}
            Err(Errno::INTR) => continue,
            _ => sys::end(),
        }
        let answered = match worker() {
            Ok(Made::Child) => {
                if doors.close().is_err() {
                    sys::end();
                }
                child::serve(vm)
            }
            Ok(Made::Worker { pid, socket, handle }) => {
                answer(pid.as_raw_nonzero().get().unsigned_abs(), &[socket, handle])
            }
            Err(_) => answer(NONE, &[]),
        };
        if answered.is_err() {
            sys::end();
        }
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
    rustix::net::sendmsg(hub, &bytes, &mut control, SendFlags::NOSIGNAL).map(drop)
}
