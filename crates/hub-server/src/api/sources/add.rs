//! Adds one and reads its tools.

use crate::api::{Answer, Api, Call};
use hub_core::catalog::Transport;
use hub_engine::{NewSource, Refreshed};
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Add {
    /// What to add.
    pub source: NewSource,
}

impl Call for Add {
    const PATH: &'static str = "/api/sources/add";
    type Answer = Refreshed;
}

pub(crate) async fn add(api: Api, request: Add) -> Answer<Add> {
    if widens(&request.source) {
        api.gate("adding a source").await?;
    }
    Ok(api.engine.add_source(request.source).await?)
}

/// Whether a new source gives anyone a right: a command runs as the user, and a source that is
/// believed decides by its own words which of its tools go without asking.
pub fn widens(source: &NewSource) -> bool {
    let runs = matches!(source.transport, Transport::Stdio { .. });
    runs || source.trusted || !source.effects.is_empty()
}
