//! `execute` on the wire: the request listens to a run and tells what it hears. Whatever ends
//! the listening (a closed stream, `notifications/cancelled`, shutdown) drops the engine's
//! future: attendance is gone, the run is not. An older client that comes back to its stream
//! finds its request asked again.

use crate::door::Door;
use crate::mcp::caller::{Asking, is_modern};
use crate::mcp::forms::Asks;
use crate::mcp::progress::{self, Ticks};
use crate::mcp::{answer, arguments};
use hub_core::limits::RETURN_MS;
use hub_engine::{Execute, FormReply};
use rmcp::model::{CallToolRequestParams, CallToolResponse};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, Peer, RoleServer};
use std::convert::Infallible;
use std::time::Duration;

/// Answers one `execute`.
pub async fn execute(
    door: &dyn Door,
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
        let run = door.execute(&caller, what.clone(), reply.clone(), wait);
        tokio::select! {
            biased;
            () = context.ct.cancelled() => return Err(gone()),
            () = asking.presence.gone() => {}
            never = tell(asks, ticks, &context.peer) => match never {},
            answer = run => return answer::execute(answer, asking.summary(), modern),
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

/// Tells the client what comes before the answer.
async fn tell(asks: Option<Asks>, ticks: Option<Ticks<'_>>, peer: &Peer<RoleServer>) -> Infallible {
    let asks = async {
        if let Some(asks) = asks {
            asks.put(peer).await;
        }
    };
    let ticks = async {
        if let Some(ticks) = ticks {
            ticks.tell(peer).await;
        }
    };
    tokio::join!(asks, ticks);
    std::future::pending().await
}

/// Read only by an older client that comes back to its stream too late.
fn gone() -> ErrorData {
    ErrorData::internal_error(
        "the connection closed before the answer; the run is kept: call execute with resume last",
        None,
    )
}
