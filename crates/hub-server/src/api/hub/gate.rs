//! Whether the process that asks may widen rights, as far as the hub can tell: the command line
//! asks before it shows anything, every handler that widens asks again.

use crate::api::{Answer, Api, Call, Done};
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    /// What would be done, for the refusal.
    pub what: String,
}

impl Call for Gate {
    const PATH: &'static str = "/api/hub/gate";
    type Answer = Done;
}

pub(crate) async fn gate(api: Api, request: Gate) -> Answer<Gate> {
    api.gate(&request.what).await?;
    Ok(Done {})
}
