//! The newest first.

use crate::api::{Answer, Api, Call};
use hub_core::run::RunRecord;
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct List {
    /// At most so many.
    pub limit: usize,
}

impl Call for List {
    const PATH: &'static str = "/api/runs/list";
    type Answer = Vec<RunRecord>;
}

pub(crate) async fn list(api: Api, request: List) -> Answer<List> {
    Ok(api.engine.runs(request.limit).await?)
}
