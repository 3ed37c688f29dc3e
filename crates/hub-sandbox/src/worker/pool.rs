//! The hub's side of the zygote: one thread that keeps it, asks it for workers and keeps a few of
//! them warm. When the zygote dies, its workers die with it and the next program gets a new one.

use super::confine::Confinement;
use super::zygote::{ENDED, ask};
use hub_core::ports::GuestFault;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::IoSliceMut;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, SocketFlags,
    SocketType, sockopt,
};
use rustix::process::{Pid, Signal};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::mem::MaybeUninit;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// Workers kept warm.
pub const WARM: usize = 4;
/// Programs that may wait for a worker at once; more are told that there is no room.
const WAITING: usize = 256;
/// How long a zygote may take to load the prelude, or to make a worker.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a worker that was ended may take to be gone.
const SOON: Duration = Duration::from_secs(5);
/// Bytes of the zygote's first words.
const HELLO: usize = 8 << 10;

/// A fresh worker that waits for its program. Dropping it ends it.
#[derive(Debug)]
pub struct Worker {
    /// The way to it.
    pub socket: Option<UnixStream>,
    /// Its number, for its CPU clock only.
    pub pid: Pid,
    /// Itself.
    pub handle: Arc<OwnedFd>,
}

impl Worker {
    fn is_alive(&self) -> bool {
        let mut ended = [PollFd::new(&*self.handle, PollFlags::IN)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        rustix::event::poll(&mut ended, Some(&at_once)) == Ok(0)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        end(&self.handle);
    }
}

/// Ends a worker, whatever it does.
pub fn end(handle: &OwnedFd) {
    // It may have ended already; nobody else has its handle's number.
    let _ = rustix::process::pidfd_send_signal(handle, Signal::KILL);
}

/// How a worker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// By which signal; none where it ended by itself.
    pub signal: Option<i32>,
    /// CPU it used, all in all.
    pub cpu: Duration,
}

type Waiter = oneshot::Sender<Result<Worker, GuestFault>>;

/// Somebody wants to know how a worker ended.
struct Question {
    pid: Pid,
    handle: Arc<OwnedFd>,
    tell: Box<dyn FnOnce(Ended) + Send>,
}

/// What the driver and the keeper share.
pub struct Pool {
    state: Mutex<State>,
    changed: Condvar,
    hello: watch::Sender<Option<Result<Confinement, String>>>,
}

#[derive(Default)]
struct State {
    warm: VecDeque<Worker>,
    waiting: VecDeque<Waiter>,
    questions: VecDeque<Question>,
    /// The zygote's number.
    zygote: Option<u32>,
    /// The last zygote failed; a new one is started when somebody waits.
    failed: bool,
    closed: bool,
}

impl Pool {
    /// Starts the keeper, and the zygote with it.
    pub fn start(command: Vec<OsString>, warm: usize) -> std::io::Result<Arc<Self>> {
        let pool = Arc::new(Self {
            state: Mutex::new(State::default()),
            changed: Condvar::new(),
            hello: watch::channel(None).0,
        });
        let keeper = Keeper { pool: Arc::clone(&pool), command, warm, zygote: None };
        std::thread::Builder::new().name("sandbox-keeper".into()).spawn(move || keeper.work())?;
        Ok(pool)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How workers are confined here, once the first zygote has tried.
    pub async fn confinement(&self) -> Result<Confinement, String> {
        let mut hello = self.hello.subscribe();
        let found = hello.wait_for(Option::is_some).await.map_err(|error| error.to_string())?;
        found.clone().unwrap_or_else(|| Err("no answer".into()))
    }

    /// A fresh worker: a warm one, or the next that is made.
    pub async fn take(&self) -> Result<Worker, GuestFault> {
        let made = {
            let mut state = self.lock();
            let warm = std::iter::from_fn(|| state.warm.pop_front()).find(Worker::is_alive);
            if let Some(worker) = warm {
                self.changed.notify_one();
                return Ok(worker);
            }
            if state.waiting.len() >= WAITING {
                return Err(GuestFault::Busy);
            }
            let (tell, made) = oneshot::channel();
            state.waiting.push_back(tell);
            self.changed.notify_one();
            made
        };
        made.await.unwrap_or_else(|_| Err(failure("the hub is closing")))
    }

    /// How a worker ended that ends now; none where its zygote is gone too.
    pub fn how_ended(
        &self,
        pid: Pid,
        handle: &Arc<OwnedFd>,
    ) -> impl Future<Output = Option<Ended>> + Send + 'static {
        let (tell, told) = oneshot::channel();
        self.when_ended(pid, handle, move |ended| {
            // Who no longer waits needs no answer.
            let _ = tell.send(ended);
        });
        async move { told.await.ok() }
    }

    /// Calls back, from the keeper, with how a worker ended that ends now; never where its zygote
    /// is gone too.
    pub fn when_ended(
        &self,
        pid: Pid,
        handle: &Arc<OwnedFd>,
        tell: impl FnOnce(Ended) + Send + 'static,
    ) {
        let mut state = self.lock();
        // Asked by as many as there are guests; a closed pool answers nobody.
        if !state.closed {
            let (handle, tell) = (Arc::clone(handle), Box::new(tell));
            state.questions.push_back(Question { pid, handle, tell });
            self.changed.notify_one();
        }
    }

    /// The zygote's number, while there is one.
    pub fn zygote(&self) -> Option<u32> {
        self.lock().zygote
    }

    /// Ends the zygote and everything that waits.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }
}

fn failure(why: &str) -> GuestFault {
    GuestFault::Broken(format!("no worker: {why}"))
}

/// Why there is no worker.
#[derive(Debug)]
enum Failed {
    /// There is no zygote, or it does not do its part: a new one is needed.
    Gone(String),
    /// The system has no room for one more process now. The zygote and its workers live on.
    Full,
}

impl Failed {
    fn text(&self) -> &str {
        match self {
            Self::Gone(why) => why,
            Self::Full => "the system gives no more processes",
        }
    }

    fn fault(&self) -> GuestFault {
        match self {
            Self::Gone(why) => failure(why),
            Self::Full => GuestFault::Busy,
        }
    }
}

/// What the keeper does next.
enum Next {
    Make,
    Answer(Question),
}

/// The thread's own.
struct Keeper {
    pool: Arc<Pool>,
    command: Vec<OsString>,
    warm: usize,
    zygote: Option<Zygote>,
}

impl Keeper {
    fn work(mut self) {
        // The first zygote is started at once, so that the hub can say how it is confined.
        let mut made = self.ready().map(drop);
        while let Some(next) = self.wait(made.is_err()) {
            match next {
                Next::Make => made = self.make(),
                Next::Answer(question) => self.answer(question),
            }
        }
        self.zygote = None;
        let mut state = self.pool.lock();
        state.zygote = None;
        state.warm.clear();
        state.waiting.clear();
        state.questions.clear();
    }

    /// Waits until something is wanted; none when the hub closes.
    fn wait(&self, failed: bool) -> Option<Next> {
        let mut state = self.pool.lock();
        state.failed = failed;
        loop {
            if state.closed {
                return None;
            }
            if let Some(question) = state.questions.pop_front() {
                return Some(Next::Answer(question));
            }
            let few = !state.failed && state.warm.len() < self.warm;
            if few || !state.waiting.is_empty() {
                return Some(Next::Make);
            }
            state = self.pool.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Where the zygote is gone nothing is said, and the question is dropped.
    fn answer(&mut self, question: Question) {
        let ended = self.zygote.as_mut().map(|zygote| zygote.ended(&question));
        match ended {
            Some(Ok(ended)) => (question.tell)(ended),
            Some(Err(error)) => tracing::debug!(error, "how a worker ended is not known"),
            None => {}
        }
    }

    fn make(&mut self) -> Result<(), Failed> {
        let made = match self.ready().and_then(Zygote::worker) {
            // A zygote that was ended by somebody is replaced once, in silence.
            Err(Failed::Gone(_)) => {
                self.zygote = None;
                self.ready().and_then(Zygote::worker)
            }
            made => made,
        };
        let mut state = self.pool.lock();
        match made {
            Ok(worker) => {
                give(&mut state, worker);
                Ok(())
            }
            Err(why) => {
                if let Failed::Gone(_) = why {
                    self.zygote = None;
                    state.zygote = None;
                }
                for waiter in state.waiting.drain(..) {
                    // Who no longer waits needs no answer.
                    let _ = waiter.send(Err(why.fault()));
                }
                tracing::warn!(error = why.text(), "no worker for the sandbox");
                Err(why)
            }
        }
    }

    fn ready(&mut self) -> Result<&mut Zygote, Failed> {
        let zygote = match self.zygote.take() {
            Some(zygote) => zygote,
            None => {
                let started = Zygote::start(&self.command);
                let told = started.as_ref().map(|(_, found)| found.clone()).map_err(Clone::clone);
                self.pool.hello.send_replace(Some(told));
                let (zygote, found) = started.map_err(Failed::Gone)?;
                if !found.is_offered() {
                    let weaker = found.weaker().join("; ");
                    return Err(Failed::Gone(format!("not confined: {weaker}")));
                }
                zygote
            }
        };
        self.pool.lock().zygote = Some(zygote.process.id());
        Ok(self.zygote.insert(zygote))
    }
}

/// Hands a worker to the first that waits, or keeps it warm.
fn give(state: &mut State, worker: Worker) {
    let mut worker = Ok(worker);
    while let Some(waiter) = state.waiting.pop_front() {
        match waiter.send(worker) {
            Ok(()) => return,
            Err(unwanted) => worker = unwanted,
        }
    }
    if let Ok(worker) = worker {
        state.warm.push_back(worker);
    }
}

/// The process that workers are forked from.
struct Zygote {
    process: Child,
    control: OwnedFd,
}

impl Zygote {
    fn start(command: &[OsString]) -> Result<(Self, Confinement), String> {
        let plain = |error: rustix::io::Errno| error.to_string();
        let (control, theirs) = rustix::net::socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )
        .map_err(plain)?;
        sockopt::set_socket_timeout(&control, sockopt::Timeout::Recv, Some(PATIENCE))
            .map_err(plain)?;
        let (program, arguments) = command.split_first().ok_or("no program")?;
        let process = Command::new(program)
            .args(arguments)
            .env_clear()
            .env("TZ", "UTC0")
            .current_dir("/")
            // Keys pressed at the hub's terminal are for the hub, which ends its guests in order.
            .process_group(0)
            .stdin(theirs)
            .stdout(Stdio::null())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.to_string_lossy()))?;
        let zygote = Self { process, control };
        let mut hello = [0; HELLO];
        let (length, _) = rustix::net::recv(&zygote.control, &mut hello[..], RecvFlags::empty())
            .map_err(plain)?;
        let found = serde_json::from_slice(&hello[..length.min(HELLO)]);
        Ok((zygote, found.map_err(|_| "the worker's program does not start".to_owned())?))
    }

    fn worker(&mut self) -> Result<Worker, Failed> {
        let gone = |error: rustix::io::Errno| Failed::Gone(error.to_string());
        rustix::net::send(&self.control, &ask::worker(), SendFlags::NOSIGNAL).map_err(gone)?;
        let mut pid = [0; 4];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut room = [IoSliceMut::new(&mut pid)];
        let flags = RecvFlags::CMSG_CLOEXEC;
        let got = rustix::net::recvmsg(self.control.as_fd(), &mut room, &mut control, flags)
            .map_err(gone)?;
        let mut given = Vec::new();
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(descriptors) = message {
                given.extend(descriptors);
            }
        }
        if got.bytes != pid.len() {
            return Err(Failed::Gone("it ended".into()));
        }
        // The zygote could not make one, or this process has no room for what belongs to it; a
        // worker whose socket nobody holds ends by itself.
        let (Some(handle), Some(socket)) = (given.pop(), given.pop()) else {
            return Err(Failed::Full);
        };
        let socket = UnixStream::from(socket);
        let pid = i32::from_le_bytes(pid);
        match (Pid::from_raw(pid), socket.set_nonblocking(true)) {
            (Some(pid), Ok(())) => {
                Ok(Worker { socket: Some(socket), pid, handle: Arc::new(handle) })
            }
            _ => Err(Failed::Gone("it made no worker".into())),
        }
    }

    fn ended(&mut self, question: &Question) -> Result<Ended, String> {
        let plain = |error: rustix::io::Errno| error.to_string();
        let mut gone = [PollFd::new(&*question.handle, PollFlags::IN)];
        let soon = Timespec { tv_sec: SOON.as_secs().cast_signed(), tv_nsec: 0 };
        if rustix::event::poll(&mut gone, Some(&soon)).map_err(plain)? == 0 {
            return Err("it does not end".into());
        }
        let asked = ask::ended(question.pid);
        rustix::net::send(&self.control, &asked, SendFlags::NOSIGNAL).map_err(plain)?;
        let mut answer = [0; ENDED];
        let (length, _) =
            rustix::net::recv(&self.control, &mut answer[..], RecvFlags::empty()).map_err(plain)?;
        if length != ENDED {
            return Err("the zygote ended".into());
        }
        ask::read_ended(&answer).ok_or_else(|| "the zygote does not know".into())
    }
}

impl Drop for Zygote {
    /// Its workers end with it.
    fn drop(&mut self) {
        if let Err(error) = self.process.kill().and_then(|()| self.process.wait()) {
            tracing::debug!(%error, "the zygote had ended");
        }
    }
}
