//! Adds or replaces one.

use crate::api::{Answer, Api, Call};
use hub_core::connection::Connection;
use hub_engine::NewConnection;
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Put {
    /// What to keep.
    pub connection: NewConnection,
}

impl Call for Put {
    const PATH: &'static str = "/api/connections/put";
    type Answer = Connection;
}

pub(crate) async fn put(api: Api, request: Put) -> Answer<Put> {
    api.gate("giving a source a credential").await?;
    Ok(api.engine.put_connection(request.connection).await?)
}
