//! Decides, through the terminal: this socket is that channel and no other.

use crate::api::{Answer, Api, Call};
use hub_core::id::PendingId;
use hub_core::pending::{Channel, Choice};
use hub_core::policy::ArgumentCondition;
use hub_engine::DecidedView;
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decide {
    /// On which pending.
    pub pending: PendingId,
    /// What.
    pub choice: Choice,
    /// Who: terminal and ancestors, for people to read.
    pub by: String,
    /// For "always": narrow the rule to these arguments.
    #[serde(default)]
    pub narrow: Vec<ArgumentCondition>,
}

impl Call for Decide {
    const PATH: &'static str = "/api/waiting/decide";
    type Answer = DecidedView;
}

pub(crate) async fn decide(api: Api, request: Decide) -> Answer<Decide> {
    api.gate("deciding about calls").await?;
    let Decide { pending, choice, by, narrow } = request;
    let channel = Channel::Terminal;
    Ok(api.engine.decide(hub_engine::Decide { pending, choice, channel, by, narrow }).await?)
}
