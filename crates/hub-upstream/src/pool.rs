//! Sessions by source and connection: opened on first use by whoever comes first, for everybody;
//! again when they end, with growing pauses while that fails; closed when idle.

use crate::desk::{Changes, lock};
use crate::fault::unavailable;
use crate::open::{Belongings, Opener};
use crate::session::Session;
use crate::stdio::Tail;
use hub_core::catalog::Source;
use hub_core::connection::Connection;
use hub_core::digest::Digest;
use hub_core::id::SourceId;
use hub_core::limits;
use hub_core::ports::{Sent, UpstreamError, UpstreamErrorKind as Kind};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// The first pause after a failed start, in milliseconds; it doubles.
const FIRST_PAUSE_MS: u64 = 1_000;
/// A pause of at most so many milliseconds is waited for in silence.
const SHORT_PAUSE_MS: u64 = 2_000;
/// Milliseconds between two attempts to listen for changed lists.
const LISTEN_AGAIN_MS: u64 = 60_000;

/// Where a source stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceStatus {
    /// Not needed yet, or not for a while.
    Idle,
    /// Being started.
    Starting,
    /// Open.
    Ready {
        /// The revision it speaks.
        protocol_version: String,
    },
    /// It could not be started.
    Failed {
        /// Why.
        reason: String,
        /// When it is tried again.
        retry_in_ms: u64,
    },
}

type Opened = Result<Arc<Session>, UpstreamError>;
type Key = (SourceId, Option<String>);

enum State {
    Empty,
    Opening(watch::Receiver<Option<Opened>>),
    Open(Arc<Session>),
}

struct Slot {
    /// What it was opened for; something else makes it worthless.
    print: Digest,
    /// Which opening is the current one; no two are the same, over all slots.
    turn: u64,
    state: State,
    failures: u32,
    not_before: u64,
    failed: Option<UpstreamError>,
}

pub(crate) struct Pool {
    opener: Opener,
    slots: Mutex<HashMap<Key, Slot>>,
    belongings: Mutex<HashMap<SourceId, Belongings>>,
    turns: AtomicU64,
}

/// What to do next about a slot.
enum Step {
    Have(Arc<Session>),
    Wait(watch::Receiver<Option<Opened>>),
    Pause(u64),
    Fail(UpstreamError),
}

fn print(source: &Source, connection: Option<&Connection>) -> Digest {
    let connection = connection.and_then(|of| serde_json::to_vec(of).ok()).unwrap_or_default();
    // What a server is told at the beginning depends on it.
    let one_at_a_time = [u8::from(source.concurrency.is_none_or(|at_once| at_once <= 1))];
    Digest::of_parts([source.identity().to_string().as_bytes(), &connection, &one_at_a_time])
}

impl Pool {
    pub fn new(opener: Opener) -> Arc<Self> {
        Arc::new(Self {
            opener,
            slots: Mutex::default(),
            belongings: Mutex::default(),
            turns: AtomicU64::new(1),
        })
    }

    pub fn opener(&self) -> &Opener {
        &self.opener
    }

    /// What belongs to a source.
    pub fn of(&self, source: &SourceId) -> Belongings {
        let mut belongings = lock(&self.belongings);
        let fresh = || {
            let hook = self.opener.options.on_list_changed.clone();
            let changes = Changes::new(source.clone(), hook, self.opener.clock.clone());
            Belongings { tail: Arc::new(Tail::default()), changes: Arc::new(changes) }
        };
        belongings.entry(source.clone()).or_insert_with(fresh).clone()
    }

    /// An open session, and whether it was opened for this caller just now. Waits at most
    /// `patience_ms` for it to open; the opening itself goes on.
    pub async fn session(
        self: &Arc<Self>,
        source: &Source,
        connection: Option<&Connection>,
        patience_ms: u64,
    ) -> Result<(Arc<Session>, bool), UpstreamError> {
        let patience = self.opener.clock.sleep(patience_ms);
        tokio::pin!(patience);
        loop {
            let mut opening = match self.step(source, connection) {
                Step::Have(session) => return Ok((session, false)),
                Step::Fail(error) => return Err(error),
                Step::Wait(opening) => opening,
                Step::Pause(ms) => {
                    self.opener.clock.sleep(ms).await;
                    continue;
                }
            };
            let opened = tokio::select! {
                opened = opening.wait_for(Option::is_some) => match opened {
                    Ok(opened) => opened.clone(),
                    // It was forgotten meanwhile.
                    Err(_) => None,
                },
                () = &mut patience => {
                    let message = "still starting (a first start may download it); try again later";
                    return Err(unavailable(Sent::No, message));
                }
            };
            match opened {
                Some(opened) => return opened.map(|session| (session, true)),
                None => return Err(unavailable(Sent::No, "it was changed or removed meanwhile")),
            }
        }
    }

    fn step(self: &Arc<Self>, source: &Source, connection: Option<&Connection>) -> Step {
        let now = self.opener.clock.monotonic_ms();
        let key = (source.id.clone(), connection.map(|of| of.name.clone()));
        let print = print(source, connection);
        let mut slots = lock(&self.slots);
        let slot = slots.entry(key.clone()).or_insert_with(|| Slot::new(print));
        if slot.print != print {
            let old = std::mem::replace(slot, Slot::new(print));
            close(old.state);
        }
        match &slot.state {
            State::Opening(opening) => return Step::Wait(opening.clone()),
            State::Open(session) if session.link.ended().is_none() => {
                return Step::Have(session.clone());
            }
            State::Open(session) => {
                // One that never answered anything counts as a failed start.
                let worked = session.answered.load(Ordering::SeqCst) > 0;
                let reason = session.link.ended().unwrap_or_default();
                let error = unavailable(Sent::No, reason);
                slot.failed(now, if worked { None } else { Some(error) });
                close(std::mem::replace(&mut slot.state, State::Empty));
            }
            State::Empty => {}
        }
        if let (Some(error), ms @ 1..) = (&slot.failed, slot.not_before.saturating_sub(now)) {
            if ms <= SHORT_PAUSE_MS {
                return Step::Pause(ms);
            }
            let mut error = error.clone();
            error.sent = Sent::No;
            error.message = format!("{} (tried again in {} s)", error.message, ms.div_ceil(1_000));
            return Step::Fail(error);
        }
        let (told, opening) = watch::channel(None);
        slot.turn = self.turns.fetch_add(1, Ordering::SeqCst);
        slot.state = State::Opening(opening.clone());
        let (source, connection) = (source.clone(), connection.cloned());
        tokio::spawn(self.clone().open(key, slot.turn, source, connection, told));
        Step::Wait(opening)
    }

    /// Opens a session on its own, so that nobody's impatience ends a start.
    async fn open(
        self: Arc<Self>,
        key: Key,
        turn: u64,
        source: Source,
        connection: Option<Connection>,
        told: watch::Sender<Option<Opened>>,
    ) {
        let of = self.of(&source.id);
        let opened = self.opener.open(&source, connection.as_ref(), &of).await;
        let now = self.opener.clock.monotonic_ms();
        let current = {
            let mut slots = lock(&self.slots);
            let slot = slots.get_mut(&key).filter(|slot| slot.turn == turn);
            slot.map(|slot| match &opened {
                Ok(session) => slot.state = State::Open(session.clone()),
                Err(error) => {
                    slot.state = State::Empty;
                    // A missing credential may be there the next moment.
                    let counts = error.kind != Kind::Unauthorized;
                    slot.failed(now, counts.then(|| error.clone()));
                }
            })
        };
        match (&opened, current) {
            (Ok(session), Some(())) => {
                if connection.as_ref().is_none_or(|of| of.is_default) {
                    self.read_again(&of, session);
                }
                self.attend(key, session);
            }
            (Ok(session), None) => session.link.close().await,
            _ => {}
        }
        // Nobody may be waiting any more.
        told.send(Some(opened)).ok();
    }

    /// A server that was started anew may have other tools than the last time. Where nobody lists
    /// it anyway, and with the connection that lists, that counts as a change.
    fn read_again(&self, of: &Belongings, session: &Arc<Session>) {
        let (changes, weak) = (of.changes.clone(), Arc::downgrade(session));
        let (clock, over) = (self.opener.clock.clone(), session.over.clone());
        let look = async move {
            clock.sleep(limits::LIST_CHANGED_MS).await;
            let unlisted = |session: &Arc<Session>| !session.listed.load(Ordering::SeqCst);
            if weak.upgrade().as_ref().is_some_and(unlisted) {
                changes.noticed();
            }
        };
        if self.opener.options.on_list_changed.is_some() {
            tokio::spawn(over.run_until_cancelled_owned(look));
        }
    }

    /// What runs beside a session for as long as it lives.
    fn attend(self: &Arc<Self>, key: Key, session: &Arc<Session>) {
        let listens = self.opener.options.on_list_changed.is_some();
        let declared = session.hello.capabilities.pointer("/tools/listChanged");
        let declared = declared.is_some_and(|declared| declared == true);
        if listens && session.hello.is_modern() && declared {
            let (weak, over) = (Arc::downgrade(session), session.over.clone());
            let clock = self.opener.clock.clone();
            let listening = async move {
                while let Some(session) = weak.upgrade() {
                    // A server that refuses is not asked again.
                    if session.listen().await.is_err() {
                        return;
                    }
                    drop(session);
                    clock.sleep(LISTEN_AGAIN_MS).await;
                }
            };
            tokio::spawn(over.run_until_cancelled_owned(listening));
        }
        if let Some(general) = session.general.clone() {
            let over = session.over.clone();
            tokio::spawn(over.run_until_cancelled_owned(general.run()));
        }
        let (pool, weak) = (Arc::downgrade(self), Arc::downgrade(session));
        let (clock, idle_ms) = (self.opener.clock.clone(), self.opener.options.idle_ms);
        let watching = async move {
            loop {
                clock.sleep(idle_ms).await;
                let (Some(pool), Some(session)) = (pool.upgrade(), weak.upgrade()) else { return };
                if session.idle_for(clock.monotonic_ms()) >= idle_ms {
                    pool.retire(&key, &session).await;
                    return;
                }
            }
        };
        tokio::spawn(session.over.clone().run_until_cancelled_owned(watching));
    }

    /// Takes this very session out and closes it.
    async fn retire(&self, key: &Key, session: &Arc<Session>) {
        if self.take(key, session) {
            tracing::debug!(source = %key.0, "closed: idle");
            session.end().await;
        }
    }

    fn take(&self, key: &Key, session: &Arc<Session>) -> bool {
        let mut slots = lock(&self.slots);
        let slot = slots.get_mut(key);
        let held =
            slot.filter(|s| matches!(&s.state, State::Open(open) if Arc::ptr_eq(open, session)));
        held.map(|slot| slot.state = State::Empty).is_some()
    }

    /// Gives up a session that is of no more use; the next call opens another one.
    pub fn give_up(
        &self,
        source: &Source,
        connection: Option<&Connection>,
        session: &Arc<Session>,
    ) {
        let key = (source.id.clone(), connection.map(|of| of.name.clone()));
        if self.take(&key, session) {
            close(State::Open(session.clone()));
        }
    }

    /// Closes everything towards a source and forgets it.
    pub async fn forget(&self, source: &SourceId) {
        let slots: Vec<Slot> = {
            let mut all = lock(&self.slots);
            let keys: Vec<Key> = all.keys().filter(|key| key.0 == *source).cloned().collect();
            keys.iter().filter_map(|key| all.remove(key)).collect()
        };
        self.opener.forget(source);
        lock(&self.belongings).remove(source);
        for slot in slots {
            if let State::Open(session) = slot.state {
                session.end().await;
            }
        }
    }

    /// Closes everything.
    pub async fn close(&self) {
        let slots: Vec<Slot> = lock(&self.slots).drain().map(|(_, slot)| slot).collect();
        let ends = slots.into_iter().map(|slot| async move {
            if let State::Open(session) = slot.state {
                session.end().await;
            }
        });
        futures_util::future::join_all(ends).await;
    }

    /// Where a source stands, over all its connections.
    pub fn status(&self, source: &SourceId) -> SourceStatus {
        let now = self.opener.clock.monotonic_ms();
        let mut status = SourceStatus::Idle;
        for (_, slot) in lock(&self.slots).iter().filter(|(key, _)| key.0 == *source) {
            match (&slot.state, &slot.failed) {
                (State::Open(session), _) if session.link.ended().is_none() => {
                    let protocol_version = session.hello.version.clone();
                    return SourceStatus::Ready { protocol_version };
                }
                (State::Opening(_), _) => status = SourceStatus::Starting,
                (_, Some(error)) if status == SourceStatus::Idle => {
                    let retry_in_ms = slot.not_before.saturating_sub(now);
                    status = SourceStatus::Failed { reason: error.message.clone(), retry_in_ms };
                }
                _ => {}
            }
        }
        status
    }
}

impl Slot {
    fn new(print: Digest) -> Self {
        Self { print, turn: 0, state: State::Empty, failures: 0, not_before: 0, failed: None }
    }

    /// Counts a failed start, or begins to count anew.
    fn failed(&mut self, now: u64, error: Option<UpstreamError>) {
        self.failures = if error.is_some() { self.failures + 1 } else { 0 };
        self.failed = error;
        let doublings = self.failures.saturating_sub(1).min(16);
        let pause = (FIRST_PAUSE_MS << doublings).min(limits::SOURCE_BACKOFF_MS);
        self.not_before = if self.failures > 0 { now + pause } else { 0 };
    }
}

fn close(state: State) {
    if let State::Open(session) = state {
        tokio::spawn(async move { session.end().await });
    }
}
