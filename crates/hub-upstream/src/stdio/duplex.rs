//! Matching answers to requests where all of them share one stream.

use crate::desk::{Desk, lock};
use crate::fault::{Fault, error, too_large, unavailable};
use crate::wire::{Incoming, read};
use hub_core::limits::SOURCE_MESSAGE_BYTES;
use hub_core::ports::{Sent, UpstreamErrorKind as Kind};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;

type Outcome = Result<Box<RawValue>, Fault>;

/// A server's request, to be answered by the link.
pub(crate) type Asked = (Value, String, Option<Box<RawValue>>);

/// Requests that wait for their answers. Links write to it, callers wait on it; it ends once.
pub(crate) struct Duplex {
    waiting: Mutex<HashMap<i64, oneshot::Sender<Outcome>>>,
    ended: Mutex<Option<String>>,
    pub desk: Arc<Desk>,
}

/// A request that waits; dropping it forgets it, and a late answer is dropped quietly.
pub(crate) struct Waiting {
    duplex: Arc<Duplex>,
    id: i64,
    answer: oneshot::Receiver<Outcome>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        lock(&self.duplex.waiting).remove(&self.id);
    }
}

impl Waiting {
    pub async fn answer(mut self) -> Outcome {
        let gone = || unavailable(Sent::Maybe, "the connection to the server ended").into();
        (&mut self.answer).await.unwrap_or_else(|_| Err(gone()))
    }
}

impl Duplex {
    pub fn new(desk: Arc<Desk>) -> Arc<Self> {
        Arc::new(Self { waiting: Mutex::default(), ended: Mutex::default(), desk })
    }

    /// Announces a request, before it is sent.
    pub fn expect(self: &Arc<Self>, id: i64) -> Result<Waiting, Fault> {
        let (answered, answer) = oneshot::channel();
        let mut waiting = lock(&self.waiting);
        if let Some(reason) = self.ended() {
            return Err(unavailable(Sent::No, reason).into());
        }
        waiting.insert(id, answered);
        drop(waiting);
        Ok(Waiting { duplex: self.clone(), id, answer })
    }

    /// Hears one message; returns what the server asks, and what is no MCP.
    pub fn hear(&self, text: &str) -> (Vec<Asked>, bool) {
        let (mut asked, mut noise) = (Vec::new(), false);
        for message in read(text) {
            match message {
                Incoming::Response { id: Some(id), outcome } => {
                    self.settle(id, outcome.map_err(Fault::Rpc));
                }
                // Whose it is can only be known where one waits.
                Incoming::Response { id: None, outcome } => {
                    let only = {
                        let waiting = lock(&self.waiting);
                        if waiting.len() == 1 { waiting.keys().next().copied() } else { None }
                    };
                    match (only, outcome) {
                        (Some(id), Err(error)) => self.settle(id, Err(Fault::Rpc(error))),
                        _ => noise = true,
                    }
                }
                Incoming::Request { id, method, params } => asked.push((id, method, params)),
                Incoming::Notification { method, params } => {
                    self.desk.told(&method, params.as_deref(), None);
                }
                Incoming::Noise(_) => noise = true,
            }
        }
        (asked, noise)
    }

    /// A message was over the limit.
    pub fn too_long(&self, id: Option<i64>, bytes: usize) {
        match id {
            Some(id) => self.settle(id, Err(too_large(bytes, SOURCE_MESSAGE_BYTES).into())),
            None => tracing::debug!(bytes, "an overlong message that answers nothing"),
        }
    }

    fn settle(&self, id: i64, outcome: Outcome) {
        match lock(&self.waiting).remove(&id) {
            // The receiver may just have gone; then nobody wants it.
            Some(waiting) => drop(waiting.send(outcome)),
            None => self.desk.late(id),
        }
    }

    /// Nothing more will come; everything that waits fails with `reason`.
    pub fn end(&self, reason: &str) {
        let mut waiting = lock(&self.waiting);
        lock(&self.ended).get_or_insert_with(|| reason.to_owned());
        for (_, answered) in waiting.drain() {
            let fault = error(Kind::Unavailable, Sent::Maybe, reason);
            answered.send(Err(fault.into())).ok();
        }
    }

    /// Why nothing more will come.
    pub fn ended(&self) -> Option<String> {
        lock(&self.ended).clone()
    }
}
