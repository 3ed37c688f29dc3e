//! Outward HTTP: one request, once. Bounds, credentials, redirects on the same origin, and what
//! an answer that is no success means.

use crate::call::header_text;
use crate::fault::{Fault, Refusal, bad_response, cut, error, too_large, unavailable};
use crate::options::Options;
use crate::wire::{Incoming, read};
use futures_util::StreamExt;
use hub_core::ports::{Clock, Sent, UpstreamError, UpstreamErrorKind as Kind};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Response, StatusCode};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Redirects followed for one request.
const REDIRECTS: usize = 5;
/// Bytes of an unsuccessful answer that are read.
const REFUSAL_BYTES: usize = 64 << 10;
/// Milliseconds for reading it.
const REFUSAL_MS: u64 = 2_000;
/// Characters of it that are kept.
const REFUSAL_CHARS: usize = 2_000;
/// Milliseconds to reach a host.
const CONNECT_MS: u64 = 10_000;
/// Milliseconds an idle connection is used again; shorter than what servers commonly allow, so
/// that a call does not run into a connection that is just being closed.
const POOL_IDLE_MS: u64 = 3_000;
/// Milliseconds of `Retry-After` at most; a longer one is cut to this.
const LONGEST_WAIT_MS: u64 = 24 * 3_600_000;

/// What goes with every request to a source.
#[derive(Clone, Default)]
pub(crate) struct Credentials {
    pub headers: Vec<(String, String)>,
    pub query: Vec<(String, String)>,
}

/// Sends requests to one source.
pub(crate) struct Client {
    http: reqwest::Client,
    credentials: HeaderMap,
    query: Vec<(String, String)>,
    clock: Arc<dyn Clock>,
}

/// One request.
pub(crate) struct Send<'a> {
    pub method: Method,
    pub url: Url,
    pub headers: &'a [(String, String)],
    pub body: Option<String>,
}

/// The HTTP client all sources share.
pub(crate) fn shared(options: &Options) -> Result<reqwest::Client, UpstreamError> {
    // Another part of the program may have installed a provider already; either is fine.
    rustls::crypto::ring::default_provider().install_default().ok();
    let mut http = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .connect_timeout(Duration::from_millis(CONNECT_MS))
        .pool_idle_timeout(Duration::from_millis(POOL_IDLE_MS))
        .user_agent(format!("capabilities/{}", options.version));
    let bad = |why: reqwest::Error| {
        unavailable(Sent::No, format!("the HTTP client could not be made: {why}"))
    };
    if let Some(proxy) = &options.proxy {
        let direct = reqwest::NoProxy::from_string("localhost,127.0.0.0/8,::1");
        http = http.proxy(reqwest::Proxy::all(proxy).map_err(bad)?.no_proxy(direct));
    }
    http.build().map_err(bad)
}

impl Client {
    pub fn new(
        http: reqwest::Client,
        credentials: &Credentials,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, UpstreamError> {
        let mut headers = HeaderMap::new();
        for (name, value) in &credentials.headers {
            let refuse = |what: &str| {
                let message = format!("the credential for header {name:?} {what}");
                error(Kind::Unauthorized, Sent::No, message)
            };
            let header = HeaderName::try_from(name.as_str())
                .map_err(|_| refuse("has a name that is no header name"))?;
            let mut value = HeaderValue::try_from(value.as_str())
                .map_err(|_| refuse("holds characters that no header may hold"))?;
            value.set_sensitive(true);
            headers.insert(header, value);
        }
        Ok(Self { http, credentials: headers, query: credentials.query.clone(), clock })
    }

    /// Sends, following redirects that stay on the origin and keep method and body.
    pub async fn send(&self, send: Send<'_>) -> Result<Response, Fault> {
        let Send { method, mut url, headers, body } = send;
        for _ in 0..=REDIRECTS {
            let mut target = url.clone();
            if !self.query.is_empty() {
                target.query_pairs_mut().extend_pairs(&self.query);
            }
            let mut request = self.http.request(method.clone(), target);
            for (name, value) in headers {
                request = request.header(name.as_str(), header_text(value));
            }
            request = request.headers(self.credentials.clone());
            if let Some(body) = &body {
                request = request.header("Content-Type", "application/json").body(body.clone());
            }
            let response = request.send().await.map_err(|e| broken(&e, &url))?;
            let status = response.status();
            if !status.is_redirection() || status == StatusCode::NOT_MODIFIED {
                return Ok(response);
            }
            url = next_hop(&url, &method, &response)?;
        }
        Err(bad_response(Sent::Refused, "the server redirects round and round").into())
    }

    /// What an answer that is no success means. `id`: of the request it answers.
    pub async fn refused(&self, response: Response, id: Option<i64>) -> Fault {
        let status = response.status().as_u16();
        let now = self.clock.now().0 / 1_000;
        let wait_ms = response
            .headers()
            .get("retry-after")
            .and_then(|value| value.to_str().ok())
            .and_then(|value| retry_after(value, now));
        let body = tokio::select! {
            body = read_up_to(response, REFUSAL_BYTES) => body,
            // The status says enough.
            () = self.clock.sleep(REFUSAL_MS) => Vec::new(),
        };
        let body = String::from_utf8_lossy(&body).into_owned();
        if !matches!(status, 401 | 403 | 429 | 503)
            && let Some(error) = rpc_error(&body, id)
        {
            return Fault::Rpc(error);
        }
        Fault::Http(Refusal { status, text: plain(&body), wait_ms })
    }
}

/// The JSON-RPC error in a body, if it answers `id` or cannot say what it answers.
fn rpc_error(body: &str, id: Option<i64>) -> Option<crate::wire::RpcError> {
    read(body).into_iter().find_map(|message| match message {
        Incoming::Response { id: of, outcome: Err(error) } if of.is_none() || of == id => {
            Some(error)
        }
        _ => None,
    })
}

/// The words of a body: JSON and text as they are, of HTML what stands between the tags.
fn plain(body: &str) -> String {
    let body = body.trim();
    if !body.starts_with('<') {
        return cut(body, REFUSAL_CHARS);
    }
    let mut words = String::new();
    let mut inside = false;
    for c in body.chars().take(REFUSAL_BYTES) {
        match c {
            '<' => inside = true,
            '>' => {
                inside = false;
                words.push(' ');
            }
            c if !inside => words.push(c),
            _ => {}
        }
    }
    cut(&words.split_whitespace().collect::<Vec<_>>().join(" "), REFUSAL_CHARS)
}

/// Where a redirect leads, if it may be followed.
fn next_hop(from: &Url, method: &Method, response: &Response) -> Result<Url, Fault> {
    let status = response.status().as_u16();
    let location = response.headers().get("location").and_then(|value| value.to_str().ok());
    let to = location.and_then(|location| from.join(location).ok());
    let refuse = |text: String| Fault::Http(Refusal { status, text, wait_ms: None });
    let Some(to) = to else { return Err(refuse("to nowhere".to_owned())) };
    if to.origin() != from.origin() {
        let to = to.origin().ascii_serialization();
        return Err(refuse(format!("to {to}; if that is right, configure that URL")));
    }
    // The others turn a POST into a GET.
    if !matches!(status, 307 | 308) && *method != Method::GET {
        return Err(refuse(format!("to {}; configure that URL", to.path())));
    }
    Ok(to)
}

/// A request that brought no answer.
fn broken(error: &reqwest::Error, url: &Url) -> Fault {
    let host = url.origin().ascii_serialization();
    // Its own text may hold the URL with credentials in it; the causes below it do not.
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    let why = match cause.source().is_none() && std::ptr::eq(cause, error as &dyn std::error::Error)
    {
        true => "no answer".to_owned(),
        false => cause.to_string(),
    };
    match error.is_connect() || error.is_builder() {
        true => unavailable(Sent::No, format!("cannot connect to {host}: {why}")).into(),
        false => unavailable(Sent::Maybe, format!("the connection to {host} broke: {why}")).into(),
    }
}

/// Milliseconds of a `Retry-After`: seconds, or a date (`now` in seconds since 1970).
fn retry_after(value: &str, now: i64) -> Option<u64> {
    let value = value.trim();
    let seconds = match value.parse::<u64>() {
        Ok(seconds) => seconds,
        Err(_) => u64::try_from(http_date(value)? - now).unwrap_or(0),
    };
    Some(seconds.saturating_mul(1_000).min(LONGEST_WAIT_MS))
}

/// Seconds since 1970 of an IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut parts = text.split_whitespace().skip(1);
    let day: i64 = parts.next()?.parse().ok()?;
    let name = parts.next()?;
    let month = MONTHS.iter().position(|month| *month == name)? as i64 + 1;
    let year: i64 = parts.next()?.parse().ok()?;
    let mut clock = parts.next()?.split(':').map(str::parse::<i64>);
    let (h, m, s) = (clock.next()?.ok()?, clock.next()?.ok()?, clock.next()?.ok()?);
    let sane = (1..=31).contains(&day)
        && (1970..=9999).contains(&year)
        && (0..24).contains(&h)
        && (0..60).contains(&m)
        && (0..=60).contains(&s);
    // Days since 1970, with years that begin in March.
    let (y, mp) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let days = y * 365 + y / 4 - y / 100 + y / 400 + (mp * 153 + 2) / 5 + day - 1 - 719_468;
    sane.then_some(((days * 24 + h) * 60 + m) * 60 + s)
}

/// Up to `limit` bytes of a body.
async fn read_up_to(response: Response, limit: usize) -> Vec<u8> {
    let mut body = Vec::new();
    let mut stream = response.bytes_stream();
    while let Some(Ok(chunk)) = stream.next().await {
        let room = limit - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if chunk.len() > room {
            break;
        }
    }
    body
}

/// A whole body of at most `limit` bytes.
pub(crate) async fn read_all(response: Response, limit: usize) -> Result<Vec<u8>, Fault> {
    let mut body = Vec::new();
    let mut stream = response.bytes_stream();
    while let Some(chunk) = stream.next().await {
        let broke = |_| unavailable(Sent::Maybe, "the connection broke inside the answer");
        let chunk = chunk.map_err(broke)?;
        if body.len() + chunk.len() > limit {
            return Err(too_large(body.len() + chunk.len(), limit).into());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;
