//! Ends one for good.

use crate::api::{Answer, Api, Call, Done};
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cancel {
    /// The run.
    pub id: String,
    /// Who, for the record.
    pub by: String,
}

impl Call for Cancel {
    const PATH: &'static str = "/api/runs/cancel";
    type Answer = Done;
}

pub(crate) async fn cancel(api: Api, request: Cancel) -> Answer<Cancel> {
    api.engine.cancel_run(&request.id, &request.by).await?;
    Ok(Done {})
}
