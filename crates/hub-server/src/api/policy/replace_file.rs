//! Makes the rules that `apply` owns exactly these.

use crate::api::{Answer, Api, Call, Done};
use hub_engine::NewRule;
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplaceFile {
    /// All of them.
    pub rules: Vec<NewRule>,
    /// Who, for the history.
    pub who: String,
}

impl Call for ReplaceFile {
    const PATH: &'static str = "/api/policy/replace-file";
    type Answer = Done;
}

pub(crate) async fn replace_file(api: Api, request: ReplaceFile) -> Answer<ReplaceFile> {
    api.gate("changing the rules of a file").await?;
    api.engine.replace_file_rules(request.rules, &request.who).await?;
    Ok(Done {})
}
