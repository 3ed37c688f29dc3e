//! Goes on with a run for the person.

use crate::api::tools::execute::Told;
use crate::api::{Answer, Api, Call};
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resume {
    /// The run.
    pub id: String,
}

impl Call for Resume {
    const PATH: &'static str = "/api/runs/resume";
    type Answer = Told;
}

pub(crate) async fn resume(api: Api, request: Resume) -> Answer<Resume> {
    Ok(Told::from(api.engine.resume_run(&request.id).await?))
}
