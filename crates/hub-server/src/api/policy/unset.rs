//! Removes a rule.

use crate::api::{Answer, Api, Call, Done};
use hub_core::policy::Verdict;
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unset {
    /// The rule.
    pub id: String,
    /// Who, for the history.
    pub who: String,
}

impl Call for Unset {
    const PATH: &'static str = "/api/policy/unset";
    type Answer = Done;
}

pub(crate) async fn unset(api: Api, request: Unset) -> Answer<Unset> {
    let rules = api.engine.rules().await?;
    if rules.iter().any(|r| r.id.as_str() == request.id && r.decision != Verdict::Allow) {
        api.gate("removing a rule that asks or denies").await?;
    }
    api.engine.remove_rule(&request.id, &request.who).await?;
    Ok(Done {})
}
