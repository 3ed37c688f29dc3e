//! The person: decides through several channels at once, in part, late or not at all, ends runs,
//! and changes sources and rules while runs wait.

use super::source;
use hub_core::limits;
use hub_core::pending::{Channel, Choice, PendingKind};
use hub_core::policy::Verdict;
use hub_engine::{Decide, DecidedView, Engine, Form, FormReply, NewRule, PendingView};
use hub_testkit::{FakeClock, ScriptedUpstream, SeededRandom, Step};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a person did that the oracle has to know of. Kept outside every hub's life: it may end
/// while the person acts.
#[derive(Debug, Default)]
pub struct Deeds {
    always: AtomicBool,
    faults: Mutex<Vec<String>>,
}

impl Deeds {
    /// Whether a rule may allow calls that were asked about.
    pub fn always(&self) -> bool {
        self.always.load(Ordering::SeqCst)
    }

    /// What must not be.
    pub fn faults(&self) -> Vec<String> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes what must not be.
    pub fn fault(&self, text: String) {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    fn may_allow(&self, allows: bool) {
        self.always.fetch_or(allows, Ordering::SeqCst);
    }
}

/// The person of one world.
pub struct Person<'a> {
    pub random: &'a SeededRandom,
    pub clock: &'a FakeClock,
    pub upstream: &'a ScriptedUpstream,
    pub deeds: &'a Deeds,
}

impl Person<'_> {
    /// Comes to what waits: decides all of it or a part, or lets it expire.
    pub async fn attend(&self, engine: &Engine) {
        // A day in which a run was at work would be more than it may be active.
        let at_work = engine.status().await.map_or(0, |status| status.live_runs);
        if self.random.below(40) == 0 && at_work == 0 {
            self.clock.advance(limits::PENDING_LIFE_MS.unsigned_abs());
            return;
        }
        let waiting = engine.waiting(None).await.unwrap_or_default();
        let all = self.random.below(3) > 0;
        for (i, view) in waiting.into_iter().enumerate() {
            if i == 0 || all || self.random.below(2) == 0 {
                self.decide(engine, &view).await;
            }
        }
    }

    /// Decides one pending through two channels at the same moment, or through one.
    async fn decide(&self, engine: &Engine, view: &PendingView) {
        let decide = |choice, channel| Decide {
            pending: view.pending.id.clone(),
            choice,
            channel,
            by: "person".into(),
            narrow: Vec::new(),
        };
        let (one, two) = (self.choice(view), self.choice(view));
        self.deeds.may_allow(one == Choice::AllowAlways || two == Choice::AllowAlways);
        if self.random.below(3) > 0 {
            let _ = engine.decide(decide(one, Channel::Terminal)).await;
            return;
        }
        let both = futures_util::future::join(
            engine.decide(decide(one, Channel::Page)),
            engine.decide(decide(two, Channel::Terminal)),
        );
        if let (Ok(DecidedView::Now), Ok(DecidedView::Now)) = both.await {
            self.deeds.fault(format!("{} was decided twice", view.pending.id));
        }
    }

    fn choice(&self, view: &PendingView) -> Choice {
        match (view.pending.kind, self.random.below(24)) {
            (PendingKind::Approval, 0..=4) => Choice::Deny,
            (PendingKind::Approval, 5..=9) if view.offers_run => Choice::AllowRun,
            (PendingKind::Approval, 10) if view.offers_always => Choice::AllowAlways,
            (PendingKind::Approval, _) => Choice::AllowOnce,
            (PendingKind::Connection | PendingKind::Input, 0..=5) => Choice::Deny,
            (PendingKind::Connection, _) => Choice::Connected,
            (PendingKind::Input, _) => Choice::Answer(answers(view)),
        }
    }

    /// Fills in forms: all, some, or closes one.
    pub fn fill(&self, forms: &BTreeMap<String, Form>, state: String) -> FormReply {
        let mut responses = BTreeMap::new();
        for id in forms.keys() {
            let answer = match self.random.below(10) {
                0 => continue,
                1 => json!({ "action": "cancel" }),
                2 | 3 => json!({ "action": "decline" }),
                4 => json!({ "action": "accept", "content": { "decision": "allow_run" } }),
                _ => json!({ "action": "accept", "content": { "decision": "allow_once" } }),
            };
            responses.insert(id.clone(), answer);
        }
        FormReply { state: Some(state), responses }
    }

    /// Changes a tool's definition, takes a tool away, writes a rule or takes rules back.
    pub async fn change_something(&self, engine: &Engine) {
        match self.random.below(5) {
            0 => {
                let name = ["ask", "write", "read"][self.random.below(3) as usize];
                let mut tool = source::definition(name);
                tool.description = Some(format!("Does {name} since {}.", self.clock_ms()));
                self.upstream.tool(source::NAME, tool, Step::echo());
                let _ = engine.refresh(source::NAME).await;
            }
            1 => {
                let mut tools = vec![source::definition("read"), source::definition("ask")];
                tools.extend(["write", "put", "flaky", "locked"].map(source::definition));
                self.upstream.lists(source::NAME, hub_testkit::fixtures::listing(tools));
                let _ = engine.refresh(source::NAME).await;
            }
            2 | 3 => {
                let verdict = [Verdict::Deny, Verdict::Ask, Verdict::Confirm, Verdict::Allow]
                    [self.random.below(4) as usize];
                let pattern = ["demo.write", "demo.put", "demo.ask"][self.random.below(3) as usize];
                self.deeds.may_allow(verdict == Verdict::Allow);
                let _ = engine.put_rule(rule(pattern, verdict), "person").await;
            }
            _ => {
                for rule in engine.rules().await.unwrap_or_default() {
                    let _ = engine.remove_rule(rule.id.as_str(), "person").await;
                }
            }
        }
    }

    fn clock_ms(&self) -> u64 {
        hub_core::ports::Clock::monotonic_ms(self.clock)
    }
}

fn rule(pattern: &str, decision: Verdict) -> NewRule {
    NewRule {
        pattern: pattern.into(),
        connection: None,
        arguments: Vec::new(),
        client: None,
        decision,
        note: String::new(),
    }
}

/// `accept` to every request of the source.
fn answers(view: &PendingView) -> String {
    let question = view.pending.question.as_deref().unwrap_or("{}");
    let requests: serde_json::Map<String, Value> =
        serde_json::from_str(question).unwrap_or_default();
    let answer = json!({ "action": "accept", "content": {} });
    let all = requests.into_iter().map(|(key, _)| (key, answer.clone()));
    Value::Object(all.collect()).to_string()
}
