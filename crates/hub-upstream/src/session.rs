//! One conversation with one server: a link, the era it turned out to speak, and what is asked
//! over it. The links differ (pipe, HTTP, legacy SSE); everything above them is the same.

use crate::call::param_header_values;
use crate::desk::{CallDesk, Desk, OnDesk, lock};
use crate::fault::{Fault, error};
use crate::listing::{Pages, ParamHeaders};
use crate::scrub::Scrub;
use crate::wire::{MODERN, notification, raw};
use hub_core::catalog::Listing;
use hub_core::digest::Digest;
use hub_core::ports::{BoxFuture, Clock, Sent, UpstreamErrorKind as Kind};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// A request of ours.
#[derive(Clone)]
pub(crate) struct Ask {
    pub id: i64,
    pub method: &'static str,
    pub params: Box<RawValue>,
    /// Headers of this request, where the transport has any.
    pub headers: Vec<(String, String)>,
}

/// Carries messages to one server and answers back.
pub(crate) trait Link: Send + Sync {
    /// Sends a request and waits for its answer, without a limit of time. Sends it once.
    fn exchange(&self, ask: Ask) -> BoxFuture<'_, Result<Box<RawValue>, Fault>>;
    /// Sends a message that has no answer.
    fn tell(&self, message: String) -> BoxFuture<'_, Result<(), Fault>>;
    /// Sends such a message at once, before anything sent later; gives it back where it cannot.
    fn tell_now(&self, message: String) -> Result<(), String> {
        Err(message)
    }
    /// Whether nothing more can come of it, and why.
    fn ended(&self) -> Option<String>;
    /// What was negotiated, for transports that repeat it with each message.
    fn speaks(&self, _version: &str) {}
    /// Ends it; returns when it has ended.
    fn close(&self) -> BoxFuture<'_, ()>;
    /// Whether parameters can travel in headers.
    fn has_headers(&self) -> bool {
        false
    }
    /// Whether a server's question names no call of ours.
    fn shares_one_stream(&self) -> bool {
        true
    }
}

/// The stream of a legacy HTTP session that belongs to no request.
pub(crate) trait General: Send + Sync {
    /// Hears it for as long as the server offers it.
    fn run(self: Arc<Self>) -> BoxFuture<'static, ()>;
}

/// What the two sides said at the beginning.
#[derive(Clone, Debug)]
pub(crate) struct Hello {
    pub version: String,
    pub server: String,
    pub instructions: Option<String>,
    pub capabilities: Value,
}

impl Hello {
    pub fn is_modern(&self) -> bool {
        self.version == MODERN
    }
}

/// How long a request may stay unanswered.
pub(crate) struct Patience {
    /// Milliseconds of silence.
    pub silence_ms: u64,
    /// Milliseconds in all, progress or not.
    pub total_ms: u64,
}

pub(crate) struct Session {
    pub link: Arc<dyn Link>,
    pub hello: Hello,
    pub desk: Arc<Desk>,
    pub scrub: Scrub,
    /// Digest of the credentials it was opened with.
    pub secrets: Digest,
    /// One at a time where a question could not be told apart.
    pub lane: Option<Semaphore>,
    /// Ends everything that runs for this session.
    pub over: CancellationToken,
    pub clock: Arc<dyn Clock>,
    pub client: Value,
    pub elicitation: bool,
    /// Whether the server was told that it may ask the person.
    pub may_ask: bool,
    pub next_id: AtomicI64,
    pub busy: AtomicUsize,
    pub last_used: AtomicU64,
    pub answered: AtomicU64,
    /// Whether its tools were asked for, for the catalogue.
    pub listed: AtomicBool,
    /// The stream that belongs to no request, where the transport has one.
    pub general: Option<Arc<dyn General>>,
    /// Parameters that travel in headers, per tool; none before the first listing.
    pub headers: Mutex<Option<Arc<HashMap<String, ParamHeaders>>>>,
}

/// Tells the server that nobody waits any more, unless the answer came.
struct Cancel<'a> {
    session: &'a Session,
    id: i64,
    reason: &'static str,
    armed: bool,
}

impl Drop for Cancel<'_> {
    fn drop(&mut self) {
        let stream_end_says_it = self.session.hello.is_modern() && self.session.link.has_headers();
        if !self.armed || stream_end_says_it || self.session.link.ended().is_some() {
            return;
        }
        let params = json!({"requestId": self.id, "reason": self.reason});
        let message = notification("notifications/cancelled", &params);
        let link = self.session.link.clone();
        let Err(message) = link.tell_now(message) else { return };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            // Best effort: the server may be gone.
            runtime.spawn(async move { link.tell(message).await.ok() });
        }
    }
}

/// Counts a use of a session.
pub(crate) struct InUse(Arc<Session>);

impl Drop for InUse {
    fn drop(&mut self) {
        self.0.last_used.store(self.0.clock.monotonic_ms(), Ordering::SeqCst);
        self.0.busy.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.over.cancel();
    }
}

impl Session {
    /// Keeps it from being idle for as long as the guard lives.
    pub fn use_it(self: &Arc<Self>) -> InUse {
        self.busy.fetch_add(1, Ordering::SeqCst);
        InUse(self.clone())
    }

    /// Milliseconds since its last use.
    pub fn idle_for(&self, now: u64) -> u64 {
        match self.busy.load(Ordering::SeqCst) {
            0 => now.saturating_sub(self.last_used.load(Ordering::SeqCst)),
            _ => 0,
        }
    }

    /// Ends it and what runs beside it.
    pub async fn end(&self) {
        self.over.cancel();
        self.link.close().await;
    }

    /// The `_meta` of a request.
    fn meta(&self, may_ask: bool) -> Map<String, Value> {
        match self.hello.is_modern() {
            true => modern_meta(&self.client, may_ask && self.elicitation),
            false => Map::new(),
        }
    }

    /// The `_meta` of a call: what its caller can be asked and told.
    fn call_meta(&self, id: i64, desk: &CallDesk) -> Map<String, Value> {
        let mut meta = self.meta(desk.asks.is_some());
        meta.insert("progressToken".to_owned(), json!(id));
        let level = desk.hand_on.as_ref().and_then(|on| on.log_level.as_ref());
        if let (Some(level), true) = (level, self.hello.is_modern()) {
            meta.insert("io.modelcontextprotocol/logLevel".to_owned(), json!(level));
        }
        meta
    }

    /// Sends a `tools/call` and waits.
    pub async fn call(
        &self,
        mut params: Map<String, Value>,
        arguments: &RawValue,
        desk: CallDesk,
        patience: Patience,
    ) -> Result<Box<RawValue>, Fault> {
        let id = self.next_id.fetch_add(1, Ordering::SeqCst);
        params.insert("_meta".to_owned(), Value::Object(self.call_meta(id, &desk)));
        let tool = params["name"].as_str().unwrap_or_default().to_owned();
        let headers = self.call_headers(&tool, arguments);
        let params = crate::call::with_arguments(&params, arguments);
        let on_desk = self.desk.begin(id, desk);
        let ask = Ask { id, method: "tools/call", params, headers };
        self.wait(ask, Some(&on_desk), patience).await
    }

    fn call_headers(&self, tool: &str, arguments: &RawValue) -> Vec<(String, String)> {
        if !self.hello.is_modern() || !self.link.has_headers() {
            return Vec::new();
        }
        let known = lock(&self.headers).clone();
        let of_tool = known.as_ref().and_then(|known| known.get(tool));
        let mut headers = vec![("Mcp-Name".to_owned(), tool.to_owned())];
        headers.extend(of_tool.iter().flat_map(|of| param_header_values(of, arguments)));
        headers
    }

    async fn wait(
        &self,
        ask: Ask,
        on_desk: Option<&OnDesk>,
        patience: Patience,
    ) -> Result<Box<RawValue>, Fault> {
        let began = self.clock.monotonic_ms();
        let Patience { silence_ms, total_ms } = patience;
        let left = || {
            let now = self.clock.monotonic_ms();
            let silence = match on_desk {
                Some(on_desk) => on_desk.call.left(now, silence_ms),
                None => (began + silence_ms).saturating_sub(now),
            };
            silence.min((began + total_ms).saturating_sub(now))
        };
        let method = ask.method;
        let mut cancel = Cancel { session: self, id: ask.id, reason: "not needed", armed: true };
        let mut exchange = self.link.exchange(ask);
        loop {
            let ms = left();
            if ms == 0 {
                cancel.reason = "no answer in time";
                let waited = (self.clock.monotonic_ms() - began).div_ceil(1_000);
                let message = format!("no answer to {method} within {waited} s");
                return Err(error(Kind::Timeout, Sent::Maybe, message).into());
            }
            tokio::select! {
                answer = &mut exchange => {
                    cancel.armed = false;
                    on_desk.iter().for_each(|on_desk| on_desk.call.answered());
                    if answer.is_ok() {
                        self.answered.fetch_add(1, Ordering::SeqCst);
                    }
                    return answer;
                }
                () = self.clock.sleep(ms) => {}
            }
        }
    }

    /// The server's tools, all pages.
    pub async fn list(&self, page_ms: u64) -> Result<Listing, Fault> {
        let mut pages = Pages::new(self.link.has_headers() && self.hello.is_modern());
        if self.hello.capabilities.get("tools").is_none() && !self.offers_tools_anyway() {
            return Ok(self.listing(pages));
        }
        let mut cursor = None;
        loop {
            let id = self.next_id.fetch_add(1, Ordering::SeqCst);
            let mut params = Map::new();
            if let Some(cursor) = cursor {
                params.insert("cursor".to_owned(), cursor);
            }
            let meta = self.meta(false);
            if !meta.is_empty() {
                params.insert("_meta".to_owned(), Value::Object(meta));
            }
            let ask = Ask { id, method: "tools/list", params: raw(&params), headers: Vec::new() };
            let patience = Patience { silence_ms: page_ms, total_ms: page_ms };
            let page = self.wait(ask, None, patience).await?;
            cursor = pages.add(page.get())?;
            if cursor.is_none() {
                return Ok(self.listing(pages));
            }
        }
    }

    /// Servers that declare nothing at all may still have tools; those that declare other
    /// things and no tools have none.
    fn offers_tools_anyway(&self) -> bool {
        self.hello.capabilities.as_object().is_none_or(Map::is_empty)
    }

    fn listing(&self, pages: Pages) -> Listing {
        *lock(&self.headers) = Some(Arc::new(pages.headers));
        Listing {
            tools: pages.tools,
            broken: pages.broken,
            protocol_version: self.hello.version.clone(),
            server: self.hello.server.clone(),
            instructions: self.hello.instructions.clone(),
        }
    }

    /// Whether the parameters that travel in headers are still unknown.
    pub fn needs_listing(&self) -> bool {
        self.hello.is_modern() && self.link.has_headers() && lock(&self.headers).is_none()
    }

    /// Listens for changes where the modern server offers that; returns when it stops.
    pub async fn listen(&self) -> Result<(), Fault> {
        let id = self.next_id.fetch_add(1, Ordering::SeqCst);
        let mut params = Map::new();
        params.insert("_meta".to_owned(), Value::Object(self.meta(false)));
        params.insert("notifications".to_owned(), json!({"toolsListChanged": true}));
        let params = raw(&params);
        let ask = Ask { id, method: "subscriptions/listen", params, headers: Vec::new() };
        let mut cancel = Cancel { session: self, id, reason: "closing", armed: true };
        let ended = self.link.exchange(ask).await;
        cancel.armed = false;
        ended.map(drop)
    }
}

/// What every modern request carries.
pub(crate) fn modern_meta(client: &Value, may_ask: bool) -> Map<String, Value> {
    let capabilities = match may_ask {
        true => json!({"elicitation": {"form": {}, "url": {}}}),
        false => json!({}),
    };
    let mut meta = Map::new();
    let key = |name: &str| format!("io.modelcontextprotocol/{name}");
    meta.insert(key("protocolVersion"), json!(MODERN));
    meta.insert(key("clientCapabilities"), capabilities);
    meta.insert(key("clientInfo"), client.clone());
    meta
}
