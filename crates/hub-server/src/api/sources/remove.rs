//! Removes one with its connections.

use crate::api::{Answer, Api, Call, Done};
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remove {
    /// Its name.
    pub name: String,
}

impl Call for Remove {
    const PATH: &'static str = "/api/sources/remove";
    type Answer = Done;
}

pub(crate) async fn remove(api: Api, request: Remove) -> Answer<Remove> {
    api.engine.remove_source(&request.name).await?;
    Ok(Done {})
}
