//! The probe: goes behind the doors of a worker and tries everything that a program which took
//! the engine over would try. Each attempt is made by a process of its own, since most end it.

use super::confine::{self, Confinement, Doors};
use super::sys::{self, Forked};
use libc::c_long;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{WaitOptions, WaitStatus};
use serde::{Deserialize, Serialize};
use std::ffi::CStr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Exit status of an attempt that the system allowed; others are error numbers.
const ALLOWED: u8 = 255;
/// Exit status of an attempt whose doors would not close.
const OPEN: u8 = 254;
/// Exit status of an attempt refused with an error number that no status holds.
const OTHER: u8 = 253;
/// Bytes beyond any worker's address space.
const HUGE: usize = 8 << 30;

/// What the probe found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Probed {
    /// The walls as the zygote found them.
    pub confinement: Confinement,
    /// Every attempt.
    pub attempts: Vec<Attempted>,
}

/// One attempt.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Attempted {
    /// What was tried.
    pub what: String,
    /// How it ended behind all doors.
    pub behind_all: Outcome,
    /// How it ended with the system call filter left out: what the other walls hold alone.
    pub without_filter: Outcome,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// The system call filter ended the process.
    Filtered,
    /// Refused with this error number.
    Refused(i32),
    /// Ended by this signal.
    Ended(i32),
    /// It worked.
    Allowed,
    /// The doors would not close, so nothing was tried.
    NotTried,
}

impl Outcome {
    /// Whether the attempt got what it wanted.
    pub fn is_held(&self) -> bool {
        matches!(self, Self::Filtered | Self::Refused(_) | Self::Ended(_))
    }
}

type Attempt = fn() -> Result<i64, Errno>;

fn call(number: c_long, arguments: [usize; 6]) -> Result<i64, Errno> {
    sys::attempt(number, arguments)
}

fn text(text: &CStr) -> usize {
    text.as_ptr() as usize
}

fn open(path: &CStr, flags: i32) -> Result<i64, Errno> {
    let here = libc::AT_FDCWD as usize;
    call(libc::SYS_openat, [here, text(path), flags as usize, 0o600, 0, 0])
}

fn map(length: usize, protection: i32) -> Result<i64, Errno> {
    let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as usize;
    call(libc::SYS_mmap, [0, length, protection as usize, flags, usize::MAX, 0])
}

fn socket(family: i32, kind: i32) -> Result<i64, Errno> {
    call(libc::SYS_socket, [family as usize, kind as usize, 0, 0, 0, 0])
}

/// Connects to a port of this machine, and to the name server of the internet.
fn connect(address: [u8; 4], port: u16, kind: i32) -> Result<i64, Errno> {
    let socket = socket(libc::AF_INET, kind)? as usize;
    let mut name = [0u8; 16];
    name[..2].copy_from_slice(&(libc::AF_INET as u16).to_ne_bytes());
    name[2..4].copy_from_slice(&port.to_be_bytes());
    name[4..8].copy_from_slice(&address);
    let done = call(libc::SYS_connect, [socket, name.as_ptr() as usize, 16, 0, 0, 0]);
    // Nobody listens, but the attempt left this process: that is not refused.
    if done == Err(Errno::CONNREFUSED) { Ok(0) } else { done }
}

fn exec() -> Result<i64, Errno> {
    let program = c"/bin/true";
    let arguments = [text(program), 0];
    let list = arguments.as_ptr() as usize;
    call(libc::SYS_execve, [text(program), list, list + size_of::<usize>(), 0, 0, 0])
}

/// The prober, known before the doors close: asking for it is an attempt of its own.
static ZYGOTE: AtomicUsize = AtomicUsize::new(1);

fn zygote() -> usize {
    ZYGOTE.load(Relaxed)
}

fn fork() -> Result<i64, Errno> {
    match sys::fork()? {
        Forked::Child => sys::end(),
        Forked::Parent(_) => Ok(0),
    }
}

/// Reads a byte of the zygote's memory, which lies where this process's own does.
fn read_zygote() -> Result<i64, Errno> {
    let mut byte = 0u8;
    let here = [&raw mut byte as usize, 1];
    let (local, remote) = (here.as_ptr() as usize, here.as_ptr() as usize);
    call(libc::SYS_process_vm_readv, [zygote(), local, 1, remote, 1, 0])
}

fn environment() -> Result<i64, Errno> {
    // The time zone is all there is, and it says nothing.
    match std::env::vars_os().find(|(name, _)| name != "TZ") {
        Some(_) => Ok(0),
        None => Err(Errno::NOENT),
    }
}

fn code() -> Result<i64, Errno> {
    let page = map(4096, libc::PROT_READ | libc::PROT_WRITE)? as usize;
    let code = (libc::PROT_READ | libc::PROT_EXEC) as usize;
    call(libc::SYS_mprotect, [page, 4096, code, 0, 0, 0])
}

/// Everything that is tried.
const ATTEMPTS: &[(&str, Attempt)] = &[
    ("read a file", || open(c"/etc/passwd", libc::O_RDONLY)),
    ("read the hub's program", || open(c"/proc/self/exe", libc::O_RDONLY)),
    ("list a folder", || open(c"/", libc::O_RDONLY | libc::O_DIRECTORY)),
    ("write a file", || open(c"/tmp/hub-probe", libc::O_WRONLY | libc::O_CREAT)),
    ("read the zygote's memory file", || open(c"/proc/self/mem", libc::O_RDWR)),
    ("remove a file", || {
        call(libc::SYS_unlinkat, [libc::AT_FDCWD as usize, text(c"/tmp/x"), 0, 0, 0, 0])
    }),
    ("look at a file", || {
        let mut room = [0u8; 256];
        let room = room.as_mut_ptr() as usize;
        call(libc::SYS_newfstatat, [libc::AT_FDCWD as usize, text(c"/etc"), room, 0, 0, 0])
    }),
    ("reach this machine by TCP", || connect([127, 0, 0, 1], 80, libc::SOCK_STREAM)),
    ("reach the internet by TCP", || connect([9, 9, 9, 9], 53, libc::SOCK_STREAM)),
    ("reach the internet by UDP", || connect([9, 9, 9, 9], 53, libc::SOCK_DGRAM)),
    ("open a raw socket", || socket(libc::AF_PACKET, libc::SOCK_RAW)),
    ("open a unix socket", || socket(libc::AF_UNIX, libc::SOCK_STREAM)),
    ("ask the kernel by netlink", || socket(libc::AF_NETLINK, libc::SOCK_RAW)),
    ("start a program", exec),
    ("fork", fork),
    ("start a thread", || call(libc::SYS_clone, [libc::CLONE_FS as usize | 17, 0, 0, 0, 0, 0])),
    ("trace the zygote", || {
        call(libc::SYS_ptrace, [libc::PTRACE_ATTACH as usize, zygote(), 0, 0, 0, 0])
    }),
    ("read the zygote's memory", read_zygote),
    ("signal the zygote", || call(libc::SYS_kill, [zygote(), libc::SIGURG as usize, 0, 0, 0, 0])),
    ("signal every process", || call(libc::SYS_kill, [usize::MAX, 0, 0, 0, 0, 0])),
    ("steal a descriptor of the zygote", || {
        let handle = call(libc::SYS_pidfd_open, [zygote(), 0, 0, 0, 0, 0])? as usize;
        call(libc::SYS_pidfd_getfd, [handle, 0, 0, 0, 0, 0])
    }),
    ("read the environment", environment),
    ("use a descriptor it was not given", || {
        let mut byte = 0u8;
        call(libc::SYS_read, [INHERITED, &raw mut byte as usize, 1, 0, 0, 0])
    }),
    ("write to standard error", || call(libc::SYS_write, [2, text(c"escaped\n"), 8, 0, 0, 0])),
    ("map memory that runs", || map(4096, libc::PROT_READ | libc::PROT_EXEC)),
    ("make memory run", code),
    ("take much memory", || map(HUGE, libc::PROT_READ | libc::PROT_WRITE)),
    ("lock memory", || {
        let page = map(1 << 20, libc::PROT_READ | libc::PROT_WRITE)? as usize;
        call(libc::SYS_mlock, [page, 1 << 20, 0, 0, 0, 0])
    }),
    ("make a file in memory", || call(libc::SYS_memfd_create, [text(c"x"), 0, 0, 0, 0, 0])),
    ("raise its limits", || {
        let limit = [u64::MAX, u64::MAX];
        let what = libc::RLIMIT_AS as usize;
        call(libc::SYS_prlimit64, [0, what, limit.as_ptr() as usize, 0, 0, 0])
    }),
    ("become another user", || call(libc::SYS_setuid, [0, 0, 0, 0, 0, 0])),
    ("mount a file system", || {
        call(libc::SYS_mount, [text(c"x"), text(c"/tmp"), text(c"tmpfs"), 0, 0, 0])
    }),
    ("make a user namespace", || {
        call(libc::SYS_unshare, [libc::CLONE_NEWUSER as usize, 0, 0, 0, 0, 0])
    }),
    ("change root", || call(libc::SYS_chroot, [text(c"/"), 0, 0, 0, 0, 0])),
    ("load a kernel program", || call(libc::SYS_bpf, [0, 0, 0, 0, 0, 0])),
    ("watch the processor", || call(libc::SYS_perf_event_open, [0, 0, 0, 0, 0, 0])),
    ("use another way into the kernel", || {
        let mut room = [0u8; 512];
        call(libc::SYS_io_uring_setup, [1, room.as_mut_ptr() as usize, 0, 0, 0, 0])
    }),
    ("catch page faults", || call(libc::SYS_userfaultfd, [1, 0, 0, 0, 0, 0])),
    ("read the kernel's keys", || call(libc::SYS_keyctl, [0, usize::MAX - 2, 1, 0, 0, 0])),
    ("share memory", || call(libc::SYS_shmget, [0, 4096, 0o1600, 0, 0, 0])),
    ("send a descriptor", || {
        let mut room = [0usize; 8];
        call(libc::SYS_sendmsg, [0, room.as_mut_ptr() as usize, 0, 0, 0, 0])
    }),
    ("receive a descriptor", || {
        let mut room = [0usize; 8];
        let wait = libc::MSG_DONTWAIT as usize;
        call(libc::SYS_recvmsg, [0, room.as_mut_ptr() as usize, wait, 0, 0, 0])
    }),
    ("copy its descriptor", || call(libc::SYS_dup, [0, 0, 0, 0, 0, 0])),
    ("control a terminal", || {
        call(libc::SYS_ioctl, [0, libc::TIOCSTI as usize, text(c"x"), 0, 0, 0])
    }),
    ("undo its confinement", || {
        call(libc::SYS_prctl, [libc::PR_SET_DUMPABLE as usize, 1, 0, 0, 0, 0])
    }),
    ("ask who it is", || call(libc::SYS_getpid, [0; 6])),
    ("ask what machine this is", || {
        let mut room = [0u8; 1024];
        call(libc::SYS_uname, [room.as_mut_ptr() as usize, 0, 0, 0, 0, 0])
    }),
    ("sleep", || {
        let time = [0u64, 1000];
        call(libc::SYS_nanosleep, [time.as_ptr() as usize, 0, 0, 0, 0, 0])
    }),
    ("fill a pipe", || {
        let mut ends = [0i32; 2];
        call(libc::SYS_pipe2, [ends.as_mut_ptr() as usize, 0, 0, 0, 0, 0])
    }),
];

/// A descriptor that the prober holds open when it forks.
const INHERITED: usize = 9;

/// Tries everything and prints what was found.
pub fn run() -> ! {
    let kept = inherited();
    ZYGOTE.store(rustix::process::getpid().as_raw_nonzero().get() as usize, Relaxed);
    let (doors, confinement) = confine::zygote();
    let attempts = ATTEMPTS
        .iter()
        .map(|(what, attempt)| Attempted {
            what: (*what).to_owned(),
            behind_all: outcome(tried(|| doors.close(), *attempt)),
            without_filter: outcome(tried(|| doors.close_limits(), *attempt)),
        })
        .collect();
    drop(kept);
    let found = Probed { confinement, attempts };
    println!("{}", serde_json::to_string(&found).unwrap_or_default());
    sys::end()
}

/// A pipe whose end a worker must not find.
fn inherited() -> Option<OwnedFd> {
    let (reader, writer) = rustix::pipe::pipe().ok()?;
    rustix::io::write(&writer, b"secret").ok()?;
    rustix::io::fcntl_dupfd_cloexec(&reader, INHERITED as i32).ok()
}

/// Runs `attempt` in a process of its own, behind the doors that `close` closes.
fn tried(close: impl FnOnce() -> Result<(), String>, attempt: Attempt) -> Option<WaitStatus> {
    let child = match sys::fork().ok()? {
        Forked::Parent(child) => child,
        Forked::Child => {
            let status = behind(close, attempt);
            sys::end_with(status);
        }
    };
    rustix::process::waitpid(Some(child), WaitOptions::empty()).ok()?.map(|(_, status)| status)
}

fn behind(close: impl FnOnce() -> Result<(), String>, attempt: Attempt) -> u8 {
    // A worker's socket, with nobody at its other end.
    let Ok((mine, _theirs)) = std::os::unix::net::UnixStream::pair() else { return OPEN };
    if sys::keep_only(&mine).is_err() || close().is_err() {
        return OPEN;
    }
    std::mem::forget((mine, _theirs));
    match attempt() {
        Ok(_) => ALLOWED,
        Err(error) => u8::try_from(error.raw_os_error()).unwrap_or(OTHER),
    }
}

fn outcome(status: Option<WaitStatus>) -> Outcome {
    let Some(status) = status else { return Outcome::NotTried };
    match (status.terminating_signal(), status.exit_status()) {
        (Some(libc::SIGSYS), _) => Outcome::Filtered,
        (Some(signal), _) => Outcome::Ended(signal),
        (None, Some(status)) if status == i32::from(ALLOWED) => Outcome::Allowed,
        (None, Some(status)) if status == i32::from(OPEN) => Outcome::NotTried,
        (None, Some(status)) => Outcome::Refused(status),
        (None, None) => Outcome::NotTried,
    }
}

/// Whether a process behind all doors can still end well.
pub fn ends_well(doors: &Doors) -> bool {
    outcome(tried(|| doors.close(), || Ok(0))) == Outcome::Allowed
}

/// Whether the filter ends a process that asks for anything else.
pub fn ends_at_the_filter(doors: &Doors) -> bool {
    let asked = tried(|| doors.close(), || call(libc::SYS_getppid, [0; 6]));
    outcome(asked) == Outcome::Filtered
}
