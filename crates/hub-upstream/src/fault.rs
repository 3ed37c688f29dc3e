//! Why a request to a server brought no result, and what the port says of it.

use crate::wire::RpcError;
use hub_core::ports::{Sent, UpstreamError, UpstreamErrorKind as Kind};

/// A failed exchange, before it is known what the exchange was for.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// The server answered with a JSON-RPC error.
    Rpc(RpcError),
    /// An HTTP status that is no success, without a JSON-RPC error for us.
    Http(Refusal),
    /// The server does not know our session any more: it did not look at the message.
    SessionLost,
    /// Anything else.
    Other(UpstreamError),
}

/// An HTTP answer that is no success.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub status: u16,
    /// The beginning of its body, as text.
    pub text: String,
    /// Milliseconds of `Retry-After`.
    pub wait_ms: Option<u64>,
}

/// Characters of a server's own words in an error of ours.
const WORDS: usize = 500;

/// An error of the port.
pub(crate) fn error(kind: Kind, sent: Sent, message: impl Into<String>) -> UpstreamError {
    UpstreamError { kind, sent, message: message.into(), status: None, data: None }
}

/// The server cannot be reached, or went away.
pub(crate) fn unavailable(sent: Sent, message: impl Into<String>) -> UpstreamError {
    error(Kind::Unavailable, sent, message)
}

/// What the server said makes no sense.
pub(crate) fn bad_response(sent: Sent, message: impl Into<String>) -> UpstreamError {
    error(Kind::BadResponse, sent, message)
}

/// The answer is over the limit.
pub(crate) fn too_large(bytes: usize, limit: usize) -> UpstreamError {
    let message = format!(
        "the answer is too large: {bytes} bytes, the limit is {limit}; ask for less \
         (a filter, a page, fewer fields)"
    );
    error(Kind::TooLarge, Sent::Refused, message)
}

impl From<UpstreamError> for Fault {
    fn from(error: UpstreamError) -> Self {
        Self::Other(error)
    }
}

impl Fault {
    /// What the port says. `tool` is the tool that was called, if one was.
    pub fn into_error(self, tool: Option<&str>) -> UpstreamError {
        match self {
            Self::Rpc(error) => rpc(error, tool),
            Self::Http(refusal) => http(&refusal),
            Self::SessionLost => unavailable(Sent::Refused, "the server ended our session"),
            Self::Other(error) => error,
        }
    }
}

fn rpc(rpc: RpcError, tool: Option<&str>) -> UpstreamError {
    let gone = tool.is_some_and(|tool| names_missing_tool(&rpc, tool));
    let kind = if gone { Kind::ToolGone } else { Kind::Failed };
    let mut error = error(kind, Sent::Refused, cut(&rpc.message, WORDS));
    error.status = Some(rpc.code);
    error.data = rpc.data.map(|data| data.to_string());
    error
}

/// Only where the server says in so many words that it has no such tool: everything else may be
/// about an argument.
fn names_missing_tool(error: &RpcError, tool: &str) -> bool {
    if error.code != -32601 && error.code != -32602 {
        return false;
    }
    let plain = |text: &str| {
        let text = text.replace(['"', '\'', '`', ':', '“', '”'], " ").to_lowercase();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (said, tool) = (plain(&error.message), plain(tool));
    [
        format!("unknown tool {tool}"),
        format!("tool {tool} not found"),
        format!("tool not found {tool}"),
        format!("no such tool {tool}"),
        format!("tool {tool} does not exist"),
    ]
    .iter()
    .any(|phrase| said.ends_with(phrase) || said.contains(&format!("{phrase} ")))
}

fn http(refusal: &Refusal) -> UpstreamError {
    let Refusal { status, text, wait_ms } = refusal;
    let (kind, sent, words) = match status {
        401 => (Kind::Unauthorized, Sent::Refused, "needs a credential, or refuses this one"),
        403 => (Kind::Forbidden, Sent::Refused, "forbids this with the credential in use"),
        429 => (Kind::RateLimited(*wait_ms), Sent::Refused, "asks for fewer requests"),
        503 if wait_ms.is_some() => {
            (Kind::RateLimited(*wait_ms), Sent::Refused, "is busy and asks to come back later")
        }
        300..400 => (Kind::BadResponse, Sent::Refused, "redirects elsewhere"),
        400..500 => (Kind::Failed, Sent::Refused, "refused the request"),
        _ => (Kind::Unavailable, Sent::Maybe, "failed"),
    };
    let mut message = format!("the server {words} (HTTP {status})");
    if let Some(ms) = wait_ms {
        message.push_str(&format!("; it says to wait {} s", ms.div_ceil(1_000)));
    }
    let text = cut(text.trim(), WORDS);
    if !text.is_empty() {
        message.push_str(": ");
        message.push_str(&text);
    }
    let mut error = error(kind, sent, message);
    error.status = Some(i64::from(*status));
    error
}

/// The first `limit` characters, with a mark where something is missing.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
#[path = "fault_tests.rs"]
mod tests;
