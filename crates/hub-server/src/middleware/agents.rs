//! The whole way of a request to `/mcp`: key, URL, session, header repairs, body, SDK, and back.

use crate::door::Door;
use crate::mcp::caller::Behind;
use crate::mcp::http::{McpService, service, sessions};
use crate::mcp::surface::Surface;
use crate::mcp::url::UrlChoice;
use crate::middleware::body::{Message, method};
use crate::middleware::log::Said;
use crate::middleware::session::{SESSION, Sessions};
use crate::middleware::{accept, batch, body, key, presence};
use crate::peers::{Caller, Clients};
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{HeaderMap, Method, StatusCode};
use hub_core::owner::ClientKey;
use rmcp::model::ProtocolVersion;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Everything behind `/mcp`.
#[derive(Clone)]
pub struct Agents {
    door: Arc<dyn Door>,
    service: McpService,
    sessions: Arc<Sessions>,
    clients: Clients,
}

impl Agents {
    /// For one surface; `stop` ends open streams.
    pub fn new(surface: Surface, clients: Clients, stop: CancellationToken) -> Self {
        let live = sessions();
        let door = surface.door();
        let service = service(surface, live.clone(), stop);
        Self { door, service, sessions: Arc::new(Sessions::new(live)), clients }
    }
}

/// Handles one request.
pub async fn agents(State(agents): State<Agents>, request: Request) -> Response {
    let key = match key::read(agents.door.as_ref(), request.headers()).await {
        Ok(key) => key,
        Err(refusal) => return *refusal,
    };
    if let Some(ConnectInfo(caller)) = request.extensions().get::<ConnectInfo<Caller>>() {
        caller.is_client(&agents.clients, &key).await;
    }
    let mut said = Said { client: Some(key.client.clone()), rpc: None };
    let mut response = match agents.serve(request, key, &mut said).await {
        Ok(response) => response,
        Err(refusal) => *refusal,
    };
    response.extensions_mut().insert(said);
    response
}

impl Agents {
    async fn serve(
        &self,
        request: Request,
        key: ClientKey,
        said: &mut Said,
    ) -> Result<Response, Box<Response>> {
        let refuse = |error: crate::error::ApiError| Box::new(error.into_response());
        let (mut parts, body) = request.into_parts();
        let choice = UrlChoice::parse(parts.uri.query()).map_err(refuse)?;
        let version = version(&parts.headers);
        if version.as_deref().is_some_and(is_stateless) {
            // Stateless revisions know no sessions; one that is named all the same is ignored.
            parts.headers.remove(SESSION);
        }
        self.sessions.check(&parts.headers, &key.id).map_err(refuse)?;
        let streams = accept::fix(&parts.method, &mut parts.headers);
        parts.extensions.insert(Behind { key: key.clone(), choice, streams });
        if parts.method != Method::POST {
            return Ok(self.other(Request::from_parts(parts, body)).await);
        }
        let whole = body::read(&parts.headers, body).await?;
        let batches =
            version.as_deref().is_none_or(|v| v == ProtocolVersion::V_2025_03_26.as_str());
        match body::parse(whole, batches)? {
            Message::One(message, probe) => {
                said.rpc = method(&probe);
                let opens = said.rpc == Some("initialize");
                if opens {
                    self.sessions.room().await.map_err(refuse)?;
                }
                let response = self.post(parts, message, streams).await;
                if opens {
                    self.sessions.opened(response.headers(), &key.id).await;
                }
                Ok(response)
            }
            Message::Batch(messages) => {
                said.rpc = Some("batch");
                let reader = self.watch(&mut parts);
                let response = batch::serve(&self.service, &parts, messages).await;
                Ok(finish(response, reader, streams).await)
            }
        }
    }

    /// The stream of a session, or the end of one.
    async fn other(&self, request: Request) -> Response {
        let comes_back = request.headers().contains_key("last-event-id");
        let ends = request.method() == Method::DELETE;
        let readers = match comes_back {
            true => self.sessions.returned(request.headers()),
            false => Vec::new(),
        };
        let mut response = self.service.handle(request).await.map(Body::new);
        if ends && response.status() == StatusCode::ACCEPTED {
            // It is done, not under way; some clients take "accepted" for a failure.
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        presence::hold(readers, response)
    }

    fn watch(&self, parts: &mut Parts) -> presence::Reader {
        let (present, reader) = presence::watch();
        self.sessions.serves(&parts.headers, &present);
        parts.extensions.insert(present);
        reader
    }

    async fn post(&self, mut parts: Parts, message: Bytes, streams: bool) -> Response {
        let reader = self.watch(&mut parts);
        let request = Request::from_parts(parts, Body::from(message));
        let response = self.service.handle(request).await.map(Body::new);
        finish(response, reader, streams).await
    }
}

async fn finish(response: Response, reader: presence::Reader, streams: bool) -> Response {
    if !accept::is_stream(&response) {
        return response;
    }
    if streams {
        return presence::hold(vec![reader], response);
    }
    let response = accept::unwrap(response).await;
    drop(reader);
    response
}

fn version(headers: &HeaderMap) -> Option<String> {
    let value = headers.get("mcp-protocol-version")?;
    Some(value.to_str().ok()?.to_owned())
}

/// Revisions are dates, which compare as text.
fn is_stateless(version: &str) -> bool {
    version >= ProtocolVersion::V_2026_07_28.as_str()
}
