//! Those of one source.

use crate::api::{Answer, Api, Call};
use hub_core::connection::Connection;
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct List {
    /// The source's name.
    pub source: String,
}

impl Call for List {
    const PATH: &'static str = "/api/connections/list";
    type Answer = Vec<Connection>;
}

pub(crate) async fn list(api: Api, request: List) -> Answer<List> {
    Ok(api.engine.connections(&request.source).await?)
}
