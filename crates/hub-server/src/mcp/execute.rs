//! `execute` on the wire: the request listens to a run and tells what it hears. Whatever ends
//! the listening (a closed stream, `notifications/cancelled`, shutdown) drops the engine's
//! future: attendance is gone, the run is not. An older client that comes back to its stream
//! finds its request asked again.

use crate::door::Code;
use crate::mcp::caller::{Asking, is_modern};
use crate::mcp::forms::Asks;
use crate::mcp::progress;
use crate::mcp::{answer, arguments};
use hub_core::limits::RETURN_MS;
use hub_engine::{Execute, FormReply};
use rmcp::model::{CallToolRequestParams, CallToolResponse};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, Peer, RoleServer};
use std::convert::Infallible;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Answers one `execute`.
pub async fn execute(
    door: &dyn Code,
    asking: &Asking,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let modern = is_modern(context);
    let what = arguments::execute(request.arguments)?;
    let reply = FormReply {
        state: request.request_state,
        responses: request.input_responses.unwrap_or_default(),
    };
    let token = context.meta.get_progress_token().filter(|_| asking.streams());
    let mut told = 0;
    loop {
        let (caller, asks) = asking.caller_with_forms(context);
        // Asked again, a resume goes on, and the same code joins the run it began.
        let comes_back = !modern && (caller.dedupe || matches!(what, Execute::Resume(_)));
        let (wait, ticks) = progress::wait(token.clone(), &mut told);
        let done = CancellationToken::new();
        let run = async {
            let answer = door.execute(&caller, what.clone(), reply.clone(), wait).await;
            done.cancel();
            answer
        };
        let told = progress::tell(ticks, &context.peer, &done);
        tokio::select! {
            biased;
            () = context.ct.cancelled() => return Err(gone()),
            () = asking.presence.gone() => {}
            never = put(asks, &context.peer) => match never {},
            (answer, ()) = async { tokio::join!(run, told) } => {
                return answer::execute(answer, asking.summary(), modern);
            }
        }
        if !comes_back {
            return Err(gone());
        }
        tokio::select! {
            biased;
            () = context.ct.cancelled() => return Err(gone()),
            () = asking.presence.back() => {}
            () = tokio::time::sleep(Duration::from_millis(RETURN_MS)) => return Err(gone()),
        }
    }
}

/// Puts forms to the client while the request is open.
pub async fn put(asks: Option<Asks>, peer: &Peer<RoleServer>) -> Infallible {
    if let Some(asks) = asks {
        asks.put(peer).await;
    }
    std::future::pending().await
}

/// Read only by an older client that comes back to its stream too late.
fn gone() -> ErrorData {
    ErrorData::internal_error(
        "the connection closed before the answer; the run is kept: call execute with resume last",
        None,
    )
}
