//! A legacy server that asks the person inside a live call (`elicitation/create`).
//!
//! The call stays open, at most half an hour; the run is not parked and the wait costs it no
//! active time. A crash then means `outcome_unknown`, as for any call on its way.

use crate::run::judge::CallPlan;
use crate::run::pass::{Abandoned, Pass};
use crate::run::registry::{Live, Report};
use hub_core::id::PendingId;
use hub_core::limits;
use hub_core::machine::{Unsaved, WaitDraft};
use hub_core::pending::{Choice, PendingKind};
use hub_core::ports::{AskPerson, BoxFuture};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::oneshot;

/// The key of the one request in a question that came inside a live call.
const KEY: &str = "elicitation";
/// What a server hears where nobody answers.
const DECLINE: &str = r#"{"action":"decline"}"#;

/// Puts a server's question to the run that made the call.
pub(crate) struct Asker {
    pub(crate) live: Arc<Live>,
    pub(crate) n: u32,
}

impl AskPerson for Asker {
    fn ask<'a>(&'a self, params: &'a str) -> BoxFuture<'a, String> {
        Box::pin(async move {
            let (reply, answer) = oneshot::channel();
            let params = params.to_owned();
            let report = Report::Asks { n: self.n, params, reply };
            if self.live.reports.send(report).await.is_err() {
                return DECLINE.to_owned();
            }
            answer.await.unwrap_or_else(|_| DECLINE.to_owned())
        })
    }
}

/// A question that waits inside a live call.
pub(crate) struct Asking {
    pending: PendingId,
    reply: oneshot::Sender<String>,
    /// Monotonic milliseconds at which it is declined.
    until: u64,
}

impl Pass {
    /// Makes a pending of a question and tells whoever waits on the run.
    pub(crate) async fn ask_inside(
        &mut self,
        n: u32,
        params: &str,
        reply: oneshot::Sender<String>,
    ) -> Result<(), Abandoned> {
        let Some(plan) = self.plan(n) else { return Ok(()) };
        let draft = self.question(&plan, params);
        let pending = draft.id.clone();
        let unsaved = Unsaved { waits: vec![(n, draft)], ..Unsaved::default() };
        self.commit(&unsaved, None, Vec::new(), 0, true).await?;
        let now = self.engine.inner.deps.clock.monotonic_ms();
        self.asking.push(Asking { pending, reply, until: now + limits::LIVE_QUESTION_MS });
        self.live.free.begin(now);
        self.engine.inner.deps.screen.open(&self.record.id);
        self.live.asking.send_modify(|open| *open += 1);
        Ok(())
    }

    fn question(&self, plan: &CallPlan, params: &str) -> WaitDraft {
        let params: Value = serde_json::from_str(params).unwrap_or(Value::Null);
        let request = json!({ "method": "elicitation/create", "params": params });
        let mut draft = self.engine.draft(plan, PendingKind::Input);
        draft.question = Some(json!({ KEY: request }).to_string());
        draft
    }

    /// Whether the decision was for a question inside a live call; it is answered then.
    pub(crate) fn answer_inside(&mut self, pending: &PendingId, choice: &Choice) -> bool {
        let Some(at) = self.asking.iter().position(|a| a.pending == *pending) else {
            return false;
        };
        let asking = self.asking.swap_remove(at);
        let answer = match choice {
            Choice::Answer(all) => serde_json::from_str::<Value>(all)
                .ok()
                .and_then(|all| all.get(KEY).map(Value::to_string)),
            _ => None,
        };
        let _ = asking.reply.send(answer.unwrap_or_else(|| DECLINE.to_owned()));
        self.asked_less();
        true
    }

    /// Questions nobody answered in time are declined, and those whose call is over forgotten.
    pub(crate) fn decline_late(&mut self) -> Vec<PendingId> {
        let now = self.engine.inner.deps.clock.monotonic_ms();
        let mut late = Vec::new();
        for asking in std::mem::take(&mut self.asking) {
            if asking.until <= now || asking.reply.is_closed() {
                late.push(asking.pending);
                let _ = asking.reply.send(DECLINE.to_owned());
                self.asked_less();
            } else {
                self.asking.push(asking);
            }
        }
        late
    }

    /// The run is ended: every question is declined, and nobody needs to answer it.
    pub(crate) fn decline_all(&mut self) {
        for asking in std::mem::take(&mut self.asking) {
            let _ = asking.reply.send(DECLINE.to_owned());
            self.left_open.push(asking.pending);
            self.asked_less();
        }
    }

    /// Milliseconds until the next question is declined.
    pub(crate) fn next_decline(&self) -> Option<u64> {
        let now = self.engine.inner.deps.clock.monotonic_ms();
        self.asking.iter().map(|a| a.until.saturating_sub(now)).min()
    }

    fn asked_less(&mut self) {
        self.live.asking.send_modify(|open| *open = open.saturating_sub(1));
        if self.asking.is_empty() {
            self.live.free.end(self.engine.inner.deps.clock.monotonic_ms());
        }
    }
}
