//! Where what a server says on its own account is heard: its questions, its progress, its
//! `list_changed`. One desk per session; the links bring it what is no answer.

use crate::options::ListChanged;
use crate::scrub::Scrub;
use crate::wire::{raw, refusal, response};
use hub_core::id::SourceId;
use hub_core::limits;
use hub_core::ports::{AskPerson, Clock, HandOn, LateFn, Progress, ProgressFn};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// Locks; a panic elsewhere does not spread.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Debounces `list_changed` of one source.
pub(crate) struct Changes {
    pub source: SourceId,
    pub hook: Option<ListChanged>,
    pub clock: Arc<dyn Clock>,
    armed: Arc<AtomicBool>,
    pace: Mutex<Pace>,
}

/// How often a source that reports change after change is believed.
#[derive(Clone, Copy, Default)]
struct Pace {
    /// Milliseconds waited the last time.
    wait: u64,
    /// When the hook was last told.
    told: Option<u64>,
}

impl Pace {
    /// Milliseconds to wait at `now`: the least after a quiet time, twice the last wait where the
    /// source began again at once (some report a change whenever their list is read).
    fn next(&mut self, now: u64) -> u64 {
        let busy = self.told.is_some_and(|told| now.saturating_sub(told) < 2 * self.wait);
        let wait = if busy { self.wait * 2 } else { 0 };
        self.wait = wait.clamp(limits::LIST_CHANGED_MS, limits::LIST_CHANGED_MOST_MS);
        self.told = Some(now + self.wait);
        self.wait
    }
}

impl Changes {
    pub fn new(source: SourceId, hook: Option<ListChanged>, clock: Arc<dyn Clock>) -> Self {
        Self { source, hook, clock, armed: Arc::default(), pace: Mutex::default() }
    }

    /// However often this is called, the hook hears of it once per [`limits::LIST_CHANGED_MS`]
    /// (ever less often while it goes on), and always after the last call.
    pub fn noticed(&self) {
        let Some(hook) = self.hook.clone() else { return };
        if self.armed.swap(true, Ordering::SeqCst) {
            return;
        }
        let (armed, source) = (self.armed.clone(), self.source.clone());
        let wait = lock(&self.pace).next(self.clock.monotonic_ms());
        let wait = self.clock.sleep(wait);
        tokio::spawn(async move {
            wait.await;
            armed.store(false, Ordering::SeqCst);
            hook(source);
        });
    }
}

/// One call on its way, as far as the server may speak about it.
pub(crate) struct CallDesk {
    pub progress: Option<ProgressFn>,
    pub asks: Option<Arc<dyn AskPerson>>,
    pub hand_on: Option<HandOn>,
    late: Option<LateFn>,
    answered: AtomicBool,
    /// The call is over: nobody waits for answers any more.
    pub over: CancellationToken,
    life: Mutex<Life>,
}

#[derive(Clone, Copy)]
struct Life {
    /// When something was last heard ([`Clock::monotonic_ms`]).
    heard: u64,
    /// Questions that wait for the person.
    asking: u32,
    /// How far the call said it was.
    progress: f64,
}

impl CallDesk {
    /// `begun`: when its time began to run.
    pub fn new(progress: Option<ProgressFn>, asks: Option<Arc<dyn AskPerson>>, begun: u64) -> Self {
        let life = Mutex::new(Life { heard: begun, asking: 0, progress: f64::NEG_INFINITY });
        Self {
            progress,
            asks,
            hand_on: None,
            late: None,
            answered: AtomicBool::new(false),
            over: CancellationToken::new(),
            life,
        }
    }

    /// For a call of which is told when its answer comes after it was given up.
    pub fn late(mut self, late: Option<LateFn>) -> Self {
        self.late = late;
        self
    }

    /// Its answer came in time.
    pub fn answered(&self) {
        self.answered.store(true, Ordering::SeqCst);
    }

    /// For a call whose answer is handed on.
    pub fn hand_on(mut self, hand_on: Option<HandOn>) -> Self {
        self.hand_on = hand_on;
        self
    }

    /// Milliseconds left at `now` of a silence of `timeout`; a waiting question stops the count.
    pub fn left(&self, now: u64, timeout: u64) -> u64 {
        let life = *lock(&self.life);
        match life.asking {
            0 => (life.heard + timeout).saturating_sub(now),
            _ => timeout,
        }
    }

    /// Whether the call has come further: progress only grows.
    fn further(&self, amount: f64) -> bool {
        let mut life = lock(&self.life);
        let further = amount > life.progress;
        if further {
            life.progress = amount;
        }
        further
    }

    fn heard(&self, now: u64, asking: i32) {
        let mut life = lock(&self.life);
        life.heard = now;
        life.asking = life.asking.saturating_add_signed(asking);
    }
}

/// Counts a question in, and out again however it ends.
struct Asking<'a>(&'a CallDesk, &'a dyn Clock);

impl<'a> Asking<'a> {
    fn begin(call: &'a CallDesk, clock: &'a dyn Clock) -> Self {
        call.heard(clock.monotonic_ms(), 1);
        Self(call, clock)
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.heard(self.1.monotonic_ms(), -1);
    }
}

/// Hears what a server says in one session.
pub(crate) struct Desk {
    calls: Mutex<HashMap<i64, Arc<CallDesk>>>,
    /// Calls that were given up, the newest last.
    given_up: Mutex<VecDeque<(i64, LateFn)>>,
    changes: Arc<Changes>,
    clock: Arc<dyn Clock>,
    elicitation: bool,
    /// What no person is shown: a server may repeat its credentials in a question.
    scrub: Scrub,
    /// Requests of the server that are being answered.
    room: Arc<Semaphore>,
}

/// Takes a call off the desk when it is over, however it ends.
pub(crate) struct OnDesk {
    desk: Arc<Desk>,
    id: i64,
    pub call: Arc<CallDesk>,
}

impl Drop for OnDesk {
    fn drop(&mut self) {
        self.call.over.cancel();
        lock(&self.desk.calls).remove(&self.id);
        let late = self.call.late.clone();
        if let Some(late) = late.filter(|_| !self.call.answered.load(Ordering::SeqCst)) {
            let mut given_up = lock(&self.desk.given_up);
            if given_up.len() == limits::LATE_ANSWERS {
                given_up.pop_front();
            }
            given_up.push_back((self.id, late));
        }
    }
}

impl Desk {
    pub fn new(
        changes: Arc<Changes>,
        clock: Arc<dyn Clock>,
        elicitation: bool,
        scrub: Scrub,
    ) -> Self {
        let room = Arc::new(Semaphore::new(limits::SOURCE_QUESTIONS));
        let given_up = Mutex::default();
        Self { calls: Mutex::default(), given_up, changes, clock, elicitation, scrub, room }
    }

    /// Puts a call on the desk, under the id of its request (also its progress token).
    pub fn begin(self: &Arc<Self>, id: i64, call: CallDesk) -> OnDesk {
        let call = Arc::new(call);
        lock(&self.calls).insert(id, call.clone());
        OnDesk { desk: self.clone(), id, call }
    }

    /// An answer came that nobody waits for: it may be that of a call that was given up.
    pub fn late(&self, id: i64) {
        let mut given_up = lock(&self.given_up);
        let at = given_up.iter().position(|(known, _)| *known == id);
        let late = at.and_then(|at| given_up.remove(at));
        drop(given_up);
        if let Some((_, tell)) = late {
            tell();
        }
    }

    /// Room for answering one more request; none where a server floods us.
    pub fn room(&self) -> Option<OwnedSemaphorePermit> {
        self.room.clone().try_acquire_owned().ok()
    }

    /// Hears a notification. `during`: the request of ours on whose own stream it came, where
    /// the transport tells.
    pub fn told(&self, method: &str, params: Option<&RawValue>, during: Option<i64>) {
        match method {
            "notifications/tools/list_changed" => self.changes.noticed(),
            "notifications/progress" => {
                let params = params.and_then(|p| serde_json::from_str::<Value>(p.get()).ok());
                if let Some(params) = params {
                    self.progress(&params);
                }
            }
            "notifications/message" => {
                let on = self.whose(during).and_then(|call| call.hand_on.clone());
                if let (Some(on), Some(params)) = (on, params) {
                    (on.logs)(params.get());
                }
            }
            _ => tracing::trace!(method, "a source's notification"),
        }
    }

    fn progress(&self, params: &Value) {
        let id = match params.get("progressToken") {
            Some(Value::String(text)) => text.parse().ok(),
            Some(other) => other.as_i64(),
            None => None,
        };
        let call = id.and_then(|id| lock(&self.calls).get(&id).cloned());
        let Some(call) = call else { return };
        call.heard(self.clock.monotonic_ms(), 0);
        let amount = params.get("progress").and_then(Value::as_f64);
        let amount = amount.filter(|amount| call.further(*amount));
        if let (Some(tell), Some(amount)) = (&call.progress, amount) {
            let of = params.get("total").and_then(Value::as_f64);
            let message = params.get("message").and_then(Value::as_str);
            tell(Progress { done: amount, of, message });
        }
    }

    /// Answers a server's request: the message to send back. `during`: the request of ours on
    /// whose own stream it came, where the transport tells.
    pub async fn asked(
        &self,
        id: &Value,
        method: &str,
        params: Option<&RawValue>,
        during: Option<i64>,
    ) -> String {
        match method {
            "ping" => response(id, &raw(&json!({}))),
            "elicitation/create" if self.elicitation => {
                response(id, &self.elicit(params, during).await)
            }
            _ => refusal(id, -32601, "the hub does not offer this method"),
        }
    }

    async fn elicit(&self, params: Option<&RawValue>, during: Option<i64>) -> Box<RawValue> {
        let decline = || raw(&json!({"action": "decline"}));
        let Some((call, asks)) = self.who_asks(during) else { return decline() };
        let params = self.scrub.value(params.map_or("{}", RawValue::get));
        let asking = Asking::begin(&call, &*self.clock);
        let answer = tokio::select! {
            answer = asks.ask(&params) => answer,
            () = self.clock.sleep(limits::LIVE_QUESTION_MS) => return decline(),
            () = call.over.cancelled() => return raw(&json!({"action": "cancel"})),
        };
        drop(asking);
        let valid = serde_json::from_str::<Value>(&answer).is_ok_and(|a| a["action"].is_string());
        match RawValue::from_string(answer) {
            Ok(answer) if valid => answer,
            _ => decline(),
        }
    }

    /// Who answers a question.
    fn who_asks(&self, during: Option<i64>) -> Option<(Arc<CallDesk>, Arc<dyn AskPerson>)> {
        let call = self.whose(during)?;
        let asks = call.asks.clone()?;
        Some((call, asks))
    }

    /// The call that a server speaks about: the one whose stream carries it, else the only one.
    /// Which of several it is cannot be known, and a person must not answer for a wrong one.
    fn whose(&self, during: Option<i64>) -> Option<Arc<CallDesk>> {
        let calls = lock(&self.calls);
        match during {
            Some(id) => calls.get(&id).cloned(),
            None if calls.len() == 1 => calls.values().next().cloned(),
            None => None,
        }
    }
}

#[cfg(test)]
#[path = "desk_tests.rs"]
mod tests;
