//! Writes a rule.

use crate::api::{Answer, Api, Call};
use hub_core::policy::{Rule, Verdict};
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
    if loosens(&request.rule, &api.engine.rules().await?) {
        api.gate("loosening what asks you").await?;
    }
    Ok(api.engine.put_rule(request.rule, &request.who).await?)
}

/// Whether a rule may take the place of a stricter one: the more specific rule decides, also
/// where it is the milder.
pub fn loosens(rule: &NewRule, rules: &[Rule]) -> bool {
    rule.decision == Verdict::Allow || rules.iter().any(|there| there.decision > rule.decision)
}
