//! What waits for a person, and deciding it: one state machine for every channel.

use crate::api::{Decide, DecidedView, EngineError, PendingView};
use crate::engine::Engine;
use crate::run::Report;
use hub_core::id::{KeyId, RuleId};
use hub_core::pending::{Channel, Choice, Decision, Pending, PendingKind};
use hub_core::policy::{self, ArgumentCondition, Rule, RuleOrigin, Verdict};
use hub_core::ports::Decided;
use hub_core::redact;
use hub_core::time::UnixMillis;
use serde_json::Value;

impl Engine {
    /// Everything that waits, or what waits in one run, oldest first.
    pub async fn waiting(&self, run: Option<&str>) -> Result<Vec<PendingView>, EngineError> {
        let store = &self.inner.deps.store;
        let pendings = match run {
            Some(run) => store.pendings(self.record(run).await?.id).await?,
            None => store.open_pendings().await?,
        };
        let mut views = Vec::new();
        for pending in pendings.into_iter().filter(|p| p.decision.is_none()) {
            let Some(run) = store.run(pending.run.clone()).await? else { continue };
            let mut view = self.pending_view(pending, &run.owner.key, redact::Limits::PAGE);
            view.client = run.client;
            views.push(view);
        }
        Ok(views)
    }

    /// A pending as every channel shows it.
    pub(crate) fn pending_view(
        &self,
        mut pending: Pending,
        client: &KeyId,
        limits: redact::Limits,
    ) -> PendingView {
        let arguments: Value = serde_json::from_str(&pending.arguments).unwrap_or(Value::Null);
        let offers_always = self.always_would_hold(&pending, client, &arguments);
        let shown = redact::preview(&arguments, limits);
        let findings = shown.masked.iter().map(|f| f.sentence(&pending.address)).collect();
        let cut = !shown.is_whole();
        pending.arguments = shown.text;
        let approval = pending.kind == PendingKind::Approval;
        PendingView {
            findings,
            cut,
            client: client.to_string(),
            offers_run: approval && !pending.confirm,
            offers_always,
            age_ms: self.now().since(pending.created_at),
            pending,
        }
    }

    /// Decides. Single use: whoever comes first; everybody else learns what holds.
    pub async fn decide(&self, decide: Decide) -> Result<DecidedView, EngineError> {
        let store = &self.inner.deps.store;
        let Some(pending) = store.pending(decide.pending.clone()).await? else {
            return Err(EngineError::NotFound(format!("nothing waits as {}", decide.pending)));
        };
        if let Some(first) = pending.decision {
            // Whoever comes late changes nothing and is told so.
            return Ok(DecidedView::Already(first));
        }
        check_choice(&pending, &decide)?;
        if decide.choice == Choice::AllowAlways {
            self.check_always(&pending, &decide.narrow).await?;
        }
        let choice = match (pending.kind, decide.choice) {
            // To a source's question, no is an answer (MCP: `decline`).
            (PendingKind::Input, Choice::Deny) => {
                Choice::Answer(decline(pending.question.as_deref()))
            }
            (_, choice) => choice,
        };
        // The rule first: a crash in between may not forget it. It goes where somebody else
        // decided meanwhile, but not where the rule itself settled what waited.
        let written = match choice {
            Choice::AllowAlways => {
                Some(self.write_always(&pending, decide.narrow, &decide.by).await?)
            }
            _ => None,
        };
        let decided = self.decide_one(&pending, choice, decide.channel, &decide.by).await?;
        let holds = match &decided {
            DecidedView::Now => true,
            DecidedView::Already(first) if first.choice == Choice::Withdrawn => {
                !self.record(pending.run.as_str()).await?.status.is_ended()
            }
            DecidedView::Already(_) => false,
            DecidedView::Expired => false,
        };
        if let Some(rule) = written.filter(|_| !holds) {
            self.change(Vec::new(), vec![rule], &decide.by).await?;
        }
        Ok(decided)
    }

    /// Decides one pending and tells its run, where that is at work.
    pub(crate) async fn decide_one(
        &self,
        pending: &Pending,
        choice: Choice,
        channel: Channel,
        by: &str,
    ) -> Result<DecidedView, EngineError> {
        let at = self.now();
        let decision = Decision { choice: choice.clone(), channel, by: by.to_owned(), at };
        let store = &self.inner.deps.store;
        match store.decide(pending.id.clone(), decision).await? {
            Decided::Now => {
                tracing::info!(run = %pending.run, pending = %pending.id, ?channel, "decided");
                if let Some(live) = self.inner.runs.get(&pending.run) {
                    let report = Report::Decided { pending: pending.id.clone(), choice };
                    let _ = live.reports.send(report).await;
                }
                Ok(DecidedView::Now)
            }
            Decided::Already(decision) => Ok(DecidedView::Already(decision)),
            Decided::Expired => Ok(DecidedView::Expired),
        }
    }

    /// The rule behind an "always": this client, connection, tool definition and source.
    async fn write_always(
        &self,
        pending: &Pending,
        narrow: Vec<ArgumentCondition>,
        by: &str,
    ) -> Result<RuleId, EngineError> {
        let run = self.record(pending.run.as_str()).await?;
        let id = RuleId::fresh(self.bits());
        let rule = always(pending, &run.owner.key, narrow, id.clone(), self.now());
        self.change(vec![rule], Vec::new(), by).await?;
        Ok(id)
    }

    /// "Always" is offered only where its rule would decide about this very call next time.
    fn always_would_hold(&self, pending: &Pending, client: &KeyId, arguments: &Value) -> bool {
        self.would_hold(pending, client, arguments, Vec::new())
    }

    /// Refuses an "always" that would not hold for the very call that asks, before anything is
    /// decided: a narrowing is typed, and may miss.
    async fn check_always(
        &self,
        pending: &Pending,
        narrow: &[ArgumentCondition],
    ) -> Result<(), EngineError> {
        let run = self.record(pending.run.as_str()).await?;
        let arguments: Value = serde_json::from_str(&pending.arguments).unwrap_or(Value::Null);
        let client = &run.owner.key;
        let id = RuleId::new("candidate");
        let rule = always(pending, client, narrow.to_vec(), id, self.now());
        policy::check(&rule).map_err(|e| EngineError::Invalid(e.to_string()))?;
        if let Some(stricter) = policy::outdone(&self.known().rules, &rule, None) {
            return Err(outdoes(stricter));
        }
        if self.would_hold(pending, client, &arguments, narrow.to_vec()) {
            return Ok(());
        }
        let why = match narrow {
            [] => "\"always\" would not hold for this call, so it is not offered",
            _ => "narrowed like that the rule would not be about this very call",
        };
        Err(EngineError::Invalid(why.into()))
    }

    fn would_hold(
        &self,
        pending: &Pending,
        client: &KeyId,
        arguments: &Value,
        narrow: Vec<ArgumentCondition>,
    ) -> bool {
        if pending.kind != PendingKind::Approval || pending.confirm {
            return false;
        }
        let known = self.known();
        let Some((_, tool)) = known.catalog.tool(&pending.address) else { return false };
        let call = policy::Call {
            address: &pending.address,
            connection: pending.connection.as_deref(),
            client,
            arguments: Some(arguments),
            annotations: tool.annotations,
            effect: tool.effect,
            free_destination: tool.free_destination,
            scope: Some(pending.scope),
        };
        let rule = always(pending, client, narrow, RuleId::new("candidate"), self.now());
        policy::outdone(&known.rules, &rule, None).is_none()
            && policy::would_hold(&known.rules, &rule, &call)
    }
}

/// The refusal of a rule that would take a stricter one's place.
pub(crate) fn outdoes(stricter: &Rule) -> EngineError {
    let decides = serde_json::to_value(stricter.decision).unwrap_or_default();
    EngineError::Invalid(format!(
        "rule {} ({} {}) is stricter, and would no longer decide about some of these calls; allow \
         this call alone, narrow it to others, or change that rule first",
        stricter.id,
        decides.as_str().unwrap_or_default(),
        stricter.pattern
    ))
}

fn always(
    pending: &Pending,
    client: &KeyId,
    narrow: Vec<ArgumentCondition>,
    id: RuleId,
    now: UnixMillis,
) -> Rule {
    Rule {
        id,
        pattern: pending.address.clone(),
        connection: pending.connection.clone(),
        arguments: narrow,
        client: Some(client.clone()),
        decision: Verdict::Allow,
        note: "always, chosen when it was asked".into(),
        origin: RuleOrigin::Person,
        bound_to: Some(pending.scope),
        created_at: now,
    }
}

fn check_choice(pending: &Pending, decide: &Decide) -> Result<(), EngineError> {
    let fits = match (&decide.choice, pending.kind) {
        (Choice::AllowOnce | Choice::Deny, PendingKind::Approval) => true,
        (Choice::AllowRun | Choice::AllowAlways, PendingKind::Approval) => !pending.confirm,
        (Choice::Answer(_) | Choice::Deny, PendingKind::Input) => true,
        (Choice::Connected | Choice::Deny, PendingKind::Connection) => true,
        _ => false,
    };
    if !fits {
        return Err(EngineError::Invalid("this choice is not offered here".into()));
    }
    if pending.confirm && matches!(decide.channel, Channel::Form | Channel::Model) {
        return Err(EngineError::Invalid(
            "this call is confirmed on the page or in a terminal only".into(),
        ));
    }
    Ok(())
}

/// `decline` to every request of the source, as its `inputResponses`.
fn decline(question: Option<&str>) -> String {
    let requests: serde_json::Map<String, serde_json::Value> =
        question.and_then(|q| serde_json::from_str(q).ok()).unwrap_or_default();
    let answers =
        requests.into_iter().map(|(key, _)| (key, serde_json::json!({ "action": "decline" })));
    serde_json::Value::Object(answers.collect()).to_string()
}
