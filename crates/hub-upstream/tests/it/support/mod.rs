//! What the tests share: a clock, secrets, sources, and a scripted web server.

pub mod web;

use hub_core::catalog::{Source, Transport};
use hub_core::connection::{Connection, Credential, Placement, Secret, SecretRef};
use hub_core::id::SourceId;
use hub_core::ports::{
    Answer, BoxFuture, Clock, SecretError, SecretSource, Upstream, UpstreamCall, UpstreamError,
};
use hub_core::time::UnixMillis;
use hub_upstream::{McpUpstream, Options};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Real time, for tests that run real processes.
pub struct RealClock(Instant);

impl Clock for RealClock {
    fn now(&self) -> UnixMillis {
        UnixMillis(784_111_777_000)
    }

    fn monotonic_ms(&self) -> u64 {
        self.0.elapsed().as_millis() as u64
    }

    fn sleep(&self, ms: u64) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(Duration::from_millis(ms)))
    }
}

pub fn clock() -> Arc<dyn Clock> {
    Arc::new(RealClock(Instant::now()))
}

/// Secrets by name of their reference.
#[derive(Default)]
pub struct Secrets(pub Mutex<BTreeMap<String, String>>);

impl SecretSource for Secrets {
    fn resolve<'a>(&'a self, at: &'a SecretRef) -> BoxFuture<'a, Result<Secret, SecretError>> {
        Box::pin(async move {
            let reference = at.to_string();
            let value = self.0.lock().unwrap().get(&reference).cloned();
            let reason = "not set".to_owned();
            value.map(Secret::new).ok_or(SecretError { reference, reason })
        })
    }
}

pub fn secrets(of: &[(&str, &str)]) -> Arc<Secrets> {
    let map = of.iter().map(|(at, value)| ((*at).to_owned(), (*value).to_owned())).collect();
    Arc::new(Secrets(Mutex::new(map)))
}

/// Short limits where a test waits for one.
pub fn options() -> Options {
    Options { grace_ms: 200, ..Options::new("0.0.0-test") }
}

pub fn upstream(options: Options) -> Arc<McpUpstream> {
    Arc::new(McpUpstream::new(secrets(&[]), clock(), options))
}

static SOURCES: AtomicU32 = AtomicU32::new(0);

pub fn source(name: &str, transport: Transport) -> Source {
    let n = SOURCES.fetch_add(1, Ordering::SeqCst);
    Source {
        id: SourceId::new(format!("src_{n}")),
        name: name.to_owned(),
        namespace: name.to_owned(),
        transport,
        trusted: true,
        effects: BTreeMap::new(),
        timeout_ms: None,
        concurrency: None,
        from_file: false,
        created_at: UnixMillis(0),
    }
}

pub fn web_source(url: &str) -> Source {
    source("web", Transport::Http { url: url.to_owned() })
}

pub fn connection(source: &Source, credentials: &[(Placement, &str)]) -> Connection {
    let credential = |(placement, at): &(Placement, &str)| Credential {
        placement: placement.clone(),
        value: SecretRef::parse(at).unwrap(),
    };
    Connection {
        source: source.id.clone(),
        name: "personal".to_owned(),
        credentials: credentials.iter().map(credential).collect(),
        plain_env: BTreeMap::new(),
        is_default: true,
        created_at: UnixMillis(0),
        revision: 1,
    }
}

/// A call with a minute to go.
pub fn call(source: &Source, tool: &str, arguments: &str) -> UpstreamCall {
    UpstreamCall {
        source: Arc::new(source.clone()),
        connection: None,
        tool: tool.to_owned(),
        arguments: arguments.to_owned(),
        has_output_schema: false,
        timeout_ms: 60_000,
        continuation: None,
        progress: None,
        asks: None,
        may_wait: true,
        late: None,
        hand_on: None,
    }
}

pub async fn ask(
    upstream: &McpUpstream,
    source: &Source,
    tool: &str,
) -> Result<Answer, UpstreamError> {
    upstream.call(call(source, tool, "{}")).await
}

/// The names of a source's tools.
pub async fn tools(upstream: &McpUpstream, source: &Source) -> Result<Vec<String>, UpstreamError> {
    let listing = upstream.list(source, None).await?;
    Ok(listing.tools.into_iter().map(|tool| tool.name).collect())
}

pub fn text(value: &str) -> Answer {
    Answer::Value(serde_json::to_string(value).unwrap())
}

/// Waits until `done`, a state of the system that nobody announces.
pub async fn until(what: &str, done: impl Fn() -> bool) {
    for _ in 0..2_000 {
        if done() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("never: {what}");
}
