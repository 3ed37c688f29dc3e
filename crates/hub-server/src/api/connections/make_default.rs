//! Makes one the default of its source.

use crate::api::{Answer, Api, Call, Done};
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MakeDefault {
    /// The source's name.
    pub source: String,
    /// Its name.
    pub name: String,
}

impl Call for MakeDefault {
    const PATH: &'static str = "/api/connections/make-default";
    type Answer = Done;
}

pub(crate) async fn make_default(api: Api, request: MakeDefault) -> Answer<MakeDefault> {
    // Calls that name no connection go as another account from now on.
    api.gate("choosing the account that calls go as").await?;
    api.engine.set_default_connection(&request.source, &request.name).await?;
    Ok(Done {})
}
