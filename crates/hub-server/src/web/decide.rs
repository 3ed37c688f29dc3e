//! The two forms of a run's page.

use crate::web::{Refusal, Web, back};
use axum::extract::{Form, Path, State};
use axum::response::Response;
use http::HeaderMap;
use hub_core::id::PendingId;
use hub_core::limits::PENDINGS_OFFERED;
use hub_core::pending::{Channel, Choice};
use hub_core::policy::{ArgumentCondition, ArgumentTest};
use hub_engine::{Decide, DecidedView, EngineError};
use serde_json::Value;
use std::collections::HashMap;

/// For the record.
pub const BY: &str = "the hub's page";

type Fields = HashMap<String, String>;

/// Decides about one pending, or about several that are the same.
pub async fn decide(
    State(web): State<Web>,
    Path((session, run)): Path<(String, String)>,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> Result<Response, Refusal> {
    let text = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    let session = web.pages.acts(&session, &headers, text("csrf"))?;
    let choice = match text("choice") {
        "once" => Choice::AllowOnce,
        "run" => Choice::AllowRun,
        "always" => Choice::AllowAlways,
        "deny" => Choice::Deny,
        _ => return Err(EngineError::Invalid("this choice is not offered here".into()).into()),
    };
    let ids: Vec<&str> = text("pendings").split_whitespace().take(PENDINGS_OFFERED).collect();
    let waiting = web.engine.waiting(Some(&run)).await?;
    let mut said = "late";
    for (at, id) in ids.iter().enumerate() {
        let is_of_run = waiting.iter().any(|view| view.pending.id.as_str() == *id);
        if !is_of_run {
            said = "first";
            continue;
        }
        // One rule is enough for all that are the same.
        let choice = match (&choice, at) {
            (Choice::AllowAlways, 1..) => Choice::AllowOnce,
            (choice, _) => choice.clone(),
        };
        let narrow = match &choice {
            Choice::AllowAlways => narrow(&web.engine.pending_arguments(id).await?, &fields),
            _ => Vec::new(),
        };
        let always = choice == Choice::AllowAlways;
        let ticked = fields.keys().filter(|name| name.starts_with("narrow:")).count();
        if always && narrow.len() != ticked {
            let say = "an argument to narrow to was not found; nothing was decided";
            return Err(EngineError::Invalid(say.into()).into());
        }
        let decide = Decide {
            pending: PendingId::new(id),
            choice,
            channel: Channel::Page,
            by: BY.to_owned(),
            narrow,
        };
        said = match web.engine.decide(decide).await? {
            DecidedView::Now if always || said == "always" => "always",
            DecidedView::Now => "decided",
            DecidedView::Already(_) => "first",
            DecidedView::Expired => "late",
        };
    }
    Ok(back(&session, &format!("runs/{run}?said={said}")))
}

/// The ticked arguments as conditions, with the values that the call really has.
fn narrow(full: &str, fields: &Fields) -> Vec<ArgumentCondition> {
    let Ok(Value::Object(arguments)) = serde_json::from_str(full) else {
        return Vec::new();
    };
    arguments
        .into_iter()
        .filter(|(name, _)| fields.contains_key(&format!("narrow:{name}")))
        .map(|(name, value)| ArgumentCondition {
            pointer: format!("/{}", name.replace('~', "~0").replace('/', "~1")),
            test: ArgumentTest::Equals(value),
        })
        .collect()
}

/// Ends a run for good.
pub async fn end(
    State(web): State<Web>,
    Path((session, run)): Path<(String, String)>,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> Result<Response, Refusal> {
    let csrf = fields.get("csrf").map(String::as_str).unwrap_or_default();
    let session = web.pages.acts(&session, &headers, csrf)?;
    web.engine.cancel_run(&run, BY).await?;
    Ok(back(&session, &format!("runs/{run}")))
}
