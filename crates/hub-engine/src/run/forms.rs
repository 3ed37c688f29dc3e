//! Asking by form: sealed state out, answers in (SPEC 2.6).
//!
//! A form never offers more than its person can see: where anything is masked or cut, only
//! "allow once" and "deny". A `confirm` and a credential are never asked by form.

use crate::api::{
    Caller, DecidedView, EngineError, Execute, ExecuteAnswer, Form, FormReply, Forms, PendingView,
    Wait,
};
use crate::engine::Engine;
use crate::run::envelope::{add_notices, show};
use crate::run::registry::Rested;
use crate::seal;
use hub_core::digest::Digest;
use hub_core::id::{PendingId, RunId};
use hub_core::limits;
use hub_core::owner::{ElicitationMode, Owner};
use hub_core::pending::{Channel, Choice, Pending, PendingKind};
use hub_core::ports::BoxFuture;
use hub_core::redact;
use hub_core::time::UnixMillis;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Characters of a source's origin in a form.
const ORIGIN_CHARS: usize = 200;
/// Characters of the reason in a form.
const REASON_CHARS: usize = 300;

/// What a form's state is sealed for.
const PURPOSE: &str = "request-state 1";

/// What a request state says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct RequestState {
    run: RunId,
    pendings: Vec<(PendingId, Digest)>,
    owner: Owner,
    /// Digest of the request that was asked: method and arguments.
    request: Digest,
    expires_at: UnixMillis,
    round: u32,
}

/// Whether the caller's person is asked by form (the mode table of SPEC 2.6).
pub(crate) fn uses_forms(caller: &Caller) -> bool {
    matches!(
        (&caller.forms, caller.mode),
        (Forms::InputRequired, ElicitationMode::Auto | ElicitationMode::Native)
            | (Forms::Live(_), ElicitationMode::Native)
    )
}

/// Whether a pending may be asked by form at all.
pub(crate) fn fits_form(pending: &Pending) -> bool {
    pending.kind == PendingKind::Approval && !pending.confirm
}

impl Engine {
    /// The run waits: ask by form where this caller can, else show the envelope.
    pub(crate) async fn ask(
        &self,
        caller: &Caller,
        what: &Execute,
        rested: Rested,
        wait: &Wait,
        round: u32,
    ) -> Result<ExecuteAnswer, EngineError> {
        let Some(run) = rested.shown.envelope().map(|e| e.run_id) else {
            return Ok(ExecuteAnswer::Envelope(rested.shown));
        };
        let open = self.inner.deps.store.pendings(run.clone()).await?;
        let open: Vec<Pending> =
            open.into_iter().filter(|p| p.decision.is_none() && fits_form(p)).collect();
        if !uses_forms(caller) || open.is_empty() || round >= limits::FORM_ROUNDS {
            return Ok(ExecuteAnswer::Envelope(rested.shown));
        }
        if let Forms::Live(_) = &caller.forms {
            return self.ask_live(caller, what, rested, open, wait, round).await;
        }
        let state = RequestState {
            run,
            pendings: open.iter().map(|p| (p.id.clone(), p.digest)).collect(),
            owner: caller.owner.clone(),
            request: request_digest(what),
            expires_at: self.now().plus(limits::REQUEST_STATE_LIFE_MS),
            round: round + 1,
        };
        let mut nonce = [0; 24];
        self.inner.deps.random.fill(&mut nonce);
        let state = seal::seal(&self.inner.seal_key, nonce, PURPOSE, &state)
            .ok_or(EngineError::BadState)?;
        let forms = open.into_iter().map(|p| {
            let id = p.id.to_string();
            (id, form(&self.form_view(p, caller)))
        });
        Ok(ExecuteAnswer::AskForms { forms: forms.collect(), state })
    }

    /// Forms came back with the request.
    pub(crate) async fn answer_forms(
        &self,
        caller: &Caller,
        what: &Execute,
        reply: FormReply,
        wait: &Wait,
    ) -> Result<ExecuteAnswer, EngineError> {
        let state = reply
            .state
            .as_deref()
            .and_then(|s| seal::open::<RequestState>(&self.inner.seal_key, PURPOSE, s));
        let state = state.filter(|s| {
            uses_forms(caller)
                && s.owner == caller.owner
                && s.request == request_digest(what)
                && s.expires_at > self.now()
        });
        let state = state.ok_or(EngineError::BadState)?;
        let mut stop = false;
        let mut notices = Vec::new();
        for (id, digest) in &state.pendings {
            let Some(answer) = reply.responses.get(id.as_str()) else { continue };
            let pending = self.inner.deps.store.pending(id.clone()).await?;
            let pending = pending.filter(|p| p.digest == *digest && p.run == state.run);
            let pending = pending.ok_or(EngineError::BadState)?;
            match read_answer(answer, &self.form_view(pending.clone(), caller))? {
                Some(choice) => {
                    let notice = self.decide_by_form(&pending, choice, caller).await?;
                    notices.extend(notice);
                }
                None => stop = true,
            }
        }
        let run = state.run.as_str();
        let target = self.resume(caller, run).await?;
        let round = if stop { limits::FORM_ROUNDS } else { state.round };
        let answer = self.wait_again(caller, what, target, wait, round).await?;
        Ok(with_notices(answer, notices))
    }

    async fn decide_by_form(
        &self,
        pending: &Pending,
        choice: Choice,
        caller: &Caller,
    ) -> Result<Option<String>, EngineError> {
        let decide = crate::api::Decide {
            pending: pending.id.clone(),
            choice: choice.clone(),
            channel: Channel::Form,
            by: format!("the form of {}", caller.client),
            narrow: Vec::new(),
        };
        Ok(match self.decide(decide).await? {
            DecidedView::Already(first) if first.choice != choice => Some(format!(
                "{} was decided already, by {}; that holds",
                pending.address, first.by
            )),
            _ => None,
        })
    }

    /// An older client in native mode: one form after the other inside the request.
    async fn ask_live(
        &self,
        caller: &Caller,
        what: &Execute,
        rested: Rested,
        open: Vec<Pending>,
        wait: &Wait,
        round: u32,
    ) -> Result<ExecuteAnswer, EngineError> {
        let Forms::Live(forms) = &caller.forms else {
            return Ok(ExecuteAnswer::Envelope(rested.shown));
        };
        let run = open[0].run.clone();
        for pending in open {
            let view = self.form_view(pending.clone(), caller);
            let form = form(&view);
            let answer = tokio::select! {
                biased;
                answer = forms.ask(&form) => answer,
                () = self.inner.deps.clock.sleep(limits::ANSWER_RUNNING_MS) => None,
            };
            let choice = match answer {
                Some(answer) => read_answer(&answer, &view)?,
                None => None,
            };
            let Some(choice) = choice else {
                return Ok(ExecuteAnswer::Envelope(rested.shown));
            };
            self.decide_by_form(&pending, choice, caller).await?;
        }
        let target = self.resume(caller, run.as_str()).await?;
        self.wait_again(caller, what, target, wait, round + 1).await
    }

    fn form_view(&self, pending: Pending, caller: &Caller) -> PendingView {
        self.pending_view(pending, &caller.owner.key, redact::Limits::FORM)
    }

    /// [`Engine::wait_on`], boxed because it comes back here.
    fn wait_again<'a>(
        &'a self,
        caller: &'a Caller,
        what: &'a Execute,
        target: crate::run::wait::Target,
        wait: &'a Wait,
        round: u32,
    ) -> BoxFuture<'a, Result<ExecuteAnswer, EngineError>> {
        Box::pin(self.wait_on(caller, what, target, wait, round))
    }
}

/// Digest of what a request asks: the same state with another request is refused.
pub(crate) fn request_digest(what: &Execute) -> Digest {
    let (kind, text) = match what {
        Execute::Code(code) => ("code", code),
        Execute::Resume(run) => ("resume", run),
    };
    Digest::of_parts([kind.as_bytes(), text.as_bytes()])
}

/// The form of one pending.
fn form(view: &PendingView) -> Form {
    let pending = &view.pending;
    let connection = pending.connection.as_ref().map(|c| format!(" as {c}")).unwrap_or_default();
    let findings = match view.findings.is_empty() {
        true => String::new(),
        false => format!("\nNote: {}", view.findings.join("; ")),
    };
    let message = format!(
        "Send {}{connection}?\nTo: {}\nArguments: {}{findings}\nAsked because: {}",
        pending.address,
        redact::quote(&pending.origin, ORIGIN_CHARS),
        pending.arguments,
        redact::quote(&pending.reason, REASON_CHARS)
    );
    let options: Vec<Value> = choices(view)
        .iter()
        .map(|(_, value, title)| json!({ "const": value, "title": title }))
        .collect();
    let decision = json!({ "type": "string", "title": "Decision", "oneOf": options });
    let requested_schema = json!({
        "type": "object",
        "properties": { "decision": decision },
        "required": ["decision"],
    });
    Form { message, requested_schema }
}

/// What a form offers for a pending.
fn choices(view: &PendingView) -> Vec<(Choice, &'static str, &'static str)> {
    let mut out = vec![(Choice::AllowOnce, "allow_once", "Allow once")];
    if view.offers_run && !view.cut {
        let title = "Allow this tool for this run (any arguments, at most 20 more calls)";
        out.push((Choice::AllowRun, "allow_run", title));
    }
    if view.offers_always && !view.cut {
        out.push((Choice::AllowAlways, "always", "Always allow this tool for this client"));
    }
    out.push((Choice::Deny, "deny", "Deny"));
    out
}

/// Reads an `ElicitResult`; `None` where the person closed the form: that decides nothing.
fn read_answer(answer: &Value, view: &PendingView) -> Result<Option<Choice>, EngineError> {
    match answer["action"].as_str() {
        Some("decline") => Ok(Some(Choice::Deny)),
        Some("cancel") => Ok(None),
        Some("accept") => {
            let decision = answer["content"]["decision"].as_str().unwrap_or_default();
            let chosen = choices(view).into_iter().find(|c| c.1 == decision);
            let unknown = || EngineError::Invalid("the form's answer has no such decision".into());
            chosen.map(|c| Some(c.0)).ok_or_else(unknown)
        }
        _ => Err(EngineError::Invalid("the form's answer has no action".into())),
    }
}

fn with_notices(answer: ExecuteAnswer, notices: Vec<String>) -> ExecuteAnswer {
    match answer {
        ExecuteAnswer::Envelope(shown) if !notices.is_empty() => match shown.envelope() {
            Some(mut envelope) => {
                add_notices(&mut envelope, notices);
                ExecuteAnswer::Envelope(show(&envelope, 0))
            }
            None => ExecuteAnswer::Envelope(shown),
        },
        other => other,
    }
}
