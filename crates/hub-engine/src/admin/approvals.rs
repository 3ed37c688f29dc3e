//! What waits for a person, and deciding it: one state machine for every channel.

use crate::api::{Decide, DecidedView, EngineError, PendingView};
use crate::engine::Engine;
use crate::run::Report;
use hub_core::id::RuleId;
use hub_core::pending::{Channel, Choice, Decision, Pending, PendingKind};
use hub_core::policy::{ArgumentCondition, Rule, RuleOrigin, Verdict};
use hub_core::ports::Decided;
use hub_core::run::RunRecord;

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
            let client = store.run(pending.run.clone()).await?.map(|r| r.client);
            views.push(self.pending_view(pending, &client.unwrap_or_default()));
        }
        Ok(views)
    }

    /// A pending as every channel shows it.
    pub(crate) fn pending_view(&self, mut pending: Pending, client: &str) -> PendingView {
        let (text, findings, cut) = preview(&pending.arguments);
        pending.arguments = text;
        let approval = pending.kind == PendingKind::Approval;
        PendingView {
            findings,
            cut,
            client: client.to_owned(),
            offers_run: approval && !pending.confirm,
            offers_always: approval && !pending.confirm,
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
        check_choice(&pending, &decide)?;
        let choice = match (pending.kind, decide.choice) {
            // To a source's question, no is an answer (MCP: `decline`).
            (PendingKind::Input, Choice::Deny) => {
                Choice::Answer(decline(pending.question.as_deref()))
            }
            (_, choice) => choice,
        };
        let always = choice == Choice::AllowAlways;
        let decided = self.decide_one(&pending, choice, decide.channel, &decide.by).await?;
        if always && decided == DecidedView::Now {
            let run = self.record(pending.run.as_str()).await?;
            self.write_always(&pending, &run, decide.narrow, &decide.by).await?;
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
        run: &RunRecord,
        narrow: Vec<ArgumentCondition>,
        by: &str,
    ) -> Result<(), EngineError> {
        let rule = Rule {
            id: RuleId::fresh(self.bits()),
            pattern: pending.address.clone(),
            connection: pending.connection.clone(),
            arguments: narrow,
            client: Some(run.owner.key.clone()),
            decision: Verdict::Allow,
            note: "always, chosen when it was asked".into(),
            origin: RuleOrigin::Person,
            bound_to: Some(pending.scope),
            created_at: self.now(),
        };
        self.change(vec![rule], Vec::new(), by).await
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

fn preview(arguments: &str) -> (String, Vec<String>, bool) {
    (arguments.to_owned(), Vec::new(), false)
}
