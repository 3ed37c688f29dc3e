//! Writes a rule.

use crate::api::{Answer, Api, Call};
use hub_core::policy::Rule;
use hub_engine::NewRule;
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Set {
    /// The rule.
    pub rule: NewRule,
    /// Who, for the history.
    pub who: String,
}

impl Call for Set {
    const PATH: &'static str = "/api/policy/set";
    type Answer = Rule;
}

pub(crate) async fn set(api: Api, request: Set) -> Answer<Set> {
    Ok(api.engine.put_rule(request.rule, &request.who).await?)
}
