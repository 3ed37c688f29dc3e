//! Searches.

use crate::api::{Answer, Api, Call};
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// What is wanted.
    pub query: String,
    /// Only here.
    #[serde(default)]
    pub namespace: Option<String>,
}

impl Call for Search {
    const PATH: &'static str = "/api/tools/search";
    type Answer = String;
}

pub(crate) async fn search(api: Api, request: Search) -> Answer<Search> {
    let Search { query, namespace } = request;
    let caller = api.caller("searching").await?;
    Ok(api.engine.search(&caller, &query, namespace.as_deref()).await?)
}
