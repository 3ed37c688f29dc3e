//! One run: what waits, what the program is, what happened.

mod code;
mod happened;
mod waits;

use crate::web::access::Session;
use crate::web::connect::Blank;
use crate::web::html::{Here, Html};
use crate::web::runs::{status, words};
use crate::web::{NAME, Refusal, Web, back, rules};
use axum::extract::{Form, Path, Query, State};
use axum::response::Response;
use http::HeaderMap;
use hub_core::envelope::Status;
use hub_core::pending::PendingKind;
use hub_core::redact;
use hub_engine::{EngineError, PendingView, RunDetail};
use serde::Deserialize;
use std::collections::HashMap;
use waits::{Group, Row};

/// What the link asks for.
#[derive(Default, Deserialize)]
pub struct Asked {
    /// Show everything of this pending.
    open: Option<String>,
    /// What a decision did.
    said: Option<String>,
    /// The rule that "always" wrote.
    rule: Option<String>,
}

pub async fn show(
    State(web): State<Web>,
    Path((session, run)): Path<(String, String)>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let session = web.pages.sees(&session, &headers)?;
    let detail = web.engine.run(&run).await?;
    let open: Vec<&PendingView> =
        detail.pendings.iter().filter(|view| view.pending.decision.is_none()).collect();
    let groups = groups(&web, &detail, &open).await?;
    let mut main = Html::new();
    heading(&mut main, &detail, open.len());
    said(&mut main, &web, asked.said.as_deref(), asked.rule.as_deref()).await?;
    if open.is_empty() {
        rests(&mut main, &session, &detail);
    }
    for group in &groups {
        let blank = match group.kind() {
            PendingKind::Connection if web.pages.keeper().is_some() => {
                Some(Blank::of(&web, group.first()).await?)
            }
            _ => None,
        };
        waits::show(&mut main, &session, group, blank, asked.open.as_deref());
    }
    code::show(&mut main, &detail, &groups);
    happened::show(&mut main, &detail);
    if !detail.record.status.is_ended() {
        end(&mut main, &session, &detail);
    }
    let typed = open.iter().any(|view| view.pending.kind != PendingKind::Approval);
    let client = redact::plain(&detail.record.client, NAME);
    let title = format!("{} · {client}", words(detail.record.status));
    web.page(&session, Here::Runs, &title, &version(&detail), typed, &main).await
}

/// What waits, with calls that are alike together.
async fn groups<'a>(
    web: &Web,
    detail: &'a RunDetail,
    open: &[&'a PendingView],
) -> Result<Vec<Group<'a>>, EngineError> {
    let mut places = web.engine.places(detail).await?;
    let mut groups: Vec<Group<'a>> = Vec::new();
    for view in open {
        let full = web.engine.pending_arguments(view.pending.id.as_str()).await?;
        let places = places.remove(&view.pending.id).unwrap_or_default();
        let row = Row { view, full, places };
        match groups.iter_mut().find(|group| group.takes(view)) {
            Some(group) => group.rows.push(row),
            None => groups.push(Group { rows: vec![row] }),
        }
    }
    Ok(groups)
}

fn heading(main: &mut Html, detail: &RunDetail, open: usize) {
    let record = &detail.record;
    main.raw("<div class=\"title\"><h1>");
    match open {
        0 => main.raw("A program of ").foreign(&record.client, NAME),
        1 => main.foreign(&record.client, NAME).raw(" waits for you"),
        open => {
            main.foreign(&record.client, NAME).raw(" waits for you, ").number(open).raw(" times")
        }
    };
    main.raw("</h1>");
    status(main, record.status);
    main.raw("</div><p class=\"quiet\">Began ").moment(record.created_at).raw(" · ");
    main.count(record.effects as usize, "change", "changes").raw(" sent so far · ");
    main.text(record.id.as_str()).raw("</p>");
}

/// What a form before this page did.
async fn said(
    main: &mut Html,
    web: &Web,
    said: Option<&str>,
    rule: Option<&str>,
) -> Result<(), EngineError> {
    let words = match said {
        Some("decided") => "Decided.",
        Some("denied") => "Denied: it is not sent, and the program is told.",
        Some("always") => "Decided, and from now on this rule holds:",
        Some("connected") => "Connected: every call that waited for it may go.",
        Some("first") => {
            "Somebody was first: what was decided before holds. “What happened” says who and how."
        }
        Some("late") => "Too late: it had expired, and nothing was sent.",
        Some("going") => "It goes on. This page shows how it ends.",
        _ => return Ok(()),
    };
    main.raw("<div class=\"said\"><p>").raw(words).raw("</p>");
    let listed = match rule {
        Some(_) => web.engine.listed_rules().await?,
        None => Vec::new(),
    };
    if let Some(written) = listed.iter().find(|one| Some(one.rule.id.as_str()) == rule) {
        main.raw("<p>");
        rules::sentence(main, written);
        main.raw("</p><p class=\"quiet\">You find it under Rules, where you can take it back.</p>");
    }
    main.raw("</div>");
    Ok(())
}

/// Everything is decided: who goes on, and how.
fn rests(main: &mut Html, session: &Session, detail: &RunDetail) {
    let is_parked = matches!(
        detail.record.status,
        Status::AwaitingApproval
            | Status::AwaitingConnection
            | Status::AwaitingInput
            | Status::Interrupted
    );
    if !is_parked {
        return;
    }
    main.raw("<section class=\"card row\"><div><h2>Nothing to decide here</h2><p>The program ")
        .raw("goes on when ")
        .foreign(&detail.record.client, NAME)
        .raw(" asks for it: tell your agent to go on. Or let it go on right now; your agent ")
        .raw("gets the result when it asks.</p></div>")
        .form(session, &format!("runs/{}/resume", detail.record.id))
        .raw("<button>Go on now</button></form></section>");
}

fn end(main: &mut Html, session: &Session, detail: &RunDetail) {
    main.raw("<section><h2>Stop it</h2><p class=\"quiet\">What was sent stays sent; nothing more ")
        .raw("is. This cannot be taken back.</p>")
        .form(session, &format!("runs/{}/end", detail.record.id))
        .raw("<button class=\"no\">End this run for good</button></form></section>");
}

/// Goes on with a run, as a person may. It is not waited for: the page shows how it ends.
pub async fn resume(
    State(web): State<Web>,
    Path((session, run)): Path<(String, String)>,
    headers: HeaderMap,
    Form(fields): Form<HashMap<String, String>>,
) -> Result<Response, Refusal> {
    let csrf = fields.get("csrf").map(String::as_str).unwrap_or_default();
    let session = web.pages.acts(&session, &headers, csrf)?;
    let run = web.engine.resume_unheard(&run).await?;
    Ok(back(&session, &format!("runs/{run}?said=going")))
}

/// What the page shows, without ages.
fn version(detail: &RunDetail) -> String {
    let mut parts = vec![detail.record.status.as_str().to_owned()];
    parts.push(detail.timeline.len().to_string());
    for view in &detail.pendings {
        parts.push(format!("{} {}", view.pending.id, view.pending.decision.is_some()));
    }
    crate::web::version(parts)
}
