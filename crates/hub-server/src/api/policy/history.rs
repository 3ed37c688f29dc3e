//! Who changed which rule when, newest first.

use crate::api::{Answer, Api, Call};
use hub_core::policy::RuleChange;
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct History {}

impl Call for History {
    const PATH: &'static str = "/api/policy/history";
    type Answer = Vec<RuleChange>;
}

pub(crate) async fn history(api: Api, _request: History) -> Answer<History> {
    Ok(api.engine.rule_history().await?)
}
