//! All of them, by name.

use crate::api::{Answer, Api, Call};
use hub_engine::SourceView;
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct List {}

impl Call for List {
    const PATH: &'static str = "/api/sources/list";
    type Answer = Vec<SourceView>;
}

pub(crate) async fn list(api: Api, _request: List) -> Answer<List> {
    Ok(api.engine.sources().await?)
}
