//! Reads the tools of one again.

use crate::api::{Answer, Api, Call};
use hub_engine::Refreshed;
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refresh {
    /// Its name.
    pub name: String,
}

impl Call for Refresh {
    const PATH: &'static str = "/api/sources/refresh";
    type Answer = Refreshed;
}

pub(crate) async fn refresh(api: Api, request: Refresh) -> Answer<Refresh> {
    Ok(api.engine.refresh(&request.name).await?)
}
