//! Opening a session: credentials resolved, a child started or an address reached, hello said.

use crate::desk::{Changes, Desk, lock};
use crate::era::{Era, Greeting};
use crate::fault::{Fault, error, unavailable};
use crate::http::{Client, Credentials, LegacySse, Streamable, shared};
use crate::options::Options;
use crate::scrub::Scrub;
use crate::session::{General, Hello, Link, Session};
use crate::stdio::{Pipe, Program, Starter, Tail};
use hub_core::catalog::{Source, Transport};
use hub_core::connection::{Connection, Placement, Secret};
use hub_core::digest::Digest;
use hub_core::id::SourceId;
use hub_core::ports::{Clock, SecretSource, Sent, UpstreamError, UpstreamErrorKind as Kind};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use url::Url;

/// Opens sessions; knows how each source was spoken to the last time.
pub(crate) struct Opener {
    pub options: Options,
    pub clock: Arc<dyn Clock>,
    secrets: Arc<dyn SecretSource>,
    starter: Starter,
    http: Result<reqwest::Client, UpstreamError>,
    eras: Mutex<HashMap<SourceId, Era>>,
}

/// What belongs to a source and outlives its sessions.
#[derive(Clone)]
pub(crate) struct Belongings {
    pub tail: Arc<Tail>,
    pub changes: Arc<Changes>,
}

/// Credentials, found and sorted by where they go.
#[derive(Default)]
struct Resolved {
    env: BTreeMap<String, String>,
    http: Credentials,
    secrets: Vec<Secret>,
}

impl Resolved {
    fn digest(&self) -> Digest {
        Digest::of_parts(self.secrets.iter().map(|secret| secret.expose().as_bytes()))
    }
}

/// A link on which hello was said.
struct Spoken {
    link: Arc<dyn Link>,
    hello: Hello,
    desk: Arc<Desk>,
    over: CancellationToken,
    ids: AtomicI64,
    general: Option<Arc<dyn General>>,
    /// Whether the server was told that it may ask the person.
    may_ask: bool,
}

/// Whether a server that shares one stream for all calls is told that it may ask the person:
/// not where the person wants several calls at once, since nobody could say whose question it is.
fn may_ask_on_one_stream(options: &Options, source: &Source) -> bool {
    options.elicitation && source.concurrency.is_none_or(|at_once| at_once <= 1)
}

impl Opener {
    pub fn new(options: Options, secrets: Arc<dyn SecretSource>, clock: Arc<dyn Clock>) -> Self {
        let (starter, http) = (Starter::new(&options), shared(&options));
        Self { options, clock, secrets, starter, http, eras: Mutex::default() }
    }

    /// Forgets what is known of a source.
    pub fn forget(&self, source: &SourceId) {
        lock(&self.eras).remove(source);
    }

    /// Remembers what an earlier hub found out.
    pub fn remember(&self, source: &SourceId, protocol_version: &str) {
        if protocol_version.is_empty() {
            return;
        }
        let modern = protocol_version == crate::wire::MODERN;
        let era = if modern { Era::Modern } else { Era::Legacy };
        lock(&self.eras).entry(source.clone()).or_insert(era);
    }

    fn client_info(&self) -> Value {
        json!({"name": "capabilities", "version": self.options.version})
    }

    async fn resolve(&self, connection: Option<&Connection>) -> Result<Resolved, UpstreamError> {
        let mut resolved = Resolved::default();
        let Some(connection) = connection else { return Ok(resolved) };
        resolved.env.extend(connection.plain_env.clone());
        for credential in &connection.credentials {
            let secret = self.secrets.resolve(&credential.value).await.map_err(|none| {
                error(Kind::Unauthorized, Sent::No, format!("no credential: {none}"))
            })?;
            let value = secret.expose().to_owned();
            match &credential.placement {
                Placement::Bearer => {
                    let header = ("Authorization".to_owned(), format!("Bearer {value}"));
                    resolved.http.headers.push(header);
                }
                Placement::Header(name) => resolved.http.headers.push((name.clone(), value)),
                Placement::Query(name) => resolved.http.query.push((name.clone(), value)),
                Placement::Env(name) => {
                    resolved.env.insert(name.clone(), value);
                }
            }
            resolved.secrets.push(secret);
        }
        Ok(resolved)
    }

    /// Whether the credentials are others than `session` was opened with.
    pub async fn credentials_changed(
        &self,
        connection: Option<&Connection>,
        session: &Session,
    ) -> bool {
        self.resolve(connection).await.is_ok_and(|now| now.digest() != session.secrets)
    }

    /// Opens a session. Takes as long as it takes, up to twice [`Options::start_ms`].
    pub async fn open(
        &self,
        source: &Source,
        connection: Option<&Connection>,
        of: &Belongings,
    ) -> Result<Arc<Session>, UpstreamError> {
        let resolved = self.resolve(connection).await?;
        let scrub = Scrub::new(resolved.secrets.clone());
        of.tail.hide(scrub.clone());
        let clean = |mut error: UpstreamError| {
            error.message = scrub.words(&error.message).into_owned();
            error
        };
        let secrets = resolved.digest();
        let spoken = match &source.transport {
            Transport::Stdio { command, args, env, cwd } => {
                let mut whole = self.options.base_env();
                whole.extend(env.clone());
                whole.extend(resolved.env);
                let program = || Program {
                    command: command.clone(),
                    args: args.clone(),
                    env: whole.clone(),
                    cwd: cwd.clone(),
                };
                self.over_pipe(source, program, of, &scrub).await
            }
            Transport::Http { url } => {
                self.over_http(source, url, &resolved.http, of, &scrub).await
            }
        };
        let spoken = spoken.map_err(clean)?;
        Ok(Arc::new(self.session(spoken, scrub.clone(), secrets)))
    }

    fn session(&self, spoken: Spoken, scrub: Scrub, secrets: Digest) -> Session {
        let Spoken { link, hello, desk, over, ids, general, may_ask } = spoken;
        // Revisions before this one know no questions.
        let knows = !hello.is_modern() && hello.version.as_str() >= "2025-06-18";
        let one_lane = may_ask && knows && link.shares_one_stream();
        Session {
            lane: one_lane.then(|| Semaphore::new(1)),
            general,
            link,
            hello,
            desk,
            scrub,
            secrets,
            over,
            clock: self.clock.clone(),
            client: self.client_info(),
            elicitation: self.options.elicitation,
            may_ask,
            next_id: ids,
            busy: Default::default(),
            last_used: self.clock.monotonic_ms().into(),
            answered: Default::default(),
            listed: Default::default(),
            headers: Mutex::default(),
        }
    }

    fn desk(&self, of: &Belongings, may_ask: bool, scrub: &Scrub) -> Arc<Desk> {
        let (changes, clock) = (of.changes.clone(), self.clock.clone());
        Arc::new(Desk::new(changes, clock, may_ask, scrub.clone()))
    }

    /// Starts a child. One that ends or stays silent on the modern hello is started again and
    /// greeted the old way.
    async fn over_pipe(
        &self,
        of_source: &Source,
        program: impl Fn() -> Program,
        of: &Belongings,
        scrub: &Scrub,
    ) -> Result<Spoken, UpstreamError> {
        let source = &of_source.id;
        let may_ask = may_ask_on_one_stream(&self.options, of_source);
        let remembered = lock(&self.eras).get(source).copied();
        let mut legacy_only = matches!(remembered, Some(Era::Legacy | Era::LegacySse));
        loop {
            let child = self.starter.start(program()).await?;
            let desk = self.desk(of, may_ask, scrub);
            let (tail, clock) = (of.tail.clone(), self.clock.clone());
            let grace = self.options.grace_ms;
            let pipe = Pipe::open(child, desk.clone(), tail, clock, grace);
            let (ids, client) = (AtomicI64::new(1), self.client_info());
            let greeting = self.greeting(&*pipe, &ids, &client, may_ask);
            let fault = tokio::select! {
                hello = greeting.over_pipe(legacy_only) => match hello {
                    Ok(hello) => {
                        let era = if hello.is_modern() { Era::Modern } else { Era::Legacy };
                        lock(&self.eras).insert(source.clone(), era);
                        let over = CancellationToken::new();
                        let (link, general) = (pipe as Arc<dyn Link>, None);
                        return Ok(Spoken { link, hello, desk, over, ids, general, may_ask });
                    }
                    Err(fault) => fault,
                },
                () = self.clock.sleep(self.options.start_ms) => {
                    let seconds = self.options.start_ms.div_ceil(1_000);
                    let last = of.tail.last(400);
                    let said = if last.is_empty() { "nothing".to_owned() } else { last };
                    unavailable(Sent::No, format!(
                        "no MCP answer within {seconds} s of its start; on standard error: {said}"
                    )).into()
                }
            };
            if legacy_only {
                lock(&self.eras).remove(source);
                return Err(not_sent(fault));
            }
            tracing::debug!(%source, "no answer to the modern hello; starting again");
            pipe.close().await;
            legacy_only = true;
        }
    }

    fn greeting<'a>(
        &'a self,
        link: &'a dyn Link,
        ids: &'a AtomicI64,
        client: &'a Value,
        elicitation: bool,
    ) -> Greeting<'a> {
        let probe_ms = self.options.probe_ms;
        Greeting { link, ids, client, elicitation, clock: &*self.clock, probe_ms }
    }

    async fn over_http(
        &self,
        of_source: &Source,
        url: &str,
        credentials: &Credentials,
        of: &Belongings,
        scrub: &Scrub,
    ) -> Result<Spoken, UpstreamError> {
        let (source, mut may_ask) = (&of_source.id, self.options.elicitation);
        let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let url = url.ok_or_else(|| unavailable(Sent::No, "its URL is no http or https URL"))?;
        let ids = AtomicI64::new(1);
        let remembered = lock(&self.eras).get(source).copied();
        let (mut desk, over) = (self.desk(of, may_ask, scrub), CancellationToken::new());
        let streamable = Streamable::new(
            self.http_client(credentials)?,
            url.clone(),
            desk.clone(),
            self.clock.clone(),
            over.clone(),
        );
        let general = streamable.clone();
        let (era, link, hello) = match self.hello_http(&streamable, &ids, remembered).await {
            Ok((era, hello)) => (era, streamable as Arc<dyn Link>, hello),
            Err(fault) if may_be_sse(&fault) => {
                // What the newer transport said is the better error where neither works.
                let client = self.http_client(credentials)?;
                let clock = &*self.clock;
                may_ask = may_ask_on_one_stream(&self.options, of_source);
                desk = self.desk(of, may_ask, scrub);
                match LegacySse::open(client, &url, desk.clone(), clock, over.clone()).await {
                    Ok(link) => {
                        let hello = self.initialize(&*link, &ids, may_ask).await;
                        let hello = hello.map_err(not_sent)?;
                        (Era::LegacySse, link as Arc<dyn Link>, hello)
                    }
                    Err(Fault::Http(refusal)) if matches!(refusal.status, 401 | 403) => {
                        return Err(not_sent(Fault::Http(refusal)));
                    }
                    Err(_) => return Err(not_sent(fault)),
                }
            }
            Err(fault) => {
                lock(&self.eras).remove(source);
                return Err(not_sent(fault));
            }
        };
        lock(&self.eras).insert(source.clone(), era);
        let general = (era == Era::Legacy).then_some(general as Arc<dyn General>);
        Ok(Spoken { link, hello, desk, over, ids, general, may_ask })
    }

    fn http_client(&self, credentials: &Credentials) -> Result<Client, UpstreamError> {
        Client::new(self.http.clone()?, credentials, self.clock.clone())
    }

    async fn initialize(
        &self,
        link: &dyn Link,
        ids: &AtomicI64,
        may_ask: bool,
    ) -> Result<Hello, Fault> {
        let client = self.client_info();
        let greeting = self.greeting(link, ids, &client, may_ask);
        tokio::select! {
            hello = greeting.initialize() => hello,
            () = self.clock.sleep(self.options.start_ms) => {
                let seconds = self.options.start_ms.div_ceil(1_000);
                Err(unavailable(Sent::No, format!("no answer to hello within {seconds} s")).into())
            }
        }
    }

    /// The modern hello, then the old one where the answer leaves that open.
    async fn hello_http(
        &self,
        link: &Arc<Streamable>,
        ids: &AtomicI64,
        remembered: Option<Era>,
    ) -> Result<(Era, Hello), Fault> {
        let client = self.client_info();
        if !matches!(remembered, Some(Era::Legacy | Era::LegacySse)) {
            let greeting = self.greeting(&**link, ids, &client, self.options.elicitation);
            let probed = tokio::select! {
                hello = greeting.discover() => hello,
                () = self.clock.sleep(self.options.probe_ms) => Ok(None),
            };
            match probed {
                Ok(Some(hello)) => {
                    link.speaks(&hello.version);
                    return Ok((Era::Modern, hello));
                }
                Ok(None) => {}
                Err(fault) if is_final(&fault) => return Err(fault),
                Err(fault) => tracing::debug!(?fault, "no modern hello"),
            }
        }
        ids.fetch_add(1, Ordering::SeqCst);
        Ok((Era::Legacy, self.initialize(&**link, ids, self.options.elicitation).await?))
    }
}

/// No other hello will fare better.
fn is_final(fault: &Fault) -> bool {
    match fault {
        Fault::Http(refusal) => {
            matches!(refusal.status, 300..=399 | 401 | 403 | 429) || refusal.wait_ms.is_some()
        }
        Fault::Other(error) => error.sent == Sent::No,
        _ => false,
    }
}

/// The address may speak HTTP+SSE: it takes no POST of this kind.
fn may_be_sse(fault: &Fault) -> bool {
    match fault {
        Fault::Http(refusal) => {
            (400..600).contains(&refusal.status)
                && !matches!(refusal.status, 401 | 403 | 429 | 502..=504)
        }
        Fault::Rpc(error) => matches!(error.code, -32600 | -32601),
        Fault::Other(error) => error.kind == Kind::BadResponse,
        Fault::SessionLost => false,
    }
}

/// A failed hello: no call was sent.
fn not_sent(fault: Fault) -> UpstreamError {
    let mut error = fault.into_error(None);
    error.sent = Sent::No;
    if error.kind == Kind::Failed {
        error.kind = Kind::Unavailable;
        error.message = format!("it refuses to begin: {}", error.message);
    }
    error
}
