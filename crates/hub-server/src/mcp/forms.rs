//! Forms put to the client: as `input_required` (MCP 2026-07-28), or as `elicitation/create`
//! inside the open request (older clients).
//!
//! An older client must be asked from the task that handles its request: the SDK finds the
//! stream to send on by that task. The engine asks from wherever it likes, so questions travel
//! through a queue to that task.

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use hub_core::limits::PENDINGS_OFFERED;
use hub_core::ports::BoxFuture;
use hub_engine::{Form, LiveForms};
use rmcp::model::{ElicitRequest, ElicitRequestParams, InputRequest, InputRequests};
use rmcp::{ErrorData, Peer, RoleServer};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tokio::sync::{mpsc, oneshot};

struct Ask {
    form: Form,
    answer: oneshot::Sender<Option<Value>>,
}

/// The engine's end.
pub struct Live {
    asks: mpsc::Sender<Ask>,
}

/// The request's end.
pub struct Asks {
    asks: mpsc::Receiver<Ask>,
}

/// A queue for the forms of one request.
pub fn live() -> (Live, Asks) {
    let (sender, receiver) = mpsc::channel(PENDINGS_OFFERED);
    (Live { asks: sender }, Asks { asks: receiver })
}

impl LiveForms for Live {
    fn ask<'a>(&'a self, form: &'a Form) -> BoxFuture<'a, Option<Value>> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            self.asks.send(Ask { form: form.clone(), answer }).await.ok()?;
            answered.await.ok().flatten()
        })
    }
}

impl Asks {
    /// Puts forms to the client until the engine's end is gone. Runs in the request's task.
    pub async fn put(mut self, peer: &Peer<RoleServer>) {
        let mut open = FuturesUnordered::new();
        loop {
            tokio::select! {
                ask = self.asks.recv() => match ask {
                    Some(ask) => open.push(put_one(peer, ask)),
                    None => break,
                },
                Some(()) = open.next() => {}
            }
        }
        while open.next().await.is_some() {}
    }
}

async fn put_one(peer: &Peer<RoleServer>, ask: Ask) {
    let Ask { form, mut answer } = ask;
    let put = async {
        let params = params(&form).ok()?;
        let result = peer.create_elicitation(params).await;
        let result = result.inspect_err(|_| tracing::debug!("a form was not answered")).ok()?;
        serde_json::to_value(result).ok()
    };
    let result = tokio::select! {
        result = put => result,
        // The engine stopped waiting (expiry, another channel was first).
        () = answer.closed() => return,
    };
    // Nobody waits any more: the decision came from elsewhere.
    let _ = answer.send(result);
}

/// The forms as `inputRequests`, keyed by pending id.
pub fn input_requests(forms: &BTreeMap<String, Form>) -> Result<InputRequests, ErrorData> {
    forms
        .iter()
        .map(|(id, form)| {
            let request = ElicitRequest::new(params(form)?);
            Ok((id.clone(), InputRequest::Elicitation(request)))
        })
        .collect()
}

fn params(form: &Form) -> Result<ElicitRequestParams, ErrorData> {
    let params = json!({
        "mode": "form",
        "message": form.message,
        "requestedSchema": form.requested_schema,
    });
    serde_json::from_value(params).map_err(|error| {
        tracing::error!(%error, "a form of the engine is no elicitation");
        ErrorData::internal_error("the hub could not build its form", None)
    })
}
