//! Adds one and starts nothing: its tools are read at the next refresh.

use crate::api::{Answer, Api, Call};
use hub_engine::{NewSource, SourceView};
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Keep {
    /// What to add.
    pub source: NewSource,
}

impl Call for Keep {
    const PATH: &'static str = "/api/sources/keep";
    type Answer = SourceView;
}

pub(crate) async fn keep(api: Api, request: Keep) -> Answer<Keep> {
    super::add::gate(&api, &request.source).await?;
    Ok(api.engine.keep_source(request.source).await?)
}
