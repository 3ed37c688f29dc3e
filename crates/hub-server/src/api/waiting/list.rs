//! Everything, or what waits in one run.

use crate::api::{Answer, Api, Call};
use hub_engine::PendingView;
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct List {
    /// Only in this run.
    #[serde(default)]
    pub run: Option<String>,
}

impl Call for List {
    const PATH: &'static str = "/api/waiting/list";
    type Answer = Vec<PendingView>;
}

pub(crate) async fn list(api: Api, request: List) -> Answer<List> {
    Ok(api.engine.waiting(request.run.as_deref()).await?)
}
