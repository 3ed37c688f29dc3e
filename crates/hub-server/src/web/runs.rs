//! Runs of every client, the newest first.

use crate::web::html::{self, Html};
use crate::web::{Refusal, Web, time};
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use hub_core::digest::Digest;
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
        main.raw("<p class=\"quiet\">No program has run yet.</p>");
    } else {
        main.raw("<div class=\"wide\"><table><caption>The newest first</caption><thead><tr>")
            .raw("<th scope=\"col\">Run</th><th scope=\"col\">Client</th>")
            .raw("<th scope=\"col\">Status</th><th scope=\"col\">Began</th>")
            .raw("<th scope=\"col\">Effects sent</th></tr></thead><tbody>");
        for run in &runs {
            main.raw("<tr><th scope=\"row\"><a href=\"")
                .text(&session.base())
                .raw("runs/")
                .text(run.id.as_str())
                .raw("\">")
                .text(run.id.as_str())
                .raw("</a></th><td>")
                .text(&run.client)
                .raw("</td><td>")
                .text(&words(run.status.as_str()))
                .raw("</td><td>")
                .text(&time::utc(run.created_at))
                .raw("</td><td>")
                .number(run.effects as usize)
                .raw("</td></tr>");
        }
        main.raw("</tbody></table></div>");
    }
    let parts: Vec<&[u8]> = runs
        .iter()
        .flat_map(|run| [run.id.as_str().as_bytes(), run.status.as_str().as_bytes()])
        .collect();
    let version = Digest::of_parts(parts).to_string();
    Ok(html::page(&session, "Runs", Some(&version), main).into_response())
}

/// A status in words.
pub fn words(status: &str) -> String {
    status.replace('_', " ")
}
