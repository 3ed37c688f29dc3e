//! The hub's end of the socket to the reaper.

use super::words::{Order, PACKET_BYTES, Report, say};
use crate::desk::lock;
use crate::stdio::child::{Child, Process, Program};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::IoSlice;
use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
    sendmsg, socketpair,
};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::HashMap;
use std::io::{Error, ErrorKind, Result};
use std::mem::MaybeUninit;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::io::Interest;
use tokio::net::UnixDatagram;
use tokio::net::unix::pipe;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

struct Known {
    started: Option<oneshot::Sender<Result<()>>>,
    ended: watch::Sender<Option<String>>,
    pid: Option<i32>,
}

#[derive(Default)]
struct Children {
    known: Mutex<HashMap<u64, Known>>,
    /// Nothing is heard of the reaper any more.
    gone: Mutex<bool>,
}

/// A running reaper. Dropping it ends the reaper and all children.
pub(crate) struct Reaper {
    socket: Arc<UnixDatagram>,
    children: Arc<Children>,
    next: AtomicU64,
    listening: JoinHandle<()>,
}

impl Drop for Reaper {
    fn drop(&mut self) {
        // It holds the socket; the reaper ends when the last hold is gone.
        self.listening.abort();
    }
}

/// One child of the reaper. Dropping it kills the child and all that came of it.
pub(crate) struct Reaped {
    reaper: Arc<Reaper>,
    child: u64,
}

impl Reaped {
    pub fn ask_to_end(&self) {
        self.reaper.order(Order::AskToEnd { child: self.child });
    }

    pub fn kill(&self) {
        self.reaper.order(Order::Kill { child: self.child });
    }
}

impl Drop for Reaped {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Reaper {
    /// Starts a reaper with this command line.
    pub fn begin(line: &[String]) -> Result<Arc<Self>> {
        let (program, args) =
            line.split_first().ok_or_else(|| Error::other("its command line is empty"))?;
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        let mut command = Command::new(program);
        // Its own group: a Ctrl-C in the terminal must not end it before its work is done.
        command.args(args).process_group(0);
        command.stdin(theirs).stdout(Stdio::null()).stderr(Stdio::inherit());
        let mut reaper = command.spawn()?;
        drop(command);
        let ours = std::os::unix::net::UnixDatagram::from(ours);
        ours.set_nonblocking(true)?;
        let socket = Arc::new(UnixDatagram::from_std(ours)?);
        let children = Arc::new(Children::default());
        let (heard, of) = (socket.clone(), children.clone());
        let listening = tokio::spawn(async move {
            listen(&heard, &of).await;
            of.all_gone();
            // Buried, so that it does not stay as a zombie; it has closed its socket already.
            tokio::task::spawn_blocking(move || reaper.wait()).await.ok();
        });
        Ok(Arc::new(Self { socket, children, next: AtomicU64::new(1), listening }))
    }

    pub fn is_alive(&self) -> bool {
        !*lock(&self.children.gone)
    }

    /// Starts a child.
    pub async fn start(self: &Arc<Self>, program: Program) -> Result<Child> {
        let (their_in, our_in) = pipe_with(PipeFlags::CLOEXEC)?;
        let (our_out, their_out) = pipe_with(PipeFlags::CLOEXEC)?;
        let (our_err, their_err) = pipe_with(PipeFlags::CLOEXEC)?;
        let child = self.next.fetch_add(1, Ordering::SeqCst);
        let (started, start) = oneshot::channel();
        let (ended, exit) = watch::channel(None);
        let known = Known { started: Some(started), ended, pid: None };
        lock(&self.children.known).insert(child, known);
        // From here on: whatever happens, the child is killed if nobody holds it.
        let reaped = Reaped { reaper: self.clone(), child };
        let Program { command, args, env, cwd } = program;
        let order = Order::Start { child, command, args, env, cwd };
        let streams = [their_in, their_out, their_err];
        if let Err(error) = self.hand_over(&order, streams).await {
            lock(&self.children.known).remove(&child);
            return Err(error);
        }
        start.await.unwrap_or_else(|_| Err(Error::other("the reaper has gone")))?;
        Ok(Child {
            stdin: Box::pin(pipe::Sender::from_owned_fd(our_in)?),
            stdout: Box::pin(pipe::Receiver::from_owned_fd(our_out)?),
            stderr: Box::pin(pipe::Receiver::from_owned_fd(our_err)?),
            exit,
            process: Process::Reaped(reaped),
        })
    }

    async fn hand_over(&self, order: &Order, streams: [OwnedFd; 3]) -> Result<()> {
        let packet = serde_json::to_vec(order)?;
        if packet.len() > PACKET_BYTES {
            return Err(Error::other("its command line and environment are too long"));
        }
        let send = || {
            let fds = [streams[0].as_fd(), streams[1].as_fd(), streams[2].as_fd()];
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
            let mut control = SendAncillaryBuffer::new(&mut space);
            control.push(SendAncillaryMessage::ScmRights(&fds));
            let parts = [IoSlice::new(&packet)];
            sendmsg(&*self.socket, &parts, &mut control, SendFlags::NOSIGNAL)?;
            Ok(())
        };
        self.socket.async_io(Interest::WRITABLE, send).await
    }

    fn order(&self, order: Order) {
        let socket = self.socket.clone();
        let say = move || Ok(say(socket.as_fd(), &order)?);
        match self.socket.try_io(Interest::WRITABLE, &say) {
            Err(full) if full.kind() == ErrorKind::WouldBlock => {
                let socket = self.socket.clone();
                if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                    // Fails where the reaper is gone, like below.
                    runtime.spawn(async move { socket.async_io(Interest::WRITABLE, say).await });
                }
            }
            // The reaper is gone, and with it everything it kept.
            Err(error) => tracing::debug!(%error, "an order did not reach the reaper"),
            Ok(()) => {}
        }
    }
}

/// Hears reports until the reaper is gone.
async fn listen(socket: &UnixDatagram, children: &Children) {
    let mut packet = vec![0; PACKET_BYTES];
    // Packets keep their bounds; an empty one is the end.
    while let Ok(bytes @ 1..) = socket.recv(&mut packet).await {
        match serde_json::from_slice(&packet[..bytes]) {
            Ok(report) => children.hear(report),
            Err(error) => tracing::warn!(%error, "the reaper speaks unclearly"),
        }
    }
}

impl Children {
    fn hear(&self, report: Report) {
        let mut known = lock(&self.known);
        match report {
            Report::Started { child, pid } => {
                let Some(known) = known.get_mut(&child) else { return };
                known.pid = Some(pid);
                // The starter may have given up; then its child is being killed.
                known.started.take().map(|started| started.send(Ok(())));
            }
            Report::Failed { child, errno, why } => {
                let started = known.remove(&child).and_then(|known| known.started);
                let error = errno.map_or_else(|| Error::other(why), Error::from_raw_os_error);
                started.map(|started| started.send(Err(error)));
            }
            Report::Ended { child, how } => {
                if let Some(known) = known.remove(&child) {
                    known.ended.send(Some(how)).ok();
                }
            }
        }
    }

    /// The reaper was killed: its children die with it by the kernel, their groups by us.
    fn all_gone(&self) {
        *lock(&self.gone) = true;
        for (_, known) in lock(&self.known).drain() {
            if let Some(pid) = known.pid.and_then(Pid::from_raw) {
                kill_process_group(pid, Signal::KILL).ok();
            }
            known.ended.send(Some("the hub's process keeper was killed".to_owned())).ok();
        }
    }
}
