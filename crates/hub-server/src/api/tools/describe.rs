//! Describes.

use crate::api::{Answer, Api, Call};
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Describe {
    /// Addresses, namespaces, types.
    pub targets: Vec<String>,
}

impl Call for Describe {
    const PATH: &'static str = "/api/tools/describe";
    type Answer = String;
}

pub(crate) async fn describe(api: Api, request: Describe) -> Answer<Describe> {
    let caller = api.caller("describing").await?;
    Ok(api.engine.describe(&caller, &request.targets).await?)
}
