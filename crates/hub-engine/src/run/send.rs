//! Sending a call, once, and reading what came of it.

use crate::api::CallProgress;
use crate::engine::Engine;
use crate::run::asks::Asker;
use crate::run::judge::CallPlan;
use crate::run::registry::{Live, Report};
use futures_util::FutureExt as _;
use hub_core::canonical;
use hub_core::catalog::Effect;
use hub_core::error::{ToolError, ToolErrorCode as Code};
use hub_core::journal::Outcome;
use hub_core::limits;
use hub_core::machine::{Answered, Ticket, outcome_unknown};
use hub_core::pending::PendingKind;
use hub_core::ports::{
    Answer, Continuation, LateFn, ProgressFn, Sent, UpstreamCall, UpstreamError,
    UpstreamErrorKind as Kind,
};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

impl Engine {
    /// Sends a call whose intent is durable. The answer comes to the run as a report.
    pub(crate) fn send(&self, live: &Arc<Live>, n: u32, plan: CallPlan, ticket: &Ticket) {
        let engine = self.clone();
        let live = live.clone();
        let continuation = ticket.continuation.clone();
        let task = async move {
            let call = AssertUnwindSafe(engine.call(&live, n, &plan, continuation));
            // Without a report the run would wait for ever.
            let answer = call.catch_unwind().await.unwrap_or_else(|_| engine.broke(&plan));
            let _ = live.reports.send(Report::Answered { n, answer }).await;
        };
        crate::tasks::spawn(task);
    }

    /// The hub itself failed while the call was on its way.
    fn broke(&self, plan: &CallPlan) -> Answered {
        tracing::error!(address = %plan.address, "a call broke the task that made it");
        self.read_error(
            plan,
            UpstreamError {
                kind: Kind::Unavailable,
                sent: Sent::Maybe,
                message: "the hub failed while it waited for the answer".into(),
                status: None,
                data: None,
            },
        )
    }

    async fn call(
        &self,
        live: &Arc<Live>,
        n: u32,
        plan: &CallPlan,
        continuation: Option<(String, String)>,
    ) -> Answered {
        let deps = &self.inner.deps;
        let source = &plan.namespace.source;
        let timeout_ms = source.timeout_ms.unwrap_or(limits::CALL_TIMEOUT_MS);
        let call = || UpstreamCall {
            source: Arc::new(source.clone()),
            connection: plan.connection.clone(),
            tool: plan.definition.name.clone(),
            arguments: plan.arguments.clone(),
            has_output_schema: plan.definition.output_schema.is_some(),
            timeout_ms,
            continuation: continuation.as_ref().map(|(state, responses)| Continuation {
                request_state: serde_json::from_str(state).ok(),
                responses: responses.clone(),
            }),
            progress: Some(heard(live, n, &plan.address)),
            asks: Some(Arc::new(Asker { live: live.clone(), n })),
            may_wait: plan.effect == Effect::Read,
            late: Some(heard_late(live, n)),
            hand_on: None,
        };
        let started = deps.clock.monotonic_ms();
        let answered = async {
            for _ in 0..limits::RETRY_AFTER_READS {
                match deps.upstream.call(call()).await {
                    Err(error) if comes_back(plan, &error) => {}
                    answer => return answer,
                }
            }
            deps.upstream.call(call()).await
        };
        let answer = tokio::select! {
            biased;
            answer = answered => answer,
            () = self.overdue(live, limits::ACTIVE_MS) => Err(UpstreamError {
                kind: Kind::Timeout,
                sent: Sent::Maybe,
                message: format!("no answer within {} s", limits::ACTIVE_MS / 1000),
                status: None,
                data: None,
            }),
        };
        live.progress.send_if_modified(|told| told.call.take_if(|call| call.n == n).is_some());
        let ms = deps.clock.monotonic_ms() - started;
        tracing::debug!(address = %plan.address, ms, ok = answer.is_ok(), "call");
        self.heard_of(source, &answer);
        match answer {
            Ok(answer) => self.read_answer(plan, answer),
            Err(error) => self.read_error(plan, error),
        }
    }

    /// Returns once `ms` have passed in which no source asked the person anything.
    async fn overdue(&self, live: &Live, ms: u64) {
        let clock = &self.inner.deps.clock;
        let free = || live.free.until(clock.monotonic_ms());
        let (before, mut left) = (free(), ms);
        let until = clock.monotonic_ms() + ms;
        while left > 0 {
            clock.sleep(left).await;
            left = (until + free() - before).saturating_sub(clock.monotonic_ms());
        }
    }

    fn read_answer(&self, plan: &CallPlan, answer: Answer) -> Answered {
        let outcome = match answer {
            Answer::Value(json) | Answer::Whole(json) if json.len() > limits::TOOL_RESULT_BYTES => {
                Outcome::Error(too_large(json.len()))
            }
            Answer::Value(json) | Answer::Whole(json) => {
                match canonical::check_depth(&json, limits::JSON_DEPTH_IN) {
                    Ok(()) => Outcome::Value(json),
                    Err(_) => Outcome::Error(ToolError::new(
                        Code::BadResponse,
                        format!("the answer is nested deeper than {}", limits::JSON_DEPTH_IN),
                    )),
                }
            }
            Answer::ToolError(message) => Outcome::Error(ToolError::new(Code::ToolFailed, message)),
            Answer::InputRequired { request_state, requests } => {
                let mut draft = self.draft(plan, PendingKind::Input);
                draft.question = Some(requests);
                let state = serde_json::to_string(&request_state).unwrap_or_default();
                return Answered::Asks { state, draft };
            }
        };
        Answered::Outcome(at(outcome, plan))
    }

    fn read_error(&self, plan: &CallPlan, error: UpstreamError) -> Answered {
        let unsure = error.sent == Sent::Maybe && plan.effect == Effect::Effect;
        if error.kind == Kind::Unauthorized && error.sent != Sent::Maybe {
            return Answered::WantsConnection(self.draft(plan, PendingKind::Connection));
        }
        let lost = matches!(error.kind, Kind::Timeout | Kind::Unavailable | Kind::BadResponse);
        if unsure && lost {
            let mut unknown = outcome_unknown(&plan.address);
            unknown.message = format!("{} ({})", unknown.message, error.message);
            return Answered::Outcome(Outcome::Error(unknown));
        }
        let message = error.message;
        let failure = match error.kind {
            Kind::Unauthorized => ToolError::new(Code::ConnectionRequired, message),
            Kind::Forbidden => ToolError::new(Code::Forbidden, message)
                .hint("This account may not do it; ask the user for another connection."),
            Kind::RateLimited(wait) => {
                let hint = match wait {
                    Some(ms) => format!("Wait {} s before the next call.", ms.div_ceil(1000)),
                    None => "Wait before the next call.".to_owned(),
                };
                ToolError::new(Code::RateLimited, message).hint(hint).retryable()
            }
            Kind::Timeout => ToolError::new(Code::Timeout, message).retryable(),
            Kind::Unavailable => ToolError::new(Code::Unavailable, message).retryable(),
            Kind::BadResponse => ToolError::new(Code::BadResponse, message),
            Kind::TooLarge => ToolError::new(Code::ResultTooLarge, message)
                .hint("Ask for less: a page, a filter, fewer fields."),
            Kind::ToolGone => ToolError::new(Code::ToolGone, message),
            Kind::Failed => ToolError::new(Code::ToolFailed, message),
        };
        let failure = match error.status {
            Some(status) => failure.status(status),
            None => failure,
        };
        Answered::Outcome(at(Outcome::Error(failure), plan))
    }
}

/// Tells the run that an answer came too late, which is recorded. A run that rests by then keeps
/// its record as it is: its journal belongs to no pass.
fn heard_late(live: &Arc<Live>, n: u32) -> LateFn {
    let (run, live) = (live.run.clone(), Arc::downgrade(live));
    Arc::new(move || {
        tracing::info!(%run, call = n, "an answer came after its call was given up");
        if let Some(live) = live.upgrade() {
            let _ = live.reports.try_send(Report::Late { n });
        }
    })
}

/// A read whose source said when to come back. The port waits that long before it sends anything
/// to that source again, or says at once that the call has no time for it.
fn comes_back(plan: &CallPlan, error: &UpstreamError) -> bool {
    let refused = error.sent == Sent::Refused && matches!(error.kind, Kind::RateLimited(Some(_)));
    refused && plan.effect == Effect::Read
}

/// Tells whoever waits on the run how far the source says it is.
fn heard(live: &Arc<Live>, n: u32, address: &str) -> ProgressFn {
    let (live, address) = (live.clone(), address.to_owned());
    Arc::new(move |progress| {
        let (done, of) = (progress.done, progress.of);
        let call = CallProgress { n, address: address.clone(), done, of };
        live.progress.send_modify(|told| told.call = Some(call));
    })
}

fn too_large(bytes: usize) -> ToolError {
    let limit = limits::TOOL_RESULT_BYTES;
    let message = format!("the answer has {bytes} bytes; a program receives at most {limit}");
    ToolError::new(Code::ResultTooLarge, message)
        .hint("Ask for less: a page, a filter, fewer fields.")
}

fn at(outcome: Outcome, plan: &CallPlan) -> Outcome {
    match outcome {
        Outcome::Error(error) if error.address.is_none() => Outcome::Error(error.at(&plan.address)),
        other => other,
    }
}
