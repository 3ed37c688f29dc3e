//! Whether anybody still reads the answer. A token is cancelled when the response (or the
//! request, before there is one) is dropped before its end.

use axum::body::{Body, BodyDataStream, Bytes};
use axum::response::Response;
use futures_util::Stream;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Told to the handler.
#[derive(Clone, Debug, Default)]
pub struct Presence(CancellationToken);

/// Held by the way back.
pub struct Reader(DropGuard);

/// A pair for one request.
pub fn watch() -> (Presence, Reader) {
    let token = CancellationToken::new();
    (Presence(token.clone()), Reader(token.drop_guard()))
}

impl Presence {
    /// Returns once nobody reads any more.
    pub async fn gone(&self) {
        self.0.cancelled().await;
    }
}

impl Reader {
    /// Holds on until the body was read to its end.
    pub fn hold(self, response: Response) -> Response {
        response.map(|body| {
            let held = Held { inner: body.into_data_stream(), reader: Some(self) };
            Body::from_stream(held)
        })
    }

    /// The answer is complete already.
    pub fn done(self) {
        self.0.disarm();
    }
}

struct Held {
    inner: BodyDataStream,
    reader: Option<Reader>,
}

impl Stream for Held {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = Pin::new(&mut self.inner).poll_next(cx);
        if matches!(next, Poll::Ready(None))
            && let Some(reader) = self.reader.take()
        {
            reader.done();
        }
        next
    }
}
