//! Adds one and reads its tools.

use crate::api::{Answer, Api, Call};
use hub_engine::{NewSource, Refreshed};
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Add {
    /// What to add.
    pub source: NewSource,
}

impl Call for Add {
    const PATH: &'static str = "/api/sources/add";
    type Answer = Refreshed;
}

pub(crate) async fn add(api: Api, request: Add) -> Answer<Add> {
    Ok(api.engine.add_source(request.source).await?)
}
