//! Replays one without sending anything.

use crate::api::{Answer, Api, Call};
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// The run.
    pub id: String,
}

impl Call for Replay {
    const PATH: &'static str = "/api/runs/replay";
    type Answer = String;
}

pub(crate) async fn replay(api: Api, request: Replay) -> Answer<Replay> {
    Ok(api.engine.replay_run(&request.id).await?)
}
