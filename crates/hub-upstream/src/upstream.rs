//! The port: listing and calling, with what every call goes through.

use crate::call::{arguments, params};
use crate::desk::{CallDesk, lock};
use crate::fault::{Fault, bad_response, error};
use crate::open::Opener;
use crate::options::Options;
use crate::pool::{Pool, SourceStatus};
use crate::session::{Patience, Session};
use crate::value;
use hub_core::catalog::{Listing, Source};
use hub_core::connection::Connection;
use hub_core::id::SourceId;
use hub_core::limits;
use hub_core::ports::{
    Answer, BoxFuture, Clock, SecretSource, Sent, Upstream, UpstreamCall, UpstreamError,
    UpstreamErrorKind as Kind,
};
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Speaks MCP to all sources.
pub struct McpUpstream {
    pool: Arc<Pool>,
    clock: Arc<dyn Clock>,
    /// How many calls may be on their way, per source.
    gates: Mutex<HashMap<(SourceId, usize), Arc<Semaphore>>>,
    /// Until when ([`Clock::monotonic_ms`]) a source asked an account of it to wait.
    held: Mutex<HashMap<(SourceId, Option<String>), u64>>,
}

fn account(source: &Source, connection: Option<&Connection>) -> (SourceId, Option<String>) {
    (source.id.clone(), connection.map(|of| of.name.clone()))
}

impl McpUpstream {
    /// Nothing is started before the first call. Needs a running tokio runtime from then on.
    pub fn new(secrets: Arc<dyn SecretSource>, clock: Arc<dyn Clock>, options: Options) -> Self {
        let pool = Pool::new(Opener::new(options, secrets, clock.clone()));
        Self { pool, clock, gates: Mutex::default(), held: Mutex::default() }
    }

    /// Remembers the revision a source spoke the last time (from a stored [`Listing`]), so that
    /// an older one is not asked in the newer way first.
    pub fn remember(&self, source: &SourceId, protocol_version: &str) {
        self.pool.opener().remember(source, protocol_version);
    }

    /// Where a source stands.
    pub fn status(&self, source: &SourceId) -> SourceStatus {
        self.pool.status(source)
    }

    /// Ends every child and session, gently; for the hub's own orderly end.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    fn gate(&self, source: &Source) -> Arc<Semaphore> {
        let most = limits::SOURCE_CONCURRENCY;
        let at_once = source.concurrency.map_or(most, |n| n.clamp(1, most));
        let key = (source.id.clone(), at_once);
        let fresh = || Arc::new(Semaphore::new(at_once));
        lock(&self.gates).entry(key).or_insert_with(fresh).clone()
    }

    /// Waits for a place in a line, at most `ms`.
    async fn place<'a>(
        &self,
        line: &'a Semaphore,
        ms: u64,
    ) -> Result<SemaphorePermit<'a>, UpstreamError> {
        let no = |message: &str| error(Kind::Timeout, Sent::No, message);
        tokio::select! {
            place = line.acquire() => place.map_err(|_| no("the source is being closed")),
            () = self.clock.sleep(ms) => {
                Err(no("other calls kept the source busy all the time; nothing was sent"))
            }
        }
    }

    /// Waits while the source asked for that, at most `ms`; nothing is sent meanwhile.
    async fn held_back(
        &self,
        source: &Source,
        connection: Option<&Connection>,
        ms: u64,
    ) -> Result<(), UpstreamError> {
        let at = account(source, connection);
        let until = lock(&self.held).get(&at).copied().unwrap_or(0);
        let wait = until.saturating_sub(self.clock.monotonic_ms());
        if wait > ms {
            let seconds = wait.div_ceil(1_000);
            let message =
                format!("it asked to be left alone for {seconds} s more; nothing was sent");
            return Err(error(Kind::RateLimited(Some(wait)), Sent::No, message));
        }
        if wait > 0 {
            self.clock.sleep(wait).await;
        }
        Ok(())
    }

    /// A source that says when to come back is left alone until then.
    fn hold(&self, source: &Source, connection: Option<&Connection>, error: &UpstreamError) {
        let Kind::RateLimited(Some(wait)) = error.kind else { return };
        let until = self.clock.monotonic_ms() + wait.min(limits::RETRY_AFTER_HELD_MS);
        let mut held = lock(&self.held);
        let known = held.entry(account(source, connection)).or_default();
        *known = until.max(*known);
    }

    async fn listing(
        &self,
        source: &Source,
        connection: Option<&Connection>,
    ) -> Result<Listing, UpstreamError> {
        let page_ms = source.timeout_ms.unwrap_or(limits::CALL_TIMEOUT_MS);
        let mut again = true;
        loop {
            let patience_ms = limits::SOURCE_START_MS.saturating_mul(3);
            let (session, fresh) = self.pool.session(source, connection, patience_ms).await?;
            let _busy = session.use_it();
            session.listed.store(true, Ordering::SeqCst);
            let error = match session.list(page_ms).await {
                Ok(listing) => return Ok(listing),
                Err(fault) => match self.stale(connection, &session, &fault, again && !fresh).await
                {
                    true => {
                        self.pool.give_up(source, connection, &session);
                        again = false;
                        continue;
                    }
                    false => fault.into_error(None),
                },
            };
            return Err(scrubbed(error, &session));
        }
    }

    async fn send(&self, call: &UpstreamCall) -> Result<Answer, UpstreamError> {
        let (source, connection) = (&*call.source, call.connection.as_deref());
        let arguments = arguments(&call.arguments)?;
        let begun = self.clock.monotonic_ms();
        // What comes before the sending may take most of the time, not all of it: a call that is
        // sent has a fair chance to be answered.
        let most = call.timeout_ms - call.timeout_ms / 4;
        let left = || (begun + most).saturating_sub(self.clock.monotonic_ms());
        let gate = self.gate(source);
        let _place = self.place(&gate, left()).await?;
        let patience = if call.may_wait { left() } else { 0 };
        self.held_back(source, connection, patience).await?;
        let mut again = true;
        loop {
            let (session, fresh) = self.pool.session(source, connection, left()).await?;
            let continuation = call.continuation.as_ref().filter(|_| session.hello.is_modern());
            if let (Some(answered), None) = (&call.continuation, continuation) {
                if !value::answers_pages(answered) {
                    return Err(bad_response(Sent::Maybe, CONTINUED_ELSEWHERE));
                }
                if value::declined(&answered.responses) {
                    return Ok(Answer::ToolError(
                        "the person did not go where the source asked".into(),
                    ));
                }
            }
            let params = params(&call.tool, continuation)?;
            let _busy = session.use_it();
            if session.needs_listing() {
                // Which parameters travel in headers; a failure shows in the call itself.
                session.list(left()).await.ok();
            }
            let _lane = match &session.lane {
                Some(lane) => Some(self.place(lane, left()).await?),
                None => None,
            };
            let desk = CallDesk::new(call.progress.clone(), call.asks.clone(), begun)
                .late(call.late.clone())
                .hand_on(call.hand_on.clone());
            let total_ms = call.timeout_ms.max(limits::LIVE_QUESTION_MS);
            let patience = Patience { silence_ms: call.timeout_ms, total_ms };
            let error = match session.call(params, arguments, desk, patience).await {
                Ok(raw) if call.hand_on.is_some() => {
                    return value::whole(raw.get(), &session.scrub);
                }
                Ok(raw) => return value::answer(raw.get(), &session.scrub),
                // Both prove that the server did not look at the call.
                Err(fault) if self.stale(connection, &session, &fault, again && !fresh).await => {
                    self.pool.give_up(source, connection, &session);
                    again = false;
                    continue;
                }
                Err(fault) => match page_wanted(&session, &fault) {
                    Some(question) => return Ok(question),
                    None => fault.into_error(Some(&call.tool)),
                },
            };
            self.hold(source, connection, &error);
            return Err(scrubbed(error, &session));
        }
    }

    /// Whether another session would make the difference: ours is lost, or the credentials it
    /// was opened with are refused and there are others now.
    async fn stale(
        &self,
        connection: Option<&Connection>,
        session: &Session,
        fault: &Fault,
        may: bool,
    ) -> bool {
        match fault {
            _ if !may => false,
            Fault::SessionLost => true,
            Fault::Http(refusal) if refusal.status == 401 => {
                self.pool.opener().credentials_changed(connection, session).await
            }
            _ => false,
        }
    }
}

/// What became of the first part of such a call is not known, and it is not begun again.
const CONTINUED_ELSEWHERE: &str = "asked in the middle of a call, and now speaks a revision in \
    which that call cannot go on; whether it took effect is not known";

/// The question in a refusal of the older kind, where the server was told that it may ask.
fn page_wanted(session: &Session, fault: &Fault) -> Option<Answer> {
    let Fault::Rpc(error) = fault else { return None };
    let may_be_asked = session.may_ask && !session.hello.is_modern();
    match value::page_wanted(error).filter(|_| may_be_asked)? {
        Answer::InputRequired { request_state, requests } => {
            let requests = session.scrub.value(&requests).into_owned();
            Some(Answer::InputRequired { request_state, requests })
        }
        answer => Some(answer),
    }
}

/// Without credentials, whatever the server echoed.
fn scrubbed(mut error: UpstreamError, session: &Session) -> UpstreamError {
    error.message = session.scrub.words(&error.message).into_owned();
    error.data = error.data.map(|data| session.scrub.value(&data).into_owned());
    error
}

/// Says whose error it is; a server's own words (a JSON-RPC error) stay as they are.
fn named(mut error: UpstreamError, source: &Source) -> UpstreamError {
    let of_http = error.status.is_some_and(|status| (100..600).contains(&status));
    if !matches!(error.kind, Kind::Failed | Kind::ToolGone | Kind::TooLarge) || of_http {
        error.message = format!("{}: {}", source.name, error.message);
    }
    error
}

impl Upstream for McpUpstream {
    fn list<'a>(
        &'a self,
        source: &'a Source,
        connection: Option<&'a Connection>,
    ) -> BoxFuture<'a, Result<Listing, UpstreamError>> {
        Box::pin(async move {
            self.listing(source, connection).await.map_err(|error| named(error, source))
        })
    }

    fn call(&self, call: UpstreamCall) -> BoxFuture<'_, Result<Answer, UpstreamError>> {
        Box::pin(async move { self.send(&call).await.map_err(|error| named(error, &call.source)) })
    }

    fn forget<'a>(&'a self, source: &'a Source) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            lock(&self.gates).retain(|(id, _), _| *id != source.id);
            lock(&self.held).retain(|(id, _), _| *id != source.id);
            self.pool.forget(&source.id).await;
        })
    }

    fn standing(&self, source: &Source) -> Option<String> {
        Some(match self.pool.status(&source.id) {
            SourceStatus::Idle => return None,
            SourceStatus::Starting => "starting".to_owned(),
            SourceStatus::Ready { .. } => "open".to_owned(),
            SourceStatus::Failed { retry_in_ms: 0, .. } => "failed".to_owned(),
            SourceStatus::Failed { retry_in_ms, .. } => {
                format!("failed; tried again in {} s", retry_in_ms.div_ceil(1_000))
            }
        })
    }

    fn stderr(&self, source: &Source) -> Option<String> {
        let text = self.pool.of(&source.id).tail.text();
        (!text.is_empty()).then_some(text)
    }
}
