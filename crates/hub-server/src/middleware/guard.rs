//! Host and origin, before every route: a page on another site cannot reach the hub by naming
//! its address, nor by a name that resolves to it.

use crate::error::{ApiError, ErrorKind};
use crate::middleware::origin;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, Method, StatusCode, Uri, header};
use std::sync::Arc;

/// The names the hub answers to.
#[derive(Clone, Debug)]
pub struct Guard {
    hosts: Arc<[String]>,
}

impl Guard {
    /// For a hub on this port of both loopbacks.
    pub fn on_port(port: u16) -> Self {
        let hosts = ["127.0.0.1", "localhost", "[::1]"].map(|host| format!("{host}:{port}"));
        Self { hosts: Arc::new(hosts) }
    }

    fn is_ours(&self, headers: &HeaderMap, uri: &Uri) -> bool {
        let mut named = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (named.next(), named.next()) else {
            return false;
        };
        let is_ours = |name: &str| self.hosts.iter().any(|own| own.eq_ignore_ascii_case(name));
        host.to_str().is_ok_and(is_ours) && uri.authority().is_none_or(|a| is_ours(a.as_str()))
    }
}

/// Refuses foreign hosts and origins, answers preflights, marks answers for the page that asked.
pub async fn guard(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    if !guard.is_ours(request.headers(), request.uri()) {
        return ApiError::new(ErrorKind::Forbidden, "this host name is not one of the hub")
            .hint("Use the address that the hub printed, with its port.")
            .into_response();
    }
    // The endpoint is opened by a key alone, so any page of this machine may bring one. The
    // hub's own pages are opened by a cookie, so only they may speak to themselves.
    let shared = request.uri().path() == "/mcp";
    let origin = match origin::read(request.headers(), shared) {
        Ok(origin) => origin,
        Err(refusal) => return refusal.into_response(),
    };
    let Some(origin) = origin.filter(|_| shared) else {
        return next.run(request).await;
    };
    let preflight = request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = if preflight {
        let mut response = StatusCode::NO_CONTENT.into_response();
        origin::allow_request(request.headers(), response.headers_mut());
        response
    } else {
        next.run(request).await
    };
    origin::allow_reading(response.headers_mut(), origin);
    response
}
