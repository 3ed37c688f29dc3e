//! The two forms of a run's page: deciding, and ending the run.

use crate::web::{Refusal, Web, back, narrow};
use axum::extract::{Form, Path, State};
use axum::response::Response;
use http::HeaderMap;
use hub_core::id::PendingId;
use hub_core::limits::PENDINGS_OFFERED;
use hub_core::pending::{Channel, Choice};
use hub_core::policy::ArgumentCondition;
use hub_engine::{Decide, DecidedView, EngineError, PendingView};
use std::collections::HashMap;

/// For the record.
pub const BY: &str = "the hub's page";

type Fields = HashMap<String, String>;

/// Decides about one call, or about several that stood together on the page.
pub async fn decide(
    State(web): State<Web>,
    Path((session, run)): Path<(String, String)>,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> Result<Response, Refusal> {
    let text = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    let session = web.pages.acts(&session, &headers, text("csrf"))?;
    // A row's own button names its call; the others mean all that stood in the table.
    let (choice, ids) = match text("one").split_once(':') {
        Some((choice, id)) => (choice, vec![id]),
        None => (text("choice"), text("pendings").split_whitespace().collect()),
    };
    let choice = read(choice)?;
    let waiting = web.engine.waiting(Some(&run)).await?;
    let find = |id: &&str| waiting.iter().find(|view| view.pending.id.as_str() == *id);
    let views: Vec<&PendingView> = ids.iter().take(PENDINGS_OFFERED).filter_map(find).collect();
    if choice.allows() && views.iter().any(|view| view.pending.confirm) && text("sure") != "on" {
        let say = "this call wants the tick that you have read it; nothing was decided";
        return Err(EngineError::Invalid(say.into()).into());
    }
    let narrow = match choice {
        Choice::AllowAlways => narrowed(&web, &views, &fields).await?,
        _ => Vec::new(),
    };
    let mut said = "first";
    for (at, view) in views.iter().enumerate() {
        // One rule, or one allowance for the run, is enough for all that stand together.
        let choice = match (&choice, at) {
            (Choice::AllowAlways | Choice::AllowRun, 1..) => Choice::AllowOnce,
            (choice, _) => choice.clone(),
        };
        let always = choice == Choice::AllowAlways;
        let denied = choice == Choice::Deny;
        let decide = Decide {
            pending: PendingId::new(view.pending.id.as_str()),
            choice,
            channel: Channel::Page,
            by: BY.to_owned(),
            narrow: if always { narrow.clone() } else { Vec::new() },
        };
        said = match web.engine.decide(decide).await? {
            DecidedView::Now if always || said == "always" => "always",
            DecidedView::Now if denied => "denied",
            DecidedView::Now => "decided",
            DecidedView::Already(_) => "first",
            DecidedView::Expired => "late",
        };
    }
    let rule = match (said, views.first()) {
        ("always", Some(view)) => written(&web, view).await?,
        _ => String::new(),
    };
    Ok(back(&session, &format!("runs/{run}?said={said}{rule}")))
}

fn read(choice: &str) -> Result<Choice, EngineError> {
    match choice {
        "once" => Ok(Choice::AllowOnce),
        "run" => Ok(Choice::AllowRun),
        "always" => Ok(Choice::AllowAlways),
        "deny" => Ok(Choice::Deny),
        _ => Err(EngineError::Invalid("this choice is not offered here".into())),
    }
}

async fn narrowed(
    web: &Web,
    views: &[&PendingView],
    fields: &Fields,
) -> Result<Vec<ArgumentCondition>, EngineError> {
    let mut full = Vec::new();
    for view in views {
        full.push(web.engine.pending_arguments(view.pending.id.as_str()).await?);
    }
    let full: Vec<&str> = full.iter().map(String::as_str).collect();
    narrow::chosen(&full, fields)
}

/// The rule that this "always" wrote: the newest that is bound to the call.
async fn written(web: &Web, view: &PendingView) -> Result<String, EngineError> {
    let rules = web.engine.rules().await?;
    let of_call = rules.iter().filter(|rule| rule.bound_to == Some(view.pending.scope));
    let newest = of_call.max_by_key(|rule| rule.created_at);
    Ok(newest.map(|rule| format!("&rule={}", rule.id)).unwrap_or_default())
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
