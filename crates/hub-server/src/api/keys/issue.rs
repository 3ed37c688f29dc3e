//! Makes a key for a client. The token is in the answer and nowhere else.

use crate::api::{Answer, Api, Call};
use hub_core::owner::ElicitationMode;
use hub_core::policy::Verdict;
use hub_engine::IssuedKey;
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Issue {
    /// The client's name.
    pub client: String,
    /// How its person is asked.
    pub mode: ElicitationMode,
    /// Whether identical programs join an earlier run.
    pub dedupe: bool,
}

impl Call for Issue {
    const PATH: &'static str = "/api/keys/issue";
    type Answer = IssuedKey;
}

pub(crate) async fn issue(api: Api, request: Issue) -> Answer<Issue> {
    if request.mode != ElicitationMode::Browser {
        api.gate("letting a client ask you by its own forms").await?;
    }
    // What a rule says of one client does not hold for a key that is made now.
    let rules = api.engine.rules().await?;
    if rules.iter().any(|rule| rule.client.is_some() && rule.decision != Verdict::Allow) {
        api.gate("making another key while rules hold single clients back").await?;
    }
    Ok(api.engine.issue_key(&request.client, request.mode, request.dedupe).await?)
}
