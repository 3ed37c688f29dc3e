//! Replaces the settings of one.

use crate::api::{Answer, Api, Call};
use hub_engine::{NewSource, Refreshed};
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Update {
    /// Its settings from now on.
    pub source: NewSource,
}

impl Call for Update {
    const PATH: &'static str = "/api/sources/update";
    type Answer = Refreshed;
}

pub(crate) async fn update(api: Api, request: Update) -> Answer<Update> {
    api.gate("changing a source").await?;
    Ok(api.engine.update_source(request.source).await?)
}
