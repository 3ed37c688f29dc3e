//! One with its tools.

use crate::api::{Answer, Api, Call};
use hub_engine::SourceDetail;
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Show {
    /// Its name.
    pub name: String,
}

impl Call for Show {
    const PATH: &'static str = "/api/sources/show";
    type Answer = SourceDetail;
}

pub(crate) async fn show(api: Api, request: Show) -> Answer<Show> {
    Ok(api.engine.source(&request.name).await?)
}
