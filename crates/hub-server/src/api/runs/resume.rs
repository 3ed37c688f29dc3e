//! Goes on with a run: with any for the person, with its own below a client.

use crate::api::tools::execute::{Told, executed};
use crate::api::{Answer, Api, Call};
use hub_core::owner::Owner;
use hub_engine::Execute;
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
    let caller = api.caller("going on with a run").await?;
    if caller.owner.key.as_str() == Owner::TERMINAL_KEY {
        return Ok(Told::from(api.engine.resume_run(&request.id).await?));
    }
    // Below a client: its own runs, as it would.
    executed(&api, &caller, Execute::Resume(request.id)).await
}
