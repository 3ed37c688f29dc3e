//! One with its timeline.

use crate::api::{Answer, Api, Call};
use hub_engine::RunDetail;
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Show {
    /// The run.
    pub id: String,
}

impl Call for Show {
    const PATH: &'static str = "/api/runs/show";
    type Answer = RunDetail;
}

pub(crate) async fn show(api: Api, request: Show) -> Answer<Show> {
    Ok(api.engine.run(&request.id).await?)
}
