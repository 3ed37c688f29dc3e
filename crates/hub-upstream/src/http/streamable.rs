//! The streamable HTTP transport, both eras: each message is a POST of its own; the answer is
//! JSON or a stream of events that holds it.

use super::client::{Client, Send, read_all};
use super::sse::{Piece, Reader};
use crate::desk::{Desk, lock};
use crate::fault::{Fault, bad_response, cut, too_large, unavailable};
use crate::session::{Ask, General, Link};
use crate::wire::{Incoming, MODERN, read, request};
use futures_util::StreamExt;
use hub_core::limits::SOURCE_MESSAGE_BYTES;
use hub_core::ports::{BoxFuture, Clock, Sent};
use reqwest::{Method, Response};
use serde_json::value::RawValue;
use std::sync::{Arc, Mutex, Weak};
use tokio_util::sync::CancellationToken;
use url::Url;

/// Milliseconds before a broken stream is taken up again, unless the server says otherwise.
const RESUME_MS: u64 = 1_000;
/// Milliseconds at most, whatever the server says.
const RESUME_MOST_MS: u64 = 30_000;
/// How often one answer is taken up again.
const RESUMES: usize = 10;
/// Milliseconds between two openings of the stream that belongs to no request.
const REOPEN_MS: u64 = 60_000;
/// Milliseconds for ending a session.
const FAREWELL_MS: u64 = 2_000;

/// No request has this id: on the general stream nothing is taken for an answer.
const GENERAL: i64 = -1;

pub(crate) struct Streamable {
    client: Client,
    url: Url,
    desk: Arc<Desk>,
    clock: Arc<dyn Clock>,
    over: CancellationToken,
    state: Mutex<State>,
    me: Weak<Self>,
}

#[derive(Default, Clone)]
struct State {
    /// None before anything was agreed: the modern hello goes out.
    version: Option<String>,
    session: Option<String>,
    lost: Option<String>,
}

impl Streamable {
    pub fn new(
        client: Client,
        url: Url,
        desk: Arc<Desk>,
        clock: Arc<dyn Clock>,
        over: CancellationToken,
    ) -> Arc<Self> {
        let state = Mutex::default();
        Arc::new_cyclic(|me| Self { client, url, desk, clock, over, state, me: me.clone() })
    }

    fn headers(&self, ask: Option<&Ask>) -> Vec<(String, String)> {
        let state = lock(&self.state).clone();
        let mut headers =
            vec![("Accept".to_owned(), "application/json, text/event-stream".to_owned())];
        let is_initialize = ask.is_some_and(|ask| ask.method == "initialize");
        let version = state.version.as_deref().unwrap_or(MODERN);
        if !is_initialize {
            headers.push(("MCP-Protocol-Version".to_owned(), version.to_owned()));
        }
        if let Some(ask) = ask
            && version == MODERN
            && !is_initialize
        {
            headers.push(("Mcp-Method".to_owned(), ask.method.to_owned()));
            headers.extend(ask.headers.iter().cloned());
        }
        if let Some(session) = state.session {
            headers.push(("Mcp-Session-Id".to_owned(), session));
        }
        headers
    }

    async fn post(&self, body: String, headers: &[(String, String)]) -> Result<Response, Fault> {
        let url = self.url.clone();
        self.client.send(Send { method: Method::POST, url, headers, body: Some(body) }).await
    }

    async fn ask(&self, ask: Ask) -> Result<Box<RawValue>, Fault> {
        if ask.method == "initialize" {
            *lock(&self.state) = State::default();
        }
        let body = request(ask.id, ask.method, &ask.params);
        let response = self.post(body, &self.headers(Some(&ask))).await?;
        if !response.status().is_success() {
            return Err(self.refused(response, ask.id).await);
        }
        if ask.method == "initialize" {
            let session = response.headers().get("mcp-session-id");
            let session = session.and_then(|id| id.to_str().ok()).map(str::to_owned);
            lock(&self.state).session = session;
        }
        match content_type(&response).as_str() {
            "text/event-stream" => self.stream_answer(response, ask.id).await,
            _ => self.body_answer(response, ask.id).await,
        }
    }

    async fn refused(&self, response: Response, id: i64) -> Fault {
        let had_session = lock(&self.state).session.is_some();
        let not_found = response.status() == 404;
        match self.client.refused(response, Some(id)).await {
            Fault::Rpc(error) if not_found && error.code != -32601 && had_session => {
                self.lose(&error.message)
            }
            Fault::Http(refusal) if not_found && had_session => self.lose(&refusal.text),
            // Some servers say so with other statuses; the next call begins a new session.
            Fault::Rpc(error) if had_session && says_no_session(&error.message) => {
                self.lose(&error.message);
                Fault::Rpc(error)
            }
            fault => fault,
        }
    }

    fn lose(&self, why: &str) -> Fault {
        lock(&self.state).lost = Some(format!("the server ended our session: {}", cut(why, 200)));
        Fault::SessionLost
    }

    async fn body_answer(&self, response: Response, id: i64) -> Result<Box<RawValue>, Fault> {
        let status = response.status().as_u16();
        let kind = content_type(&response);
        let body = read_all(response, SOURCE_MESSAGE_BYTES).await?;
        let body = String::from_utf8_lossy(&body);
        for message in read(&body) {
            if let Some(answer) = self.hear(message, id) {
                return answer;
            }
        }
        let kind = if kind.is_empty() { "nothing" } else { &kind };
        let message = format!("no MCP answer (HTTP {status}, {kind}): {}", cut(body.trim(), 200));
        Err(bad_response(Sent::Maybe, message.trim_end_matches([':', ' '])).into())
    }

    /// The answer in a stream; a stream that breaks is taken up again where the server gave ids.
    async fn stream_answer(&self, response: Response, id: i64) -> Result<Box<RawValue>, Fault> {
        let mut reader = Reader::default();
        let mut response = Some(response);
        for _ in 0..=RESUMES {
            if let Some(answer) = self.drain(response.take(), &mut reader, id).await {
                return answer;
            }
            let modern = lock(&self.state).version.as_deref() == Some(MODERN);
            let Some(last) = reader.last_id.clone().filter(|id| !modern && !id.is_empty()) else {
                break;
            };
            let wait = reader.retry_ms.unwrap_or(RESUME_MS).min(RESUME_MOST_MS);
            self.clock.sleep(wait).await;
            reader = reader.resumed();
            match self.get(Some(last)).await {
                Ok(resumed) if resumed.status() == 200 => response = Some(resumed),
                Ok(refused) => return Err(gone_on(&format!("HTTP {}", refused.status().as_u16()))),
                // Not reached this time; the next round tries again.
                Err(_) => {}
            }
        }
        Err(gone_on("no more attempts are made"))
    }

    async fn drain(
        &self,
        response: Option<Response>,
        reader: &mut Reader,
        id: i64,
    ) -> Option<Result<Box<RawValue>, Fault>> {
        let mut stream = response?.bytes_stream();
        while let Some(Ok(bytes)) = stream.next().await {
            for piece in reader.feed(&bytes) {
                let event = match piece {
                    Piece::Event(event) => event,
                    Piece::TooLong { bytes, .. } => {
                        return Some(Err(too_large(bytes, SOURCE_MESSAGE_BYTES).into()));
                    }
                };
                for message in read(&event.data) {
                    if let Some(answer) = self.hear(message, id) {
                        return Some(answer);
                    }
                }
            }
        }
        None
    }

    /// Hears one message that came in answer to `id`; its answer, if that is what it is.
    fn hear(&self, message: Incoming, id: i64) -> Option<Result<Box<RawValue>, Fault>> {
        match message {
            Incoming::Response { id: of, outcome } if of == Some(id) => {
                Some(outcome.map_err(Fault::Rpc))
            }
            // It came in answer to our request alone, so it is about it.
            Incoming::Response { id: None, outcome: Err(error) } => Some(Err(Fault::Rpc(error))),
            Incoming::Noise(Some(text)) => {
                if says_no_session(&text) {
                    self.lose(&text);
                }
                let message = format!("no MCP answer, but an error: {}", cut(&text, 300));
                Some(Err(bad_response(Sent::Maybe, message).into()))
            }
            Incoming::Request { id: theirs, method, params } => {
                let during = (id != GENERAL).then_some(id);
                self.answer(theirs, method, params, during);
                None
            }
            Incoming::Notification { method, params } => {
                let during = (id != GENERAL).then_some(id);
                self.desk.told(&method, params.as_deref(), during);
                None
            }
            Incoming::Response { .. } | Incoming::Noise(None) => None,
        }
    }

    /// Answers a server's request, on the side.
    fn answer(
        &self,
        id: serde_json::Value,
        method: String,
        params: Option<Box<RawValue>>,
        during: Option<i64>,
    ) {
        let (Some(link), Some(room)) = (self.me.upgrade(), self.desk.room()) else { return };
        tokio::spawn(async move {
            let _room = room;
            let answer = link.desk.asked(&id, &method, params.as_deref(), during);
            let answer = tokio::select! {
                answer = answer => answer,
                () = link.over.cancelled() => return,
            };
            if let Err(fault) = link.tell(answer).await {
                tracing::debug!(?fault, "an answer did not reach the server");
            }
        });
    }

    async fn get(&self, last_id: Option<String>) -> Result<Response, Fault> {
        let mut headers = self.headers(None);
        headers[0].1 = "text/event-stream".to_owned();
        headers.extend(last_id.map(|id| ("Last-Event-ID".to_owned(), id)));
        let url = self.url.clone();
        self.client.send(Send { method: Method::GET, url, headers: &headers, body: None }).await
    }

    /// The legacy stream that belongs to no request: changed lists and questions come here.
    /// Optional for the server: whatever it answers instead, nothing is lost, and it is not asked
    /// again.
    async fn hear_general(&self) {
        let mut last_id = None;
        loop {
            let Ok(response) = self.get(last_id.take()).await else { return };
            if response.status() != 200 || content_type(&response) != "text/event-stream" {
                return;
            }
            let mut reader = Reader::default();
            self.drain(Some(response), &mut reader, GENERAL).await;
            let wait = reader.retry_ms.unwrap_or(0).max(REOPEN_MS);
            last_id = reader.last_id;
            tokio::select! {
                () = self.clock.sleep(wait) => {}
                () = self.over.cancelled() => return,
            }
        }
    }
}

/// Words of servers that lost our session and say so in their own way. Only these: a session of
/// something else may be what a tool is about.
fn says_no_session(text: &str) -> bool {
    let text = text.to_lowercase();
    let said = |phrase: &&str| text.contains(*phrase);
    [
        "session not found",
        "session expired",
        "session has expired",
        "session terminated",
        "no valid session",
        "no such session",
        "invalid session",
        "unknown session",
        "missing session",
    ]
    .iter()
    .any(said)
}

fn gone_on(why: &str) -> Fault {
    let message = format!("the server's answer broke off ({why}); whether it acted is not known");
    unavailable(Sent::Maybe, message).into()
}

/// The media type, without parameters.
fn content_type(response: &Response) -> String {
    let value = response.headers().get("content-type").and_then(|value| value.to_str().ok());
    let kind = value.unwrap_or_default().split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

impl General for Streamable {
    fn run(self: Arc<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move { self.hear_general().await })
    }
}

impl Link for Streamable {
    fn exchange(&self, ask: Ask) -> BoxFuture<'_, Result<Box<RawValue>, Fault>> {
        Box::pin(self.ask(ask))
    }

    fn tell(&self, message: String) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            let response = self.post(message, &self.headers(None)).await?;
            match response.status().is_success() {
                true => Ok(()),
                false => Err(self.refused(response, GENERAL).await),
            }
        })
    }

    fn ended(&self) -> Option<String> {
        lock(&self.state).lost.clone()
    }

    fn speaks(&self, version: &str) {
        lock(&self.state).version = Some(version.to_owned());
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.over.cancel();
            let state = lock(&self.state).clone();
            if state.session.is_none() || state.lost.is_some() {
                return;
            }
            let (headers, url) = (self.headers(None), self.url.clone());
            let send = Send { method: Method::DELETE, url, headers: &headers, body: None };
            // A courtesy; the server forgets the session by itself.
            tokio::select! {
                _ = self.client.send(send) => {}
                () = self.clock.sleep(FAREWELL_MS) => {}
            }
        })
    }

    fn has_headers(&self) -> bool {
        true
    }

    fn shares_one_stream(&self) -> bool {
        false
    }
}
