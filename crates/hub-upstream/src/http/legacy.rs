//! The HTTP+SSE transport of 2024-11-05: one stream of events for all answers; its first event
//! names the address that messages are posted to.

use super::client::{Client, Send};
use super::sse::{Piece, Reader};
use crate::desk::Desk;
use crate::fault::{Fault, bad_response, unavailable};
use crate::session::{Ask, Link};
use crate::stdio::Duplex;
use crate::wire::request;
use futures_util::StreamExt;
use hub_core::limits::SOURCE_PROBE_MS;
use hub_core::ports::{BoxFuture, Clock, Sent};
use reqwest::{Method, Response};
use serde_json::value::RawValue;
use std::sync::{Arc, Weak};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use url::Url;

pub(crate) struct LegacySse {
    client: Client,
    post_to: Url,
    duplex: Arc<Duplex>,
    over: CancellationToken,
}

impl LegacySse {
    /// Opens the stream and waits for the address to post to.
    pub async fn open(
        client: Client,
        url: &Url,
        desk: Arc<Desk>,
        clock: &dyn Clock,
        over: CancellationToken,
    ) -> Result<Arc<Self>, Fault> {
        let headers = [("Accept".to_owned(), "text/event-stream".to_owned())];
        let get = Send { method: Method::GET, url: url.clone(), headers: &headers, body: None };
        let response = client.send(get).await?;
        if !response.status().is_success() {
            return Err(client.refused(response, None).await);
        }
        let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok());
        if !kind.unwrap_or_default().starts_with("text/event-stream") {
            return Err(bad_response(Sent::No, "the address serves no event stream").into());
        }
        let duplex = Duplex::new(desk);
        let (named, address) = oneshot::channel();
        let (link, linked) = oneshot::channel();
        let hearing = Hearing { duplex: duplex.clone(), link: linked, named: Some(named) };
        let (until, stream) = (over.clone(), hearing.run(response));
        tokio::spawn(async move {
            tokio::select! {
                () = stream => {}
                () = until.cancelled() => {}
            }
        });
        let address = tokio::select! {
            address = address => address.ok(),
            () = clock.sleep(SOURCE_PROBE_MS) => None,
        };
        let missing = || bad_response(Sent::No, "the event stream names no address to post to");
        let post_to = address.and_then(|address| url.join(address.trim()).ok()).ok_or_else(missing);
        let post_to = post_to.inspect_err(|_| over.cancel())?;
        if post_to.origin() != url.origin() {
            over.cancel();
            let to = post_to.origin().ascii_serialization();
            let message = format!("the event stream names an address on another origin ({to})");
            return Err(bad_response(Sent::No, message).into());
        }
        let this = Arc::new(Self { client, post_to, duplex, over });
        link.send(Arc::downgrade(&this)).ok();
        Ok(this)
    }

    async fn post(&self, body: String, id: Option<i64>) -> Result<(), Fault> {
        let url = self.post_to.clone();
        let send = Send { method: Method::POST, url, headers: &[], body: Some(body) };
        let response = self.client.send(send).await?;
        match response.status().is_success() {
            true => Ok(()),
            false if response.status() == 404 => {
                self.duplex.end("the server ended our session");
                Err(Fault::SessionLost)
            }
            false => Err(self.client.refused(response, id).await),
        }
    }
}

struct Hearing {
    duplex: Arc<Duplex>,
    /// The link, once there is one: to answer with.
    link: oneshot::Receiver<Weak<LegacySse>>,
    named: Option<oneshot::Sender<String>>,
}

impl Hearing {
    async fn run(mut self, response: Response) {
        let mut reader = Reader::default();
        let mut stream = response.bytes_stream();
        let mut link = None;
        while let Some(Ok(bytes)) = stream.next().await {
            for piece in reader.feed(&bytes) {
                match piece {
                    Piece::Event(event) if event.kind == "endpoint" => {
                        // Only the first one counts.
                        self.named.take().map(|named| named.send(event.data));
                    }
                    Piece::Event(event) => {
                        if link.is_none() {
                            link = self.link.try_recv().ok();
                        }
                        self.hear(&event.data, link.as_ref());
                    }
                    Piece::TooLong { id, bytes } => self.duplex.too_long(id, bytes),
                }
            }
        }
        self.duplex.end("the server's event stream ended");
    }

    fn hear(&self, text: &str, link: Option<&Weak<LegacySse>>) {
        let (asked, _) = self.duplex.hear(text);
        for (id, method, params) in asked {
            let Some(link) = link.and_then(Weak::upgrade) else { continue };
            let Some(room) = self.duplex.desk.room() else { continue };
            tokio::spawn(async move {
                let _room = room;
                let answer = link.duplex.desk.asked(&id, &method, params.as_deref(), None);
                let answer = tokio::select! {
                    answer = answer => answer,
                    () = link.over.cancelled() => return,
                };
                if let Err(fault) = link.post(answer, None).await {
                    tracing::debug!(?fault, "an answer did not reach the server");
                }
            });
        }
    }
}

impl Link for LegacySse {
    fn exchange(&self, ask: Ask) -> BoxFuture<'_, Result<Box<RawValue>, Fault>> {
        Box::pin(async move {
            let waiting = self.duplex.expect(ask.id)?;
            let body = request(ask.id, ask.method, &ask.params);
            let mut posted = Box::pin(self.post(body, Some(ask.id)));
            let mut answer = Box::pin(waiting.answer());
            // The answer may come before the POST has its own.
            tokio::select! {
                answer = &mut answer => answer,
                posted = &mut posted => {
                    posted?;
                    answer.await
                }
            }
        })
    }

    fn tell(&self, message: String) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(self.post(message, None))
    }

    fn ended(&self) -> Option<String> {
        let closed = || unavailable(Sent::No, "closed").message;
        self.duplex.ended().or_else(|| self.over.is_cancelled().then(closed))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.over.cancel();
            self.duplex.end("the connection was closed");
        })
    }
}

impl Drop for LegacySse {
    fn drop(&mut self) {
        self.over.cancel();
    }
}
