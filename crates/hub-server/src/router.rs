//! Every route.
//!
//! Two routers, for two kinds of listener: the loopbacks show agents' MCP, the person's pages
//! and the two probes; the unix socket shows the API. Neither shows the other's.

use crate::api::{self, Api};
use crate::door::Door;
use crate::error::{ApiError, ErrorKind};
use crate::mcp::surface::Surface;
use crate::middleware::agents::{Agents, agents};
use crate::middleware::{Guard, guard, log};
use crate::peers::Clients;
use crate::web::{self, Web};
use axum::extract::{DefaultBodyLimit, State};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{Json, Router};
use hub_core::limits::REQUEST_BYTES;
use serde_json::json;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What the loopbacks show.
pub fn loopback(door: Arc<dyn Door>, agent: Agents, names: Guard, pages: Option<Web>) -> Router {
    Router::new()
        .route("/readyz", get(ready))
        .with_state(door)
        .route("/mcp", any(agents).with_state(agent))
        .route("/healthz", get(health))
        .merge(pages.map(web::router).unwrap_or_default())
        .method_not_allowed_fallback(wrong_method)
        .fallback(no_route)
        .layer(from_fn_with_state(names, guard))
        .layer(from_fn(log))
}

/// One surface on 127.0.0.1 at `port`, without pages; `stop` ends open streams.
pub fn surface(surface: Surface, port: u16, stop: CancellationToken) -> Router {
    let door = surface.door();
    let agents = Agents::new(surface, Clients::default(), stop);
    loopback(door, agents, Guard::on_port(port), None)
}

/// What the unix socket shows.
pub fn socket(api: Api) -> Router {
    api::router(api)
        .method_not_allowed_fallback(wrong_method)
        .fallback(no_route)
        .layer(DefaultBodyLimit::max(REQUEST_BYTES))
        .layer(from_fn(log))
}

async fn health() -> Response {
    Json(json!({ "status": "ok" })).into_response()
}

async fn ready(State(door): State<Arc<dyn Door>>) -> Response {
    match door.ready().await {
        Ok(()) => Json(json!({ "status": "ready" })).into_response(),
        Err(error) => {
            // Whoever asks has no key, so it learns that and nothing more.
            tracing::warn!(%error, "not ready");
            ApiError::new(ErrorKind::Busy, "not ready").into_response()
        }
    }
}

async fn no_route() -> ApiError {
    ApiError::new(ErrorKind::NotFound, "nothing is served here")
}

async fn wrong_method() -> ApiError {
    ApiError::new(ErrorKind::WrongMethod, "this path takes another method")
}
