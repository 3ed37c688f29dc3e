//! One guest in a worker, as the engine of runs holds it: orders out, messages in, and the limits
//! that are watched from here: CPU by the worker's own clock, memory by grants.

use super::pool::{Pool, Worker, end};
use super::sys;
use super::wire::{self, Inbox, broken, fault, order, say};
use crate::budget::Lease;
use crate::outbox::{Outbox, Taken};
use crate::start;
use hub_core::ports::{
    BoxFuture, Delivery, Finish, Guest, GuestFault, GuestLimits, GuestSpec, Turn,
};
use rustix::fd::OwnedFd;
use rustix::process::Pid;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::Instant;

/// KiB that a worker has before it asks.
const FIRST_KIB: usize = 4 << 10;
/// Bytes beyond the heap's limit that a worker may ask for: what the allocator wastes, and an
/// order on its way in.
const SLACK: usize = 64 << 20;
/// How often a program is started again whose worker ended without a word: its zygote died.
const RETRIES: usize = 3;
/// Bytes read at once.
const READ: usize = 64 << 10;
/// A worker that neither rests nor computes is ended after this long beyond its CPU limit.
const SILENCE: Duration = Duration::from_secs(60);

/// A guest in a worker.
pub struct WorkerGuest {
    /// Dropped first, so that a worker is gone before its memory is given back.
    worker: Option<Joined>,
    lease: Lease,
    /// Bytes taken for it of what all guests share.
    held: usize,
    /// Bytes that it says it uses, as it came to rest.
    used: usize,
    tools: Vec<Option<Vec<u8>>>,
    /// Whether a worker said anything yet.
    heard: bool,
    outbox: Outbox,
    inbox: Inbox,
    spec: GuestSpec,
}

/// A worker whose socket the runtime watches.
struct Joined {
    socket: UnixStream,
    worker: Worker,
}

impl WorkerGuest {
    /// Starts the program in a fresh worker.
    pub async fn start(
        pool: &Pool,
        lease: Lease,
        spec: GuestSpec,
    ) -> Result<(Self, Turn), GuestFault> {
        let bytes = start::buffer(&spec)?;
        let outbox = Outbox::new(spec.limits);
        let used = FIRST_KIB << 10;
        let tools = vec![None; spec.namespaces.len()];
        let inbox = Inbox::default();
        let mut guest =
            Self { worker: None, lease, held: 0, used, tools, heard: false, outbox, inbox, spec };
        let operations = u32::try_from(guest.spec.limits.ops_per_turn).unwrap_or(u32::MAX);
        let mut payload = Vec::with_capacity(8 + bytes.len());
        payload.extend_from_slice(&operations.to_le_bytes());
        payload.extend_from_slice(&(FIRST_KIB as u32).to_le_bytes());
        payload.extend_from_slice(&bytes);
        let mut left = RETRIES;
        loop {
            guest.worker = Some(Joined::new(pool.take().await?)?);
            match guest.turn(order::START, &payload).await {
                Err(fault) if fault == died() && !guest.heard && left > 0 => left -= 1,
                done => break done?,
            }
        }
        let turn = guest.outbox.take_turn()?;
        Ok((guest, turn))
    }

    fn limits(&self) -> &GuestLimits {
        &self.spec.limits
    }

    /// Bytes that a worker may hold.
    fn most(&self) -> usize {
        self.limits().heap_bytes.saturating_add(SLACK)
    }

    /// Takes up to so many bytes of what all guests share.
    fn hold(&mut self, bytes: usize) -> Result<(), GuestFault> {
        self.held = self.held.max(bytes);
        if self.lease.raise(self.held) { Ok(()) } else { Err(GuestFault::Busy) }
    }

    /// Gives one order and hears the worker out. Whatever goes wrong, and whoever stops waiting,
    /// the worker is gone afterwards.
    async fn turn(&mut self, kind: u32, payload: &[u8]) -> Result<(), GuestFault> {
        let Some(mut joined) = self.worker.take() else { return Err(gone()) };
        self.hold(self.used.saturating_add(payload.len()))?;
        let watch = Watch::begin(joined.worker.pid, self.limits().cpu_ms);
        let guard = EndOnDrop(Some(Arc::clone(&joined.worker.handle)));
        let done = tokio::select! {
            biased;
            done = self.exchange(&mut joined.socket, kind, payload) => done,
            fault = watch.overrun() => Err(fault),
        };
        done?;
        guard.disarm();
        self.worker = Some(joined);
        Ok(())
    }

    async fn exchange(
        &mut self,
        socket: &mut UnixStream,
        kind: u32,
        payload: &[u8],
    ) -> Result<(), GuestFault> {
        send(socket, kind, payload).await?;
        loop {
            while let Some(message) = self.inbox.next()? {
                match message.kind {
                    say::REST => {
                        self.used = (message.n as usize).saturating_mul(1024);
                        return if self.used > self.most() { Err(broken()) } else { Ok(()) };
                    }
                    say::TOOLS => {
                        let index = message.n as usize;
                        send(socket, order::TOOLS, self.tools(index)).await?;
                    }
                    say::GROW => {
                        let kilobytes = message.n;
                        self.grow(socket, kilobytes).await?;
                    }
                    say::FAULT => {
                        let why = message.n;
                        return Err(self.ended(why));
                    }
                    kind => match self.outbox.take(kind, message.n, message.head, message.body)? {
                        Taken::Yes => {}
                        // An honest worker refuses by the same measure and never sends it.
                        Taken::Refused => return Err(broken()),
                    },
                }
            }
            let room = self.inbox.room();
            room.reserve(READ);
            match socket.read_buf(room).await {
                Ok(0) | Err(_) => return Err(died()),
                Ok(_) => self.heard = true,
            }
        }
    }

    /// Names of the tools of a namespace, written once.
    fn tools(&mut self, index: usize) -> &[u8] {
        match (self.spec.namespaces.get(index), self.tools.get_mut(index)) {
            (Some(namespace), Some(slot)) => slot.get_or_insert_with(|| start::tools(namespace)),
            _ => b"[]",
        }
    }

    async fn grow(&mut self, socket: &mut UnixStream, kilobytes: u32) -> Result<(), GuestFault> {
        let bytes = (kilobytes as usize).saturating_mul(1024);
        let wanted = self.held.saturating_add(bytes);
        if wanted > self.most() {
            return Err(self.ended(fault::MEMORY));
        }
        self.hold(wanted)?;
        let grant = wire::order_head(order::GRANT, kilobytes as usize);
        socket.write_all(&grant).await.map_err(|_| died())
    }

    fn ended(&self, why: u32) -> GuestFault {
        match why {
            fault::MEMORY => GuestFault::Memory(self.limits().heap_bytes),
            fault::STACK => GuestFault::Stack,
            _ => GuestFault::Broken("the worker failed".into()),
        }
    }
}

async fn send(socket: &mut UnixStream, kind: u32, payload: &[u8]) -> Result<(), GuestFault> {
    let mut bytes = Vec::with_capacity(wire::ORDER + payload.len());
    bytes.extend_from_slice(&wire::order_head(kind, payload.len()));
    bytes.extend_from_slice(payload);
    socket.write_all(&bytes).await.map_err(|_| died())
}

impl Joined {
    fn new(mut worker: Worker) -> Result<Self, GuestFault> {
        let socket = worker.socket.take().ok_or_else(gone)?;
        let socket = UnixStream::from_std(socket)
            .map_err(|error| GuestFault::Broken(format!("no way to the worker: {error}")))?;
        Ok(Self { socket, worker })
    }
}

fn gone() -> GuestFault {
    GuestFault::Broken("the program has ended already".into())
}

fn died() -> GuestFault {
    GuestFault::Broken("the worker ended".into())
}

/// CPU of a worker in one turn, by its own clock: waiting for a core costs nothing.
struct Watch {
    pid: Pid,
    from: Duration,
    limit: Duration,
    began: Instant,
}

impl Watch {
    fn begin(pid: Pid, cpu_ms: u64) -> Self {
        let from = sys::cpu_of(pid).unwrap_or_default();
        Self { pid, from, limit: Duration::from_millis(cpu_ms), began: Instant::now() }
    }

    /// Ends when the worker has used too much. It has one thread, so it cannot have used more
    /// than has passed: the next look is due when all that is left may be gone.
    async fn overrun(&self) -> GuestFault {
        loop {
            let used = sys::cpu_of(self.pid).map(|now| now.saturating_sub(self.from));
            let left = self.limit.saturating_sub(used.unwrap_or_default());
            if left.is_zero() {
                return GuestFault::Cpu(self.limit.as_millis() as u64);
            }
            if self.began.elapsed() > self.limit * 10 + SILENCE {
                return GuestFault::Broken("the worker does not answer".into());
            }
            tokio::time::sleep(left).await;
        }
    }
}

/// Ends the worker when the wait for it is given up.
struct EndOnDrop(Option<Arc<OwnedFd>>);

impl EndOnDrop {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        if let Some(handle) = &self.0 {
            end(handle);
        }
    }
}

impl Guest for WorkerGuest {
    fn deliver(&mut self, delivery: Delivery) -> BoxFuture<'_, Result<Turn, GuestFault>> {
        Box::pin(async move {
            match delivery {
                Delivery::Settle { n, outcome, at } => {
                    let failure;
                    let (ok, json) = match &outcome {
                        Ok(json) => (1u32, json.as_bytes()),
                        Err(error) => {
                            failure = serde_json::to_vec(error)
                                .map_err(|error| GuestFault::Broken(error.to_string()))?;
                            (0, failure.as_slice())
                        }
                    };
                    let mut payload = Vec::with_capacity(16 + json.len());
                    payload.extend_from_slice(&n.to_le_bytes());
                    payload.extend_from_slice(&ok.to_le_bytes());
                    payload.extend_from_slice(&(at.0 as f64).to_le_bytes());
                    payload.extend_from_slice(json);
                    self.turn(order::SETTLE, &payload).await?;
                }
                Delivery::Fire { timer, at } => {
                    let mut payload = [0; 12];
                    payload[..4].copy_from_slice(&timer.to_le_bytes());
                    payload[4..].copy_from_slice(&(at.0 as f64).to_le_bytes());
                    self.turn(order::FIRE, &payload).await?;
                }
            }
            self.outbox.take_turn()
        })
    }

    fn finish(&mut self) -> BoxFuture<'_, Result<Finish, GuestFault>> {
        Box::pin(async move {
            self.turn(order::FINISH, &[]).await?;
            Ok(self.outbox.take_finish())
        })
    }
}
