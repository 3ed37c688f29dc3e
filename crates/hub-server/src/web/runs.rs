//! Runs of every client, the newest first.

use crate::web::html::{Badge, Here, Html};
use crate::web::{NAME, Refusal, Web};
use axum::extract::{Path, State};
use axum::response::Response;
use http::HeaderMap;
use hub_core::digest::Digest;
use hub_core::envelope::Status;
use hub_core::limits::PAGE_RUNS;

pub async fn show(
    State(web): State<Web>,
    Path(session): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let session = web.pages.sees(&session, &headers)?;
    let runs = web.engine.runs(PAGE_RUNS).await?;
    let mut main = Html::new();
    main.raw("<h1>Runs</h1>");
    if runs.is_empty() {
        main.raw("<p class=\"empty\">No program has run yet.</p>");
    } else {
        main.wide("Runs")
            .raw("<table><caption>The newest first</caption><thead><tr>")
            .raw("<th scope=\"col\">Program of</th><th scope=\"col\">State</th>")
            .raw("<th scope=\"col\">Began</th><th scope=\"col\">Changes sent</th>")
            .raw("<th scope=\"col\">Its first line</th></tr></thead><tbody>");
        for run in &runs {
            main.raw("<tr><th scope=\"row\"><a href=\"")
                .text(&session.base())
                .raw("runs/")
                .text(run.id.as_str())
                .raw("\">")
                .foreign(&run.client, NAME)
                .raw("<span class=\"hidden\">, run ")
                .text(run.id.as_str())
                .raw("</span></a></th><td>");
            status(&mut main, run.status);
            main.raw("</td><td>").moment(run.created_at).raw("</td><td>");
            main.number(run.effects as usize).raw("</td><td class=\"line\"><code>");
            let first = run.code.lines().map(str::trim).find(|line| !line.is_empty());
            main.foreign(first.unwrap_or_default(), 60).raw("</code></td></tr>");
        }
        main.raw("</tbody></table></div>");
    }
    let parts: Vec<&[u8]> = runs
        .iter()
        .flat_map(|run| [run.id.as_str().as_bytes(), run.status.as_str().as_bytes()])
        .collect();
    let version = Digest::of_parts(parts).to_string();
    web.page(&session, Here::Runs, "Runs", &version, false, &main).await
}

/// Where a run stands, in words.
pub fn status(main: &mut Html, status: Status) {
    let badge = match status {
        Status::Completed => Badge::Good,
        Status::Failed => Badge::Bad,
        Status::AwaitingApproval | Status::AwaitingConnection | Status::AwaitingInput => {
            Badge::Waits
        }
        Status::Running | Status::Interrupted | Status::Cancelled => Badge::Plain,
    };
    main.badge(badge, words(status));
}

/// The same without colour.
pub fn words(status: Status) -> &'static str {
    match status {
        Status::Completed => "done",
        Status::Failed => "failed",
        Status::AwaitingApproval => "waits for your yes",
        Status::AwaitingConnection => "waits for a credential",
        Status::AwaitingInput => "waits for an answer",
        Status::Running => "at work",
        Status::Interrupted => "interrupted",
        Status::Cancelled => "ended",
    }
}
