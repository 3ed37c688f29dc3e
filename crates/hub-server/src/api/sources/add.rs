//! Adds one and reads its tools.

use crate::api::{Answer, Api, Call};
use crate::error::ApiError;
use hub_core::catalog::Transport;
use hub_core::names;
use hub_core::policy::{Rule, Verdict};
use hub_engine::{NewSource, Refreshed, SourceView};
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
    gate(&api, &request.source).await?;
    Ok(api.engine.add_source(request.source).await?)
}

/// A new source passes the gate where it widens rights, by itself or by rules that are there.
pub(crate) async fn gate(api: &Api, source: &NewSource) -> Result<(), ApiError> {
    let inherits = || async {
        let sources = api.engine.sources().await?;
        let rules = api.engine.rules().await?;
        Ok::<bool, ApiError>(inherited(&source.name, &sources, &rules).next().is_some())
    };
    if widens(source) || inherits().await? {
        api.gate("adding a source").await?;
    }
    Ok(())
}

/// The rules that let calls of a source go that is added under this name: written for all
/// sources, or for one of that name which was removed.
pub fn inherited<'r>(
    name: &str,
    sources: &[SourceView],
    rules: &'r [Rule],
) -> impl Iterator<Item = &'r Rule> + use<'r> {
    let taken = |given: &str| sources.iter().any(|view| view.source.namespace == given);
    let namespace = names::namespace(name, &taken);
    rules.iter().filter(move |rule| {
        // What "always" wrote is bound to a source that is gone.
        let allows = rule.decision == Verdict::Allow && rule.bound_to.is_none();
        let first = rule.pattern.split('.').next().unwrap_or_default();
        allows && (matches!(first, "*" | "**") || first == namespace)
    })
}

/// Whether a new source gives anyone a right: a command runs as the user, and a source that is
/// believed decides by its own words which of its tools go without asking.
pub fn widens(source: &NewSource) -> bool {
    let runs = matches!(source.transport, Transport::Stdio { .. });
    runs || source.trusted || !source.effects.is_empty()
}
