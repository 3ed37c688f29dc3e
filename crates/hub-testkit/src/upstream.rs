//! Sources that answer from a script and remember what they were sent.

mod step;

pub use step::Step;

use hub_core::catalog::{Listing, Source, ToolDef};
use hub_core::connection::Connection;
use hub_core::ports::{
    Answer, BoxFuture, Clock, Continuation, Sent, Upstream, UpstreamCall, UpstreamError,
    UpstreamErrorKind,
};
use hub_core::time::UnixMillis;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Sources that answer from a script. Tools are named by source name and raw name.
pub struct ScriptedUpstream {
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
    /// Told of every call received and of every release.
    changed: Notify,
}

#[derive(Default)]
struct State {
    listings: HashMap<String, Listing>,
    always: HashMap<(String, String), Step>,
    next: HashMap<(String, String), VecDeque<Step>>,
    offline: HashSet<String>,
    open_gates: HashMap<String, usize>,
    calls: Vec<Received>,
    listed: HashMap<String, usize>,
    forgotten: Vec<String>,
    stderr: HashMap<String, String>,
}

/// A call as the source received it.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    /// Name of the source.
    pub source: String,
    /// Raw name of the tool.
    pub tool: String,
    /// Name of the connection.
    pub connection: Option<String>,
    /// The arguments, exact text.
    pub arguments: String,
    /// The answer it brings back, if it continues a call.
    pub continuation: Option<Continuation>,
    /// When.
    pub at: UnixMillis,
    /// Whether it was answered (not dropped on the way).
    pub answered: bool,
}

impl ScriptedUpstream {
    /// No sources yet; latencies are slept on `clock`.
    pub fn new(clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { clock, state: Mutex::default(), changed: Notify::new() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the source lists from now on.
    pub fn lists(&self, source: &str, listing: Listing) {
        self.state().listings.insert(source.to_owned(), listing);
    }

    /// Adds a tool to what the source lists, answering with `step` whenever nothing else is
    /// scripted.
    pub fn tool(&self, source: &str, tool: ToolDef, step: Step) {
        self.always(source, &tool.name, step);
        let mut state = self.state();
        let listing =
            state.listings.entry(source.to_owned()).or_insert_with(|| crate::fixtures::listing([]));
        listing.tools.retain(|t| t.name != tool.name);
        listing.tools.push(tool);
    }

    /// The answer of the tool whenever nothing is scripted for the next call.
    pub fn always(&self, source: &str, tool: &str, step: Step) {
        self.state().always.insert((source.to_owned(), tool.to_owned()), step);
    }

    /// The answer to the next call that has none scripted yet.
    pub fn next(&self, source: &str, tool: &str, step: Step) {
        let key = (source.to_owned(), tool.to_owned());
        self.state().next.entry(key).or_default().push_back(step);
    }

    /// Whether the source is away: nothing reaches it then.
    pub fn offline(&self, source: &str, away: bool) {
        let mut state = self.state();
        if away {
            state.offline.insert(source.to_owned());
        } else {
            state.offline.remove(source);
        }
    }

    /// Lets one call pass [`Step::gate`] of that name, now or when it comes.
    pub fn open(&self, gate: &str) {
        *self.state().open_gates.entry(gate.to_owned()).or_default() += 1;
        self.changed.notify_waiters();
    }

    /// What the source wrote to its standard error.
    pub fn wrote(&self, source: &str, stderr: &str) {
        self.state().stderr.insert(source.to_owned(), stderr.to_owned());
    }

    /// Every call received, in order.
    pub fn calls(&self) -> Vec<Received> {
        self.state().calls.clone()
    }

    /// How many calls of the tool were received.
    pub fn count(&self, source: &str, tool: &str) -> usize {
        self.state().calls.iter().filter(|c| c.source == source && c.tool == tool).count()
    }

    /// How often the source was asked for its tools.
    pub fn listed(&self, source: &str) -> usize {
        self.state().listed.get(source).copied().unwrap_or(0)
    }

    /// The sources whose connections were ended, in order.
    pub fn forgotten(&self) -> Vec<String> {
        self.state().forgotten.clone()
    }

    /// Returns once at least `n` calls were received, over all tools.
    pub async fn until_received(&self, n: usize) {
        self.until(|state| (state.calls.len() >= n).then_some(())).await;
    }

    async fn until<T>(&self, ready: impl Fn(&mut State) -> Option<T>) -> T {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(found) = ready(&mut self.state()) {
                return found;
            }
            changed.await;
        }
    }

    /// Notes the call; returns its number and the step that answers it.
    fn receive(&self, call: &UpstreamCall) -> Result<(usize, Step), UpstreamError> {
        let mut state = self.state();
        if state.offline.contains(&call.source.name) {
            return Err(away(&call.source.name));
        }
        state.calls.push(Received {
            source: call.source.name.clone(),
            tool: call.tool.clone(),
            connection: call.connection.as_ref().map(|c| c.name.clone()),
            arguments: call.arguments.clone(),
            continuation: call.continuation.clone(),
            at: self.clock.now(),
            answered: false,
        });
        let key = (call.source.name.clone(), call.tool.clone());
        let next = state.next.get_mut(&key).and_then(VecDeque::pop_front);
        let step = next.or_else(|| state.always.get(&key).cloned());
        Ok((state.calls.len() - 1, step.unwrap_or_else(|| Step::unknown_tool(&call.tool))))
    }

    async fn perform(&self, step: Step, call: &UpstreamCall) -> Result<Answer, UpstreamError> {
        step.begin(call);
        if let Some(gate) = &step.gate {
            self.until(|state| {
                let open = state.open_gates.get_mut(gate).filter(|n| **n > 0)?;
                *open -= 1;
                Some(())
            })
            .await;
        }
        if step.latency_ms >= call.timeout_ms {
            self.clock.sleep(call.timeout_ms).await;
            return Err(Step::late());
        }
        if step.latency_ms > 0 {
            self.clock.sleep(step.latency_ms).await;
        }
        step.answer(call).await
    }
}

fn away(source: &str) -> UpstreamError {
    UpstreamError {
        kind: UpstreamErrorKind::Unavailable,
        sent: Sent::No,
        message: format!("{source} is away"),
        status: None,
        data: None,
    }
}

impl Upstream for ScriptedUpstream {
    fn list<'a>(
        &'a self,
        source: &'a Source,
        _connection: Option<&'a Connection>,
    ) -> BoxFuture<'a, Result<Listing, UpstreamError>> {
        let mut state = self.state();
        *state.listed.entry(source.name.clone()).or_default() += 1;
        let listing = state.listings.get(&source.name).cloned();
        let known = listing.filter(|_| !state.offline.contains(&source.name));
        Box::pin(std::future::ready(known.ok_or_else(|| away(&source.name))))
    }

    fn call(&self, call: UpstreamCall) -> BoxFuture<'_, Result<Answer, UpstreamError>> {
        Box::pin(async move {
            let (n, step) = self.receive(&call)?;
            self.changed.notify_waiters();
            let answer = self.perform(step, &call).await;
            self.state().calls[n].answered = true;
            answer
        })
    }

    fn forget<'a>(&'a self, source: &'a Source) -> BoxFuture<'a, ()> {
        self.state().forgotten.push(source.name.clone());
        Box::pin(std::future::ready(()))
    }

    fn stderr(&self, source: &Source) -> Option<String> {
        self.state().stderr.get(&source.name).cloned()
    }
}

#[cfg(test)]
mod tests;
