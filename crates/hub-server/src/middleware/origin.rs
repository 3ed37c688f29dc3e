//! Which web pages may talk to the hub: those served from this machine's loopback. They need
//! the bearer key as anybody does; no cookie opens `/mcp`.

use crate::error::{ApiError, ErrorKind};
use http::{HeaderMap, HeaderValue, Uri, header};

const METHODS: &str = "POST, GET, DELETE";
const HEADERS: &str = "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, \
    Mcp-Name, Mcp-Session-Id, Last-Event-ID";
/// How the name of a header begins that carries a parameter of a tool.
const PARAMETER: &str = "mcp-param-";
const EXPOSED: &str = "Mcp-Session-Id, WWW-Authenticate";
/// Seconds a browser may keep a preflight's answer.
const KEPT_S: &str = "600";

/// The request's origin, if it has one; refused where it is not of this machine, or, on a path
/// that is not `shared`, not the hub itself with its port.
pub fn read(headers: &HeaderMap, shared: bool) -> Result<Option<HeaderValue>, ApiError> {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let is_own = |origin: &HeaderValue| {
        let host = headers.get(header::HOST).map(HeaderValue::as_bytes);
        host.is_some() && origin.as_bytes().strip_prefix(b"http://") == host
    };
    match (origins.next(), origins.next()) {
        (None, _) => Ok(None),
        (Some(origin), None) if is_own(origin) || (shared && is_loopback(origin)) => {
            Ok(Some(origin.clone()))
        }
        _ => Err(ApiError::new(ErrorKind::Forbidden, "pages of this origin may not use the hub")
            .hint("Only pages served from this machine's loopback may.")),
    }
}

fn is_loopback(origin: &HeaderValue) -> bool {
    let Some(uri) = origin.to_str().ok().and_then(|text| text.parse::<Uri>().ok()) else {
        return false;
    };
    let has_scheme = matches!(uri.scheme_str(), Some("http" | "https"));
    let is_bare = uri.path() == "/" && uri.query().is_none();
    let no_user = uri.authority().is_some_and(|authority| !authority.as_str().contains('@'));
    let is_local = matches!(uri.host(), Some("localhost" | "127.0.0.1" | "[::1]"));
    has_scheme && is_bare && no_user && is_local
}

/// What a preflight is told. Parameters that travel in headers are named by the tools, so those
/// that the page asks for are allowed by name.
pub fn allow_request(asked: &HeaderMap, headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(METHODS));
    let asked = asked.get_all(header::ACCESS_CONTROL_REQUEST_HEADERS);
    let mut allowed = HEADERS.to_owned();
    for name in asked.iter().filter_map(|value| value.to_str().ok()).flat_map(|v| v.split(',')) {
        let name = name.trim().to_ascii_lowercase();
        if name.starts_with(PARAMETER) {
            allowed.push_str(", ");
            allowed.push_str(&name);
        }
    }
    // What came as header values can go as one.
    if let Ok(allowed) = HeaderValue::from_str(&allowed) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    }
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(KEPT_S));
}

/// Lets the page read the answer.
pub fn allow_reading(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
}
