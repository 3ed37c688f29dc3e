//! What takes everything from a worker but computing and its one socket. The zygote gives up what
//! all workers give up; each worker then closes the last door behind itself.

use super::sys;
use hub_core::limits;
use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetStatus, Scope};
use rustix::process::{DumpableBehavior, Pid, Resource, Rlimit, Signal};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Bytes of a guest's stack: as deep as driver A's, measured in frames of the engine.
pub const STACK_BYTES: usize = 4 << 20;
/// Address space beyond the heap's limit: what the allocator wastes, and the stack.
const SLACK_BYTES: usize = (64 << 20) + STACK_BYTES;
/// Seconds of CPU of one worker, whatever the hub does.
const CPU_SECONDS: u64 = limits::ACTIVE_MS / 1_000 + 30;
/// Under a shortage of memory the system ends workers first.
const OOM_SCORE: &str = "1000";
/// Workers let everything else go first.
const NICE: i32 = 5;

/// One means of confinement, as it stands on this system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wall {
    /// What it is.
    pub name: String,
    /// Whether it holds, wholly, in part or not.
    pub held: Held,
    /// In what form, or why not.
    pub detail: String,
}

/// How far a wall holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Held {
    /// As meant.
    Whole,
    /// In part.
    Part,
    /// Not here.
    Absent,
}

/// All walls around a worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// Each of them.
    pub walls: Vec<Wall>,
}

/// Name of the wall without which no worker is offered.
const FILTER: &str = "system call filter";

impl Confinement {
    /// Whether workers may be used: the system call filter is what everything rests on.
    pub fn is_offered(&self) -> bool {
        self.walls.iter().any(|wall| wall.name == FILTER && wall.held == Held::Whole)
    }

    /// What is weaker here than meant, a line each.
    pub fn weaker(&self) -> Vec<String> {
        let weak = self.walls.iter().filter(|wall| wall.held != Held::Whole);
        weak.map(|wall| format!("{}: {}", wall.name, wall.detail)).collect()
    }

    /// The filter was taken and does not do what it says.
    pub fn filter_does_not_hold(&mut self) {
        for wall in self.walls.iter_mut().filter(|wall| wall.name == FILTER) {
            wall.held = Held::Absent;
            wall.detail = "it was taken by the system and holds nothing back".into();
        }
    }

    fn add(&mut self, name: &str, found: Result<(Held, String), String>) {
        let (held, detail) = found.unwrap_or_else(|why| (Held::Absent, why));
        self.walls.push(Wall { name: name.into(), held, detail });
    }
}

/// What each worker closes behind itself.
pub struct Doors {
    filter: Option<BpfProgram>,
    address_space: u64,
    stack_top: usize,
    zygote: Option<Pid>,
}

/// Gives up, in the zygote, what no worker needs.
pub fn zygote() -> (Doors, Confinement) {
    let mut found = Confinement::default();
    let filter = filter();
    // Files of the system are read and written before they are out of reach.
    let stack_top = stack_top().unwrap_or_else(sys::stack_pointer);
    let doors = Doors {
        filter: filter.as_ref().ok().cloned(),
        address_space: address_space() + (limits::HEAP_BYTES + SLACK_BYTES) as u64,
        stack_top,
        zygote: Some(rustix::process::getpid()),
    };
    // Neither is a wall: a hub that may not do this is as safe, only less polite.
    let _ = std::fs::write("/proc/self/oom_score_adj", OOM_SCORE);
    let _ = rustix::process::nice(NICE);
    let plain = |error: rustix::io::Errno| error.to_string();
    let privileges = sys::no_new_privileges()
        .and_then(|()| rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable));
    found.add("no new privileges, no core", whole(privileges.map_err(plain), ""));
    found.add("namespaces", namespaces());
    let dropped = sys::drop_capabilities().map_err(plain);
    found.add("capabilities", whole(dropped, "all given up"));
    found.add("files, network, signals", landlock());
    found.add(FILTER, whole(filter.map(drop), "an allow-list; anything else ends the worker"));
    (doors, found)
}

fn whole(done: Result<(), String>, detail: &str) -> Result<(Held, String), String> {
    done.map(|()| (Held::Whole, detail.to_owned()))
}

/// A user of its own that owns nothing, with no network, no mounts and no processes to see.
fn namespaces() -> Result<(Held, String), String> {
    use libc::{
        CLONE_NEWCGROUP, CLONE_NEWIPC, CLONE_NEWNET, CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWUTS,
    };
    sys::unshare(CLONE_NEWUSER).map_err(|e| format!("no user namespace: {e}"))?;
    let mut missing = Vec::new();
    for (name, flag) in [
        ("network", CLONE_NEWNET),
        ("mounts", CLONE_NEWNS),
        ("ipc", CLONE_NEWIPC),
        ("host name", CLONE_NEWUTS),
        ("control groups", CLONE_NEWCGROUP),
    ] {
        if let Err(error) = sys::unshare(flag) {
            missing.push(format!("{name} ({error})"));
        }
    }
    if missing.is_empty() {
        return Ok((Held::Whole, "user, network, mounts, ipc, host name, control groups".into()));
    }
    Ok((Held::Part, format!("a user namespace without {}", missing.join(", "))))
}

fn landlock() -> Result<(Held, String), String> {
    let abi = ABI::V7;
    let done = Ruleset::default()
        .handle_access(AccessFs::from_all(abi))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(abi)))
        .and_then(|rules| rules.scope(Scope::from_all(abi)))
        .and_then(Ruleset::create)
        .and_then(landlock::RulesetCreated::restrict_self)
        .map_err(|error| format!("no landlock: {error}"))?;
    match done.ruleset {
        RulesetStatus::FullyEnforced => Ok((Held::Whole, "landlock, nothing allowed".into())),
        RulesetStatus::PartiallyEnforced => {
            Ok((Held::Part, format!("landlock of an older kernel: {:?}", done.landlock)))
        }
        RulesetStatus::NotEnforced => Err("this kernel has no landlock, or it is off".into()),
    }
}

/// Reading and writing descriptor 0, memory that is never code, the clock, and the end.
fn filter() -> Result<BpfProgram, String> {
    let plain = |error: seccompiler::BackendError| error.to_string();
    let when = |argument, operator, value| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value).map_err(plain)
    };
    let rule = |conditions| SeccompRule::new(conditions).map_err(plain);
    let masked = |bits: i32| SeccompCmpOp::MaskedEq(u64::from(bits.unsigned_abs()));
    let own = || rule(vec![when(0, SeccompCmpOp::Eq, 0)?]);
    let not_code = || when(2, masked(libc::PROT_EXEC), 0);
    let anonymous = libc::MAP_ANONYMOUS | libc::MAP_PRIVATE;
    let maps =
        rule(vec![not_code()?, when(3, masked(anonymous), u64::from(anonymous.unsigned_abs()))?])?;
    let mut rules = BTreeMap::from([
        (libc::SYS_read, vec![own()?]),
        (libc::SYS_write, vec![own()?]),
        (libc::SYS_mmap, vec![maps]),
        (libc::SYS_mprotect, vec![rule(vec![not_code()?])?]),
    ]);
    // The clock is read without a system call where the kernel lets it.
    for call in [
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_brk,
        libc::SYS_madvise,
        libc::SYS_clock_gettime,
        libc::SYS_gettimeofday,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ] {
        rules.insert(call, Vec::new());
    }
    let machine = std::env::consts::ARCH.try_into().map_err(plain)?;
    SeccompFilter::new(rules, SeccompAction::KillProcess, SeccompAction::Allow, machine)
        .and_then(BpfProgram::try_from)
        .map_err(plain)
}

impl Doors {
    /// Whether this process must not go on: its zygote is gone already.
    fn is_orphan(&self) -> bool {
        rustix::process::getppid() != self.zygote
    }

    /// Closes everything, in a worker that was just forked and has its socket as descriptor 0.
    pub fn close(&self) -> Result<(), String> {
        self.close_limits()?;
        let filter = self.filter.as_ref().ok_or("no system call filter")?;
        seccompiler::apply_filter(filter).map_err(|error| error.to_string())
    }

    /// Closes all but the last door.
    pub fn close_limits(&self) -> Result<(), String> {
        let plain = |error: rustix::io::Errno| error.to_string();
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(plain)?;
        if self.is_orphan() {
            sys::end();
        }
        let low = sys::stack_pointer().saturating_sub(STACK_BYTES);
        sys::stack_is(low, self.stack_top);
        let stack = self.stack_top.saturating_sub(low) as u64;
        for (what, most) in [
            (Resource::Stack, stack),
            (Resource::As, self.address_space),
            (Resource::Cpu, CPU_SECONDS),
            (Resource::Nofile, 1),
            (Resource::Nproc, 0),
            (Resource::Core, 0),
            (Resource::Fsize, 0),
            (Resource::Memlock, 0),
            (Resource::Msgqueue, 0),
        ] {
            let limit = Rlimit { current: Some(most), maximum: Some(most) };
            rustix::process::setrlimit(what, limit).map_err(plain)?;
        }
        Ok(())
    }
}

/// Bytes of address space of this process now.
fn address_space() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    // A process that cannot read it is given room for a large program.
    pages.map_or(1 << 30, |pages| pages * sys::page_size())
}

/// Where this process's stack ends.
fn stack_top() -> Option<usize> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let line = maps.lines().find(|line| line.ends_with("[stack]"))?;
    let (_, to) = line.split(' ').next()?.split_once('-')?;
    usize::from_str_radix(to, 16).ok()
}
