//! Whether anybody reads the answer of a request. Counted by what holds the response (or the
//! request, before there is one): once nothing does, the client has left.
//!
//! An older client may come back to its stream (`Last-Event-ID`); then its requests are read
//! again.

use axum::body::{Body, BodyDataStream, Bytes};
use axum::response::Response;
use futures_util::Stream;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use tokio::sync::watch;

type Readers = watch::Sender<usize>;

/// Told to the handler.
#[derive(Clone, Debug)]
pub struct Presence(Arc<Readers>);

/// Held by a way back.
pub struct Reader(Arc<Readers>);

/// Finds a request again while it is served.
pub struct Trace(Weak<Readers>);

/// A pair for one request.
pub fn watch() -> (Presence, Reader) {
    let readers = Arc::new(watch::Sender::new(1));
    (Presence(readers.clone()), Reader(readers))
}

/// A pipe is read as long as it is open, and cancelled otherwise.
impl Default for Presence {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(1)))
    }
}

impl Presence {
    /// Returns once nobody reads any more.
    pub async fn gone(&self) {
        self.wait(|readers| readers == 0).await;
    }

    /// Returns once somebody reads again.
    pub async fn back(&self) {
        self.wait(|readers| readers > 0).await;
    }

    /// To find it again.
    pub fn trace(&self) -> Trace {
        Trace(Arc::downgrade(&self.0))
    }

    async fn wait(&self, holds: impl Fn(usize) -> bool) {
        // The sender is held right here, so the wait ends only as it should.
        let _ = self.0.subscribe().wait_for(|readers| holds(*readers)).await;
    }
}

impl Trace {
    /// Whether the request is still served.
    pub fn is_served(&self) -> bool {
        self.0.strong_count() > 0
    }

    /// One more reader, if the request is still served.
    pub fn reader(&self) -> Option<Reader> {
        let readers = self.0.upgrade()?;
        readers.send_modify(|count| *count += 1);
        Some(Reader(readers))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

/// Lets `readers` count for as long as the response is read.
pub fn hold(readers: Vec<Reader>, response: Response) -> Response {
    response.map(|body| Body::from_stream(Held { inner: body.into_data_stream(), readers }))
}

struct Held {
    inner: BodyDataStream,
    readers: Vec<Reader>,
}

impl Stream for Held {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = Pin::new(&mut self.inner).poll_next(cx);
        if matches!(next, Poll::Ready(None)) {
            self.readers.clear();
        }
        next
    }
}
