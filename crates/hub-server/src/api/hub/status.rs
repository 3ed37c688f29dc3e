//! The hub at a glance.

use crate::api::{Answer, Api, Call};
use hub_engine::Status;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskStatus {}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HubStatus {
    /// The hub's version.
    pub version: String,
    /// Its process.
    pub pid: u32,
    /// Where it listens for agents.
    pub addresses: Vec<SocketAddr>,
    /// Milliseconds since it began to listen.
    pub up_ms: u64,
    /// What the engine says.
    pub engine: Status,
}

impl Call for AskStatus {
    const PATH: &'static str = "/api/hub/status";
    type Answer = HubStatus;
}

pub(crate) async fn status(api: Api, _request: AskStatus) -> Answer<AskStatus> {
    Ok(HubStatus {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pid: std::process::id(),
        addresses: api.addresses.to_vec(),
        up_ms: api.started.elapsed().as_millis() as u64,
        engine: api.engine.status().await?,
    })
}
