//! All of them.

use crate::api::{Answer, Api, Call};
use hub_core::owner::ClientKey;
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct List {}

impl Call for List {
    const PATH: &'static str = "/api/keys/list";
    type Answer = Vec<ClientKey>;
}

pub(crate) async fn list(api: Api, _request: List) -> Answer<List> {
    Ok(api.engine.keys().await?)
}
