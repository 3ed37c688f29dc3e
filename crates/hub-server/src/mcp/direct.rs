//! A call on the direct surface: what its source says on the way is told as it comes, and the
//! result is handed on.
//!
//! The source's words arrive on whatever task reads its connection; an older agent hears only
//! what the task of its own request says. So they travel through a queue to that task.

use crate::direct::{Direct, DirectAnswer, DirectCall, DirectRefusal};
use crate::mcp::answer;
use crate::mcp::caller::{Asking, is_modern};
use crate::mcp::execute::put;
use crate::mcp::logs::Level;
use hub_core::limits::TOLD_AHEAD;
use hub_core::ports::{HandOn, Progress, ProgressFn};
use hub_engine::FormReply;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomNotification,
    ErrorCode, InputRequiredResult, ProgressNotificationParam, ProgressToken, ResultType,
    ServerNotification,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, Peer, RoleServer};
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Something a source said about a call.
enum Said {
    Progress { done: f64, of: Option<f64>, message: Option<String> },
    Log(String),
}

/// Answers one call.
pub async fn call(
    direct: &dyn Direct,
    asking: &Asking,
    level: Option<Level>,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let modern = is_modern(context);
    let (caller, asks) = asking.caller_with_forms(context);
    let (heard, said) = mpsc::channel(TOLD_AHEAD);
    let token = context.meta.get_progress_token().filter(|_| asking.streams());
    let level = level.filter(|_| asking.streams());
    let call = DirectCall {
        tool: request.name.into_owned(),
        arguments: Value::Object(request.arguments.unwrap_or_default()).to_string(),
        reply: FormReply {
            state: request.request_state,
            responses: request.input_responses.unwrap_or_default(),
        },
        progress: token.is_some().then(|| progress(heard.clone())),
        hand_on: HandOn {
            log_level: level.map(|level| level.name().to_owned()),
            logs: logs(heard, level),
        },
    };
    let teller = Teller { said, token, last: f64::NEG_INFINITY, peer: &context.peer };
    let done = CancellationToken::new();
    let called = async {
        let answer = direct.call(&caller, call).await;
        done.cancel();
        answer
    };
    let answer = tokio::select! {
        biased;
        () = context.ct.cancelled() => return Err(gone()),
        () = asking.presence.gone() => return Err(gone()),
        never = put(asks, &context.peer) => match never {},
        (answer, ()) = async { tokio::join!(called, teller.tell(&done)) } => answer,
    };
    match answer {
        Ok(DirectAnswer::Result(json)) => result(&json, modern).map(Into::into),
        Ok(DirectAnswer::Asks { requests, state }) => {
            let requests = serde_json::from_str(&requests).map_err(|_| unreadable())?;
            let mut asks = InputRequiredResult::new(Some(requests), Some(state));
            asks.meta = answer::meta(modern);
            Ok(asks.into())
        }
        Err(refusal) => Err(refused(refusal)),
    }
}

fn progress(heard: mpsc::Sender<Said>) -> ProgressFn {
    Arc::new(move |Progress { done, of, message }| {
        let message = message.map(str::to_owned);
        // An agent that reads too slowly is told less.
        let _ = heard.try_send(Said::Progress { done, of, message });
    })
}

fn logs(heard: mpsc::Sender<Said>, level: Option<Level>) -> hub_core::ports::LogFn {
    Arc::new(move |params| {
        if level.is_some_and(|level| level.lets(params)) {
            let _ = heard.try_send(Said::Log(params.to_owned()));
        }
    })
}

/// Tells the agent, from the task of its request.
struct Teller<'a> {
    said: mpsc::Receiver<Said>,
    token: Option<ProgressToken>,
    last: f64,
    peer: &'a Peer<RoleServer>,
}

impl Teller<'_> {
    /// Tells until the call is answered and all that was said before is told, one after the
    /// other: the SDK keeps no order between what it sends at once.
    async fn tell(mut self, done: &CancellationToken) {
        loop {
            let said = tokio::select! {
                biased;
                said = self.said.recv() => said,
                () = done.cancelled() => return,
            };
            match said {
                Some(said) => self.one(said).await,
                None => return,
            }
        }
    }

    async fn one(&mut self, said: Said) {
        let told = match said {
            // The protocol wants a number that only grows.
            Said::Progress { done, .. } if done <= self.last => return,
            Said::Progress { done, of, message } => {
                self.last = done;
                let Some(token) = self.token.clone() else { return };
                let mut tick = ProgressNotificationParam::new(token, done);
                tick.total = of;
                tick.message = message;
                self.peer.notify_progress(tick).await
            }
            Said::Log(params) => {
                let params = serde_json::from_str(&params).ok();
                let log = CustomNotification::new("notifications/message", params);
                self.peer.send_notification(ServerNotification::CustomNotification(log)).await
            }
        };
        // Who is not there any more is noticed by its presence.
        told.inspect_err(|_| tracing::trace!("a notification was not sent")).ok();
    }
}

/// The source's result in the SDK's words. A block that the SDK cannot say becomes text, and
/// costs only itself.
fn result(json: &str, modern: bool) -> Result<CallToolResult, ErrorData> {
    let mut raw: Value = serde_json::from_str(json).map_err(|_| unreadable())?;
    if let Some(Value::Array(blocks)) = raw.get_mut("content") {
        for block in blocks {
            if serde_json::from_value::<ContentBlock>(block.clone()).is_err() {
                *block = serde_json::json!({ "type": "text", "text": block.to_string() });
            }
        }
    }
    if raw.get("content").is_none() && raw.get("structuredContent").is_none() {
        raw["content"] = Value::Array(Vec::new());
    }
    let mut result: CallToolResult = serde_json::from_value(raw).map_err(|_| unreadable())?;
    // An older source does not say it; an older agent is not told.
    result.result_type = Some(ResultType::COMPLETE);
    let own = answer::meta(modern).unwrap_or_default();
    let mut meta = result.meta.take().unwrap_or_default();
    // Which server answers is ours to say: the agent speaks to this one.
    meta.extend(own);
    Ok(result.with_meta((!meta.is_empty()).then_some(meta)))
}

fn refused(refusal: DirectRefusal) -> ErrorData {
    let DirectRefusal { code, message, data } = refusal;
    let code = i32::try_from(code).map_or(ErrorCode::INTERNAL_ERROR, ErrorCode);
    let data = data.and_then(|data| serde_json::from_str(&data).ok());
    ErrorData::new(code, message, data)
}

fn unreadable() -> ErrorData {
    ErrorData::internal_error("the source's answer is none that MCP knows", None)
}

/// Read by nobody.
fn gone() -> ErrorData {
    ErrorData::internal_error("the connection closed before the answer", None)
}
