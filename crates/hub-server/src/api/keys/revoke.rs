//! Revokes one.

use crate::api::{Answer, Api, Call, Done};
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Revoke {
    /// Its id, or the name of its client.
    pub key: String,
}

impl Call for Revoke {
    const PATH: &'static str = "/api/keys/revoke";
    type Answer = Done;
}

pub(crate) async fn revoke(api: Api, request: Revoke) -> Answer<Revoke> {
    api.engine.revoke_key(&request.key).await?;
    Ok(Done {})
}
