//! Removes one.

use crate::api::{Answer, Api, Call, Done};
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remove {
    /// The source's name.
    pub source: String,
    /// Its name.
    pub name: String,
}

impl Call for Remove {
    const PATH: &'static str = "/api/connections/remove";
    type Answer = Done;
}

pub(crate) async fn remove(api: Api, request: Remove) -> Answer<Remove> {
    api.engine.remove_connection(&request.source, &request.name).await?;
    Ok(Done {})
}
