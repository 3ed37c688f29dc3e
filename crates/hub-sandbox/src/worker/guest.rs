//! One guest in a worker, as the engine of runs holds it: orders out, messages in, and the limits
//! that are watched from here: CPU by the worker's own clock, memory by grants.

use super::pool::{Ended, Pool, Worker, end};
use super::sys;
use super::talk::{Heard, Talk, delivered};
use super::wire::{self, order};
use crate::budget::Lease;
use crate::late::Late;
use hub_core::ports::{BoxFuture, Delivery, Finish, Guest, GuestFault, GuestSpec, Turn};
use rustix::fd::OwnedFd;
use rustix::process::Pid;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::Instant;

/// How often a program is started again whose worker was ended before it said anything.
const RETRIES: usize = 3;
/// Bytes read at once.
const READ: usize = 64 << 10;
/// A worker that neither rests nor computes is ended after this long beyond its CPU limit.
const SILENCE: Duration = Duration::from_secs(60);
/// Signals that a process brings upon itself; any other comes from outside.
const OWN_FAULTS: &[i32] = &[
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGILL,
    libc::SIGFPE,
    libc::SIGTRAP,
    libc::SIGABRT,
    libc::SIGXCPU,
    libc::SIGXFSZ,
];

/// A guest in a worker.
pub struct WorkerGuest {
    /// Dropped first, so that a worker is gone before its memory is given back.
    worker: Option<Joined>,
    lease: Lease,
    pool: Arc<Pool>,
    late: Late,
    talk: Talk,
}

/// A worker whose socket the runtime watches.
struct Joined {
    socket: UnixStream,
    worker: Worker,
    /// Whether it said anything yet.
    heard: bool,
}

impl WorkerGuest {
    /// Starts the program in a fresh worker.
    pub async fn start(
        pool: &Arc<Pool>,
        late: &Late,
        lease: Lease,
        spec: GuestSpec,
    ) -> Result<(Self, Turn), GuestFault> {
        let talk = Talk::new(spec);
        let payload = talk.start()?;
        let (pool, late) = (Arc::clone(pool), late.clone());
        let mut guest = Self { worker: None, lease, pool, late, talk };
        let mut left = RETRIES;
        loop {
            let mut joined = Joined::new(guest.pool.take().await?)?;
            match guest.turn(&mut joined, order::START, &payload).await {
                Ok(()) => {
                    guest.worker = Some(joined);
                    break;
                }
                Err(GuestFault::Lost) if !joined.heard && left > 0 => left -= 1,
                Err(fault) => return Err(fault),
            }
        }
        let turn = guest.talk.take_turn()?;
        Ok((guest, turn))
    }

    fn hold(&mut self, bytes: usize) -> Result<(), GuestFault> {
        if self.lease.raise(bytes) { Ok(()) } else { Err(GuestFault::Busy) }
    }

    /// A turn of a guest that has begun. Whatever goes wrong, and whoever stops waiting, the
    /// worker is gone afterwards.
    async fn go_on(&mut self, kind: u32, payload: &[u8]) -> Result<(), GuestFault> {
        let Some(mut joined) = self.worker.take() else { return Err(gone()) };
        self.turn(&mut joined, kind, payload).await?;
        self.worker = Some(joined);
        Ok(())
    }

    /// Gives one order and hears the worker out.
    async fn turn(
        &mut self,
        joined: &mut Joined,
        kind: u32,
        payload: &[u8],
    ) -> Result<(), GuestFault> {
        let hold = self.talk.begin(payload.len());
        self.hold(hold)?;
        let watch = Watch::begin(joined.worker.pid, self.talk.limits().cpu_ms);
        let handle = Arc::clone(&joined.worker.handle);
        let guard = EndOnDrop(Some(Arc::clone(&handle)));
        let done = watched(watch.overrun(), self.exchange(joined, kind, payload)).await;
        let Err(fault) = done else {
            guard.disarm();
            return Ok(());
        };
        drop(guard);
        let pid = joined.worker.pid;
        match fault {
            GuestFault::Lost => {
                let ended = self.pool.how_ended(pid, &handle).await;
                return Err(ended.map_or(GuestFault::Lost, why));
            }
            GuestFault::Cpu(_) => {
                let (late, due) = (self.late.clone(), watch.from + watch.limit);
                let note = move |ended: Ended| late.note(ended.cpu.saturating_sub(due));
                self.pool.when_ended(pid, &handle, note);
            }
            _ => {}
        }
        Err(fault)
    }

    async fn exchange(
        &mut self,
        joined: &mut Joined,
        kind: u32,
        payload: &[u8],
    ) -> Result<(), GuestFault> {
        let socket = &mut joined.socket;
        // A worker that ends while an order is on its way may have said why.
        let mut sent = send(socket, kind, payload).await;
        loop {
            match self.talk.hear()? {
                Heard::Rest => return sent,
                Heard::Wants { hold, order } => {
                    self.hold(hold)?;
                    if sent.is_ok() {
                        sent = write(socket, &order).await;
                    }
                    continue;
                }
                Heard::Part => {}
            }
            let room = self.talk.room();
            room.reserve(READ);
            match socket.read_buf(room).await {
                Ok(0) | Err(_) => return Err(GuestFault::Lost),
                Ok(_) => joined.heard = true,
            }
        }
    }
}

/// The watch is asked first: a worker that never stops talking uses up what the runtime lets one
/// task do at a time, and its limit would never be looked at.
async fn watched(
    overrun: impl Future<Output = GuestFault>,
    exchange: impl Future<Output = Result<(), GuestFault>>,
) -> Result<(), GuestFault> {
    tokio::select! {
        biased;
        fault = overrun => Err(fault),
        done = exchange => done,
    }
}

async fn send(socket: &mut UnixStream, kind: u32, payload: &[u8]) -> Result<(), GuestFault> {
    write(socket, &wire::order(kind, payload)).await
}

async fn write(socket: &mut UnixStream, bytes: &[u8]) -> Result<(), GuestFault> {
    socket.write_all(bytes).await.map_err(|_| GuestFault::Lost)
}

/// What a worker's end without a word means.
fn why(ended: Ended) -> GuestFault {
    match ended.signal {
        None => GuestFault::Broken("the worker ended".into()),
        Some(libc::SIGSYS) => {
            GuestFault::Broken("the worker tried something that is closed to it".into())
        }
        Some(signal) if OWN_FAULTS.contains(&signal) => {
            GuestFault::Broken(format!("the worker ended by signal {signal}"))
        }
        Some(_) => GuestFault::Lost,
    }
}

impl Joined {
    fn new(mut worker: Worker) -> Result<Self, GuestFault> {
        let socket = worker.socket.take().ok_or_else(gone)?;
        let socket = UnixStream::from_std(socket)
            .map_err(|error| GuestFault::Broken(format!("no way to the worker: {error}")))?;
        Ok(Self { socket, worker, heard: false })
    }
}

fn gone() -> GuestFault {
    GuestFault::Broken("the program has ended already".into())
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
            let (kind, payload) = delivered(&delivery)?;
            self.go_on(kind, &payload).await?;
            self.talk.take_turn()
        })
    }

    fn finish(&mut self) -> BoxFuture<'_, Result<Finish, GuestFault>> {
        Box::pin(async move {
            self.go_on(order::FINISH, &[]).await?;
            Ok(self.talk.take_finish())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A peer that always has more to say.
    #[tokio::test]
    async fn a_flood_does_not_hold_up_the_watch() {
        // Always ready, as long as the runtime lets it.
        let flood = async {
            for _ in 0..100_000 {
                tokio::task::consume_budget().await;
            }
            Err(GuestFault::Lost)
        };
        let (tell, told) = tokio::sync::oneshot::channel();
        tell.send(GuestFault::Cpu(20)).unwrap();
        let limit = async { told.await.unwrap() };
        assert_eq!(watched(limit, flood).await, Err(GuestFault::Cpu(20)));
    }

    #[test]
    fn what_a_worker_brings_upon_itself_is_its_end_and_nothing_else_is() {
        let ended = |signal| why(Ended { signal, cpu: Duration::ZERO });
        for signal in [libc::SIGKILL, libc::SIGTERM, libc::SIGHUP, libc::SIGINT] {
            assert_eq!(ended(Some(signal)), GuestFault::Lost);
        }
        for signal in OWN_FAULTS.iter().copied().chain([libc::SIGSYS]) {
            assert!(matches!(ended(Some(signal)), GuestFault::Broken(_)), "{signal}");
        }
        assert!(matches!(ended(None), GuestFault::Broken(_)));
    }
}
