//! The rules in order of precedence.

use crate::api::{Answer, Api, Call};
use hub_engine::RuleView;
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct List {}

impl Call for List {
    const PATH: &'static str = "/api/policy/list";
    type Answer = Vec<RuleView>;
}

pub(crate) async fn list(api: Api, _request: List) -> Answer<List> {
    Ok(api.engine.rule_views().await?)
}
