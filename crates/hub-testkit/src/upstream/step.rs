//! One scripted answer.

use hub_core::ports::{Answer, Progress, Sent, UpstreamCall, UpstreamError, UpstreamErrorKind};
use serde_json::Value;
use std::sync::Arc;

/// One scripted answer: what, after how long, behind which gate.
#[derive(Clone)]
pub struct Step {
    pub(super) latency_ms: u64,
    pub(super) gate: Option<String>,
    tells: Option<(f64, Option<f64>)>,
    what: What,
}

type Compute = dyn Fn(&UpstreamCall) -> Result<Answer, UpstreamError> + Send + Sync;

#[derive(Clone)]
enum What {
    Fixed(Result<Answer, UpstreamError>),
    Computed(Arc<Compute>),
    Asks(String),
}

impl Step {
    fn new(what: What) -> Self {
        Self { latency_ms: 0, gate: None, tells: None, what }
    }

    /// A value.
    pub fn value(value: Value) -> Self {
        Self::new(What::Fixed(Ok(Answer::Value(value.to_string()))))
    }

    /// The arguments as they came.
    pub fn echo() -> Self {
        Self::with(|call| Ok(Answer::Value(call.arguments.clone())))
    }

    /// Whatever `compute` says.
    pub fn with(
        compute: impl Fn(&UpstreamCall) -> Result<Answer, UpstreamError> + Send + Sync + 'static,
    ) -> Self {
        Self::new(What::Computed(Arc::new(compute)))
    }

    /// The tool says that it failed.
    pub fn tool_error(message: &str) -> Self {
        Self::new(What::Fixed(Ok(Answer::ToolError(message.to_owned()))))
    }

    /// The source asks the person something and is continued later.
    pub fn input_required(request_state: &str, requests: Value) -> Self {
        Self::new(What::Fixed(Ok(Answer::InputRequired {
            request_state: Some(request_state.to_owned()),
            requests: requests.to_string(),
        })))
    }

    /// A legacy server that asks inside the call and answers with what it was told.
    pub fn asks(params: Value) -> Self {
        Self::new(What::Asks(params.to_string()))
    }

    /// No answer.
    pub fn error(kind: UpstreamErrorKind, sent: Sent) -> Self {
        Self::new(What::Fixed(Err(UpstreamError {
            kind,
            sent,
            message: format!("scripted {kind:?}"),
            status: None,
            data: None,
        })))
    }

    /// HTTP 401: no or a wrong credential.
    pub fn unauthorized() -> Self {
        Self::error(UpstreamErrorKind::Unauthorized, Sent::Refused)
    }

    /// The same after `ms` of the clock. At the call's timeout or later it times out instead.
    pub fn after(mut self, ms: u64) -> Self {
        self.latency_ms = ms;
        self
    }

    /// The same, and how far it is is told at once.
    pub fn tells(mut self, done: f64, of: Option<f64>) -> Self {
        self.tells = Some((done, of));
        self
    }

    pub(super) fn begin(&self, call: &UpstreamCall) {
        if let (Some((done, of)), Some(tell)) = (self.tells, &call.progress) {
            tell(Progress { done, of, message: None });
        }
    }

    /// The same once [`super::ScriptedUpstream::open`] lets it pass.
    pub fn gate(mut self, name: &str) -> Self {
        self.gate = Some(name.to_owned());
        self
    }

    /// Never answers: it times out.
    pub fn never() -> Self {
        Self::value(Value::Null).after(u64::MAX)
    }

    pub(super) fn late() -> UpstreamError {
        UpstreamError {
            kind: UpstreamErrorKind::Timeout,
            sent: Sent::Maybe,
            message: "no answer in time".to_owned(),
            status: None,
            data: None,
        }
    }

    pub(super) fn unknown_tool(tool: &str) -> Self {
        Self::new(What::Fixed(Err(UpstreamError {
            kind: UpstreamErrorKind::ToolGone,
            sent: Sent::Refused,
            message: format!("no tool {tool}"),
            status: Some(-32602),
            data: None,
        })))
    }

    pub(super) async fn answer(&self, call: &UpstreamCall) -> Result<Answer, UpstreamError> {
        match &self.what {
            What::Fixed(answer) => answer.clone(),
            What::Computed(compute) => compute(call),
            What::Asks(params) => match &call.asks {
                Some(person) => Ok(Answer::Value(person.ask(params).await)),
                None => Ok(Answer::ToolError("nobody to ask".to_owned())),
            },
        }
    }
}
