//! Stops the hub: live runs come to rest, what waits is kept.

use crate::api::{Answer, Api, Call, Done};
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stop {}

impl Call for Stop {
    const PATH: &'static str = "/api/hub/stop";
    type Answer = Done;
}

pub(crate) async fn stop(api: Api, _request: Stop) -> Answer<Stop> {
    api.stop.cancel();
    Ok(Done {})
}
