//! Everything that waits, oldest first, grouped by run.

use crate::web::html::{Here, Html};
use crate::web::{ADDRESS, NAME, Refusal, Web, time};
use axum::extract::{Path, State};
use axum::response::Response;
use http::HeaderMap;
use hub_core::digest::Digest;
use hub_core::pending::PendingKind;
use hub_engine::PendingView;

/// Calls of one run that are named; the others are counted.
const NAMED: usize = 5;

pub async fn show(
    State(web): State<Web>,
    Path(session): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let session = web.pages.sees(&session, &headers)?;
    let waiting = web.engine.waiting(None).await?;
    let mut main = Html::new();
    main.raw("<h1>Waiting for you</h1>");
    if waiting.is_empty() {
        main.raw("<p class=\"empty\">Nothing waits. When a program needs your yes, it shows up ")
            .raw("here by itself.</p>");
    } else {
        main.raw("<ul class=\"cards\">");
        for run in runs(&waiting) {
            card(&mut main, &session.base(), &run);
        }
        main.raw("</ul>");
    }
    let ids: Vec<&[u8]> = waiting.iter().map(|view| view.pending.id.as_str().as_bytes()).collect();
    let version = Digest::of_parts(ids).to_string();
    web.page(&session, Here::Waiting, "Waiting", &version, false, &main).await
}

/// What waits, by run, in the order of the oldest of each.
fn runs(waiting: &[PendingView]) -> Vec<Vec<&PendingView>> {
    let mut runs: Vec<Vec<&PendingView>> = Vec::new();
    for view in waiting {
        match runs.iter_mut().find(|run| run[0].pending.run == view.pending.run) {
            Some(run) => run.push(view),
            None => runs.push(vec![view]),
        }
    }
    runs
}

fn card(main: &mut Html, base: &str, run: &[&PendingView]) {
    let first = run[0];
    main.raw("<li class=\"card row\"><div><h2>").foreign(&first.client, NAME);
    main.raw(match first.pending.kind {
        PendingKind::Approval => " asks to make ",
        PendingKind::Connection => " needs a credential for ",
        PendingKind::Input => " has a question in ",
    });
    main.count(run.len(), "call", "calls").raw("</h2><ul class=\"calls\">");
    for (call, count) in named(run).into_iter().take(NAMED) {
        main.raw("<li><code>").foreign(&call.pending.address, ADDRESS).raw("</code>");
        if count > 1 {
            main.raw(" × ").number(count);
        }
        if let Some(connection) = &call.pending.connection {
            main.raw(" as ").foreign(connection, NAME);
        }
        main.raw("</li>");
    }
    let more = named(run).len().saturating_sub(NAMED);
    if more > 0 {
        main.raw("<li class=\"quiet\">and ").number(more).raw(" other tools</li>");
    }
    let oldest = run.iter().map(|view| view.age_ms).max().unwrap_or_default();
    main.raw("</ul><p class=\"quiet\">waits ").text(&time::span(oldest));
    main.raw("</p></div><a class=\"button primary\" href=\"")
        .text(base)
        .raw("runs/")
        .text(first.pending.run.as_str())
        .raw("\">Look and decide<span class=\"hidden\"> about ")
        .foreign(&first.pending.address, ADDRESS)
        .raw("</span></a></li>");
}

/// Calls of the same tool and connection together.
fn named<'a>(run: &[&'a PendingView]) -> Vec<(&'a PendingView, usize)> {
    let mut named: Vec<(&PendingView, usize)> = Vec::new();
    for view in run {
        let same = named.iter_mut().find(|(other, _)| {
            other.pending.address == view.pending.address
                && other.pending.connection == view.pending.connection
        });
        match same {
            Some((_, count)) => *count += 1,
            None => named.push((view, 1)),
        }
    }
    named
}
