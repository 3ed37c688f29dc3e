//! The SDK's HTTP service, set up for both eras on one path.

use crate::mcp::audience::Audience;
use crate::mcp::handler::AgentServer;
use crate::mcp::surface::Surface;
use hub_core::limits::{REQUEST_BYTES, SESSION_IDLE_MS};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The service behind `/mcp`.
pub type McpService = StreamableHttpService<AgentServer, LocalSessionManager>;

/// Builds it. Host, origin, key and size were judged before a request comes here.
pub fn service(
    surface: Surface,
    sessions: Arc<LocalSessionManager>,
    stop: CancellationToken,
) -> McpService {
    let mut config = StreamableHttpServerConfig::default().disable_allowed_hosts();
    config.json_response = true;
    config.cancellation_token = stop.clone();
    config.max_request_body_bytes = REQUEST_BYTES;
    let audience = Audience::of(&surface, stop);
    let factory = move || Ok(AgentServer::over_http(surface.clone(), audience.clone()));
    StreamableHttpService::new(factory, sessions, config)
}

/// Where sessions of older clients live.
pub fn sessions() -> Arc<LocalSessionManager> {
    let mut config = SessionConfig::default();
    config.keep_alive = Some(Duration::from_millis(SESSION_IDLE_MS));
    let mut manager = LocalSessionManager::default();
    manager.session_config = config;
    Arc::new(manager)
}
