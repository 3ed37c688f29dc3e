//! Driver B alone: what confines a worker, and that none outlives what it was made for.

use crate::support::{Play, WORKER, block_on, sample};
use hub_core::ports::{Delivery, Driver, GuestFault};
use hub_core::time::UnixMillis;
use hub_sandbox::{Budget, Held, Outcome, WorkerDriver, WorkerOptions, probe};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use std::io::{IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::sync::Arc;

const PROGRAM: &str = env!("CARGO_BIN_EXE_sandbox-worker");

fn options() -> WorkerOptions {
    WorkerOptions::of([PROGRAM])
}

/// Attempts that a wall holds even where the system call filter is left out.
const HELD_TWICE: &[(&str, &[&str])] = &[
    (
        "files, network, signals",
        &[
            "read a file",
            "read the hub's program",
            "list a folder",
            "write a file",
            "remove a file",
        ],
    ),
    ("namespaces", &["mount a file system", "change root", "open a raw socket", "lock memory"]),
    ("capabilities", &["become another user", "trace the zygote", "read the zygote's memory"]),
];

/// Attempts that limits and closed descriptors hold by themselves.
const HELD_BY_LIMITS: &[&str] = &[
    "read a file",
    "reach the internet by TCP",
    "read the environment",
    "use a descriptor it was not given",
    "write to standard error",
    "take much memory",
    "raise its limits",
    "copy its descriptor",
    "fill a pipe",
];

#[test]
fn everything_that_is_tried_from_inside_is_refused() {
    let probed = probe(&options()).unwrap();
    assert!(probed.attempts.len() >= 40);
    for attempt in &probed.attempts {
        assert!(attempt.behind_all.is_held(), "{attempt:?}");
    }
    let filtered = probed.attempts.iter().filter(|a| a.behind_all == Outcome::Filtered).count();
    assert!(filtered >= probed.attempts.len() - 3, "the filter is what holds");
}

#[test]
fn most_is_refused_by_a_second_wall_too() {
    let probed = probe(&options()).unwrap();
    let alone = |what: &str| {
        let attempt = probed.attempts.iter().find(|attempt| attempt.what == what);
        attempt.unwrap_or_else(|| panic!("nobody tries to {what}")).without_filter.clone()
    };
    for what in HELD_BY_LIMITS {
        assert!(alone(what).is_held(), "{what}: {:?}", alone(what));
    }
    for (wall, attempts) in HELD_TWICE {
        let found = probed.confinement.walls.iter().find(|found| found.name == *wall).unwrap();
        if found.held != Held::Whole {
            eprintln!("SKIPPED what {wall} holds: {}", found.detail);
            continue;
        }
        for what in *attempts {
            assert!(alone(what).is_held(), "{what}: {:?}", alone(what));
        }
    }
}

#[test]
fn the_driver_says_how_it_is_confined() {
    let found = block_on(WORKER.as_ref().unwrap().confinement()).unwrap();
    assert!(found.is_offered());
    let whole = found.walls.iter().filter(|wall| wall.held == Held::Whole).count();
    assert_eq!(whole + found.weaker().len(), found.walls.len());
}

#[test]
fn a_program_that_is_no_worker_is_said_to_be_none() {
    for program in ["/bin/true", "/nowhere/at/all"] {
        let driver = WorkerDriver::open(WorkerOptions::of([program]));
        assert!(block_on(driver.confinement()).is_err(), "{program}");
        let play = Play { driver, ..Play::default() };
        let ended = play.run("return 1");
        assert!(matches!(ended.fault(), GuestFault::Broken(_)), "{program}: {ended:?}");
    }
}

#[test]
fn the_engine_is_named_by_its_program() {
    let id = WORKER.as_ref().unwrap().engine_id();
    assert!(id.starts_with("worker:") && id.len() == 7 + 64, "{id}");
    let other = WorkerDriver::open(WorkerOptions::of(["/bin/true"]));
    assert_ne!(other.engine_id(), id);
}

#[test]
fn a_zygote_that_was_killed_takes_its_workers_with_it_and_is_replaced() {
    block_on(async {
        let driver = WorkerDriver::open(options());
        let play = Play { driver: driver.clone(), ..Play::default() };
        let (mut guest, _) = driver.start(play.spec("await demo.list({})")).await.unwrap();
        let zygote = driver.zygote().unwrap();
        let zygote = rustix::process::Pid::from_raw(zygote.try_into().unwrap()).unwrap();
        rustix::process::kill_process(zygote, rustix::process::Signal::KILL).unwrap();
        // It ends soon, not at once: asked until it does.
        let ended = loop {
            if let Err(fault) = guest.finish().await {
                break fault;
            }
        };
        assert_eq!(ended, GuestFault::Lost);
        assert_eq!(play.play(play.spec("return 1"), sample).await.value(), 1);
        assert_ne!(driver.zygote(), Some(zygote.as_raw_nonzero().get().unsigned_abs()));
    });
}

/// A hub that is gone, however it went, is a control socket that was closed.
#[test]
fn no_worker_outlives_the_hub() {
    use rustix::net::{AddressFamily, SocketFlags, SocketType};
    let (control, theirs) = rustix::net::socketpair(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        SocketFlags::CLOEXEC,
        None,
    )
    .unwrap();
    let mut zygote = Command::new(PROGRAM).stdin(theirs).stdout(Stdio::null()).spawn().unwrap();
    let mut room = vec![0; 8192];
    assert!(rustix::net::recv(&control, &mut room[..], RecvFlags::empty()).unwrap().0 > 2);
    rustix::net::send(&control, &[1, 0, 0, 0, 0, 0, 0, 0], SendFlags::empty()).unwrap();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut pid = [0; 4];
    let mut into = [IoSliceMut::new(&mut pid)];
    rustix::net::recvmsg(&control, &mut into, &mut ancillary, RecvFlags::CMSG_CLOEXEC).unwrap();
    let given = ancillary.drain().flat_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => descriptors.collect::<Vec<_>>(),
        _ => Vec::new(),
    });
    let socket = given.into_iter().next().unwrap();
    drop(control);
    // This end stays open, so the worker's end is closed by nothing but its death.
    assert_eq!(UnixStream::from(socket).read(&mut room).unwrap(), 0);
    assert!(zygote.wait().unwrap().success());
}

#[test]
fn memory_of_all_workers_is_taken_and_given_back() {
    block_on(async {
        let budget = Budget::new(10 << 20);
        let memory_budget = Some(Arc::clone(&budget));
        let driver = WorkerDriver::open(WorkerOptions { memory_budget, ..options() });
        let play = Play { driver: driver.clone(), ..Play::default() };
        let mut held = Vec::new();
        let refused = loop {
            match driver.start(play.spec("await demo.list({})")).await {
                Ok((guest, _)) => held.push(guest),
                Err(fault) => break fault,
            }
            assert!(held.len() < 10);
        };
        assert_eq!(refused, GuestFault::Busy);
        assert_eq!(held.len(), 2);
        drop(held);
        assert_eq!(budget.used(), 0);
        let grown = play.play(play.spec("return new Uint8Array(16 << 20).length"), sample).await;
        assert_eq!(grown.fault(), &GuestFault::Busy);
        assert_eq!(budget.used(), 0);
    });
}

#[test]
fn a_worker_that_is_given_up_is_gone() {
    block_on(async {
        let budget = Budget::new(64 << 20);
        let memory_budget = Some(Arc::clone(&budget));
        let driver = WorkerDriver::open(WorkerOptions { memory_budget, ..options() });
        let play = Play { driver: driver.clone(), ..Play::default() };
        {
            let mut starting = Box::pin(driver.start(play.spec("for (;;);")));
            while budget.used() == 0 {
                let once = std::future::poll_fn(|context| {
                    std::task::Poll::Ready(starting.as_mut().poll(context).is_ready())
                });
                assert!(!once.await);
                tokio::task::yield_now().await;
            }
        }
        assert_eq!(budget.used(), 0);
        assert_eq!(play.play(play.spec("return 1"), sample).await.value(), 1);
    });
}

fn pid(number: u32) -> Pid {
    Pid::from_raw(number.try_into().unwrap()).unwrap()
}

/// Processes whose parent is this one.
fn children(of: u32) -> Vec<Pid> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |number: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        let rest = stat.rsplit_once(") ").map(|(_, rest)| rest.to_owned());
        rest.is_some_and(|rest| rest.split(' ').nth(1) == Some(of.to_string().as_str()))
    };
    numbers.filter(is_child).map(pid).collect()
}

fn settled(json: &str) -> Delivery {
    Delivery::Settle { n: 0, outcome: Ok(json.into()), at: UnixMillis(1) }
}

#[test]
fn a_worker_that_was_ended_from_outside_is_lost_and_no_other() {
    block_on(async {
        let driver = WorkerDriver::open(WorkerOptions { warm: 0, ..options() });
        let play = Play { driver: driver.clone(), ..Play::default() };
        let code = "await demo.list({}); await demo.list({})";
        let (mut one, _) = driver.start(play.spec(code)).await.unwrap();
        let zygote = driver.zygote().unwrap();
        let first = children(zygote);
        let (mut two, _) = driver.start(play.spec(code)).await.unwrap();
        for worker in &first {
            kill_process(*worker, Signal::KILL).unwrap();
        }
        assert_eq!(one.deliver(settled("1")).await, Err(GuestFault::Lost));
        assert!(matches!(one.deliver(settled("1")).await, Err(GuestFault::Broken(_))));
        assert!(two.deliver(settled("1")).await.is_ok());
        assert_eq!(driver.zygote(), Some(zygote));
    });
}

/// What a service manager, a terminal or a shutdown sends to everything.
#[test]
fn signals_for_the_hub_pass_its_workers_by() {
    block_on(async {
        let driver = WorkerDriver::open(WorkerOptions { warm: 0, ..options() });
        let play = Play { driver: driver.clone(), ..Play::default() };
        let (mut guest, _) = driver.start(play.spec("await demo.list({})")).await.unwrap();
        let zygote = driver.zygote().unwrap();
        let workers = children(zygote);
        assert_eq!(workers.len(), 1);
        for signal in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT, Signal::PIPE] {
            for process in workers.iter().copied().chain([pid(zygote)]) {
                kill_process(process, signal).unwrap();
            }
        }
        assert!(guest.deliver(settled("1")).await.unwrap().main.is_some());
        assert_eq!(play.play(play.spec("return 1"), sample).await.value(), 1);
        assert_eq!(driver.zygote(), Some(zygote));
        // No worker is left behind as a zombie: each end is taken in before the next is made.
        drop(guest);
        play.play(play.spec("return 1"), sample).await.value();
        assert!(children(zygote).len() <= 2);
    });
}

#[test]
fn a_worker_that_cannot_be_made_costs_no_other_run() {
    block_on(async {
        let driver = WorkerDriver::open(WorkerOptions { warm: 0, ..options() });
        let play = Play { driver: driver.clone(), ..Play::default() };
        let (mut held, _) = driver.start(play.spec("await demo.list({})")).await.unwrap();
        let zygote = driver.zygote().unwrap();
        let limit = |current| Rlimit { current: Some(current), maximum: Some(1 << 10) };
        let allow = |descriptors| {
            prlimit(Some(pid(zygote)), Resource::Nofile, limit(descriptors)).unwrap();
        };
        // Room for its three and no more: no socket for another worker.
        allow(3);
        for _ in 0..3 {
            let refused = driver.start(play.spec("return 1")).await.map(drop);
            assert_eq!(refused, Err(GuestFault::Busy));
        }
        assert!(held.deliver(settled("1")).await.unwrap().main.is_some());
        allow(64);
        assert_eq!(play.play(play.spec("return 1"), sample).await.value(), 1);
        assert_eq!(driver.zygote(), Some(zygote), "the zygote is the same");
    });
}
