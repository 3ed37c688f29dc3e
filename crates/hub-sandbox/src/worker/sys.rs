//! The system calls that have no safe form: fork, signal handlers, the end of a process without
//! ceremony. The only module of driver B with unsafe code beside its allocator.
#![expect(unsafe_code, reason = "fork, signal handlers and raw system calls")]

use super::pool::Ended;
use super::wire::{self, fault, say};
use rustix::fd::AsRawFd;
use rustix::io::Errno;
use rustix::process::Pid;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// Bytes of the stack on which a fault is handled.
const FAULT_STACK: usize = 64 << 10;
/// A fault this far below the stack's limit still is the stack's: a frame may jump over it.
const OVERSHOOT: usize = 32 << 20;

/// The part of the stack that a guest may use: from, to.
static STACK: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

/// One of the two processes after a fork.
pub enum Forked {
    /// The new one.
    Child,
    /// The old one, with the new one's number.
    Parent(Pid),
}

/// Forks. The caller has one thread, so the child is a whole program.
pub fn fork() -> Result<Forked, Errno> {
    // SAFETY: the process has one thread, so nothing is left locked in the child.
    match unsafe { libc::fork() } {
        0 => Ok(Forked::Child),
        pid => Pid::from_raw(pid).filter(|_| pid > 0).map(Forked::Parent).ok_or_else(errno),
    }
}

fn errno() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}

/// Ends this process; nothing is flushed, nobody is told.
pub fn end() -> ! {
    // SAFETY: never returns.
    unsafe { libc::_exit(0) }
}

/// Ends this process with a status.
pub fn end_with(status: u8) -> ! {
    // SAFETY: never returns.
    unsafe { libc::_exit(status.into()) }
}

/// Says why, and ends this process. Takes no memory.
pub fn end_by(why: u32) -> ! {
    let message = wire::head(say::FAULT, why, 0, 0);
    // SAFETY: the bytes are there; safe to call in a signal handler.
    unsafe { libc::write(0, message.as_ptr().cast(), message.len()) };
    end()
}

/// The hub ends its workers itself, in order: a signal meant for it, or for the group of all,
/// passes this process by. A child that ends interrupts what this process waits for.
pub fn outlive_signals() {
    // SAFETY: no handler but one that does nothing.
    unsafe {
        for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT, libc::SIGPIPE] {
            libc::signal(signal, libc::SIG_IGN);
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_child as extern "C" fn(_) as usize;
        action.sa_flags = libc::SA_NOCLDSTOP;
        libc::sigaction(libc::SIGCHLD, &action, std::ptr::null_mut());
    }
}

extern "C" fn on_child(_: i32) {}

/// A child that has ended and is not told of yet: its number, and how it ended.
pub fn ended_child() -> Option<(i32, Ended)> {
    let mut status = 0;
    // SAFETY: both point at what they are.
    let (pid, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::wait4(-1, &mut status, libc::WNOHANG, &mut usage), usage)
    };
    if pid <= 0 {
        return None;
    }
    let signal = libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status));
    let time = |time: libc::timeval| {
        Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or(0))
            + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or(0))
    };
    Some((pid, Ended { signal, cpu: time(usage.ru_utime) + time(usage.ru_stime) }))
}

/// Looks up the time zone once, while files can still be read.
pub fn settle_time_zone() {
    let time: libc::time_t = 0;
    let mut out = std::mem::MaybeUninit::<libc::tm>::uninit();
    // SAFETY: both point at what they are.
    unsafe { libc::localtime_r(&time, out.as_mut_ptr()) };
}

/// Leaves the namespaces that `flags` names.
pub fn unshare(flags: i32) -> Result<(), Errno> {
    // SAFETY: the process has one thread and shares nothing that it needs.
    if unsafe { libc::unshare(flags) } == 0 { Ok(()) } else { Err(errno()) }
}

/// Takes away the way to new privileges, for good.
pub fn no_new_privileges() -> Result<(), Errno> {
    // SAFETY: sets a flag of this process.
    let done = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    if done == 0 { Ok(()) } else { Err(errno()) }
}

/// Gives up all capabilities.
pub fn drop_capabilities() -> Result<(), Errno> {
    // The third version of the interface: two words each of effective, permitted, inheritable.
    let head: [u32; 2] = [0x2008_0522, 0];
    let none = [0u32; 6];
    // SAFETY: both arrays have the length that the version says.
    let done = unsafe { libc::syscall(libc::SYS_capset, head.as_ptr(), none.as_ptr()) };
    if done == 0 { Ok(()) } else { Err(errno()) }
}

/// Bytes of a page.
pub fn page_size() -> u64 {
    // SAFETY: asks for a number.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// Makes `fd` descriptor 0 and closes every other one.
pub fn keep_only(fd: &impl AsRawFd) -> Result<(), Errno> {
    // SAFETY: nothing of this process uses a descriptor after this but 0.
    unsafe {
        if libc::dup2(fd.as_raw_fd(), 0) != 0 {
            return Err(errno());
        }
        if libc::close_range(1, libc::c_uint::MAX, 0) == 0 {
            return Ok(());
        }
    }
    Err(errno())
}

/// Overruns of the stack, and other faults, end the process with a word of why.
pub fn catch_faults() {
    let room: &'static mut [u8] = Vec::leak(vec![0; FAULT_STACK]);
    // SAFETY: the stack stays for ever; the handler calls nothing that is unsafe in one.
    unsafe {
        let stack =
            libc::stack_t { ss_sp: room.as_mut_ptr().cast(), ss_flags: 0, ss_size: room.len() };
        libc::sigaltstack(&stack, std::ptr::null_mut());
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_fault as extern "C" fn(_, _, _) as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        for signal in [libc::SIGSEGV, libc::SIGBUS] {
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

/// The guest's stack lies between these addresses.
pub fn stack_is(from: usize, to: usize) {
    STACK[0].store(from, Relaxed);
    STACK[1].store(to, Relaxed);
}

extern "C" fn on_fault(_: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid record.
    let address = unsafe { (*info).si_addr() } as usize;
    let from = STACK[0].load(Relaxed).saturating_sub(OVERSHOOT);
    let overrun = (from..STACK[1].load(Relaxed)).contains(&address);
    end_by(if overrun { fault::STACK } else { fault::CRASH })
}

/// About where the stack is now.
#[inline(never)]
pub fn stack_pointer() -> usize {
    let here = 0u8;
    std::hint::black_box(&raw const here) as usize
}

/// CPU that a process has used; none when it is gone.
pub fn cpu_of(pid: Pid) -> Option<Duration> {
    // SAFETY: both calls fill the one value they are given.
    let time = unsafe {
        let mut clock = 0;
        if libc::clock_getcpuclockid(pid.as_raw_nonzero().get(), &mut clock) != 0 {
            return None;
        }
        let mut time: libc::timespec = std::mem::zeroed();
        if libc::clock_gettime(clock, &mut time) != 0 {
            return None;
        }
        time
    };
    let seconds = u64::try_from(time.tv_sec).ok()?;
    Some(Duration::new(seconds, u32::try_from(time.tv_nsec).ok()?))
}

/// A system call by its number, for the probe: what it does is the kernel's to judge.
pub fn attempt(number: libc::c_long, arguments: [usize; 6]) -> Result<i64, Errno> {
    let [a, b, c, d, e, f] = arguments;
    // SAFETY: the probe passes addresses that live through the call, or none.
    let answer = unsafe { libc::syscall(number, a, b, c, d, e, f) };
    if answer < 0 { Err(errno()) } else { Ok(answer) }
}
