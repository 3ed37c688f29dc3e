//! Everything that waits, oldest first, grouped by run.

use crate::web::html::{self, Html};
use crate::web::{Refusal, Web, time};
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use hub_core::digest::Digest;
use hub_engine::PendingView;

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
        main.raw("<p class=\"quiet\">Nothing waits. This page shows it when something does.</p>");
    } else {
        table(&mut main, &session.base(), &waiting);
    }
    let ids: Vec<&[u8]> = waiting.iter().map(|view| view.pending.id.as_str().as_bytes()).collect();
    let version = Digest::of_parts(ids).to_string();
    let title = if waiting.is_empty() {
        "Waiting".to_owned()
    } else {
        format!("({}) Waiting", waiting.len())
    };
    Ok(html::page(&session, &title, Some(&version), main).into_response())
}

fn table(main: &mut Html, base: &str, waiting: &[PendingView]) {
    main.raw("<div class=\"wide\"><table><caption>Calls that wait, oldest first</caption><thead>")
        .raw("<tr><th scope=\"col\">Call</th><th scope=\"col\">Client</th>")
        .raw("<th scope=\"col\">Goes to</th><th scope=\"col\">Waits</th>")
        .raw("<th scope=\"col\">Run</th></tr></thead><tbody>");
    for view in waiting {
        let pending = &view.pending;
        main.raw("<tr><th scope=\"row\">")
            .text(&pending.address)
            .raw("</th><td>")
            .text(&view.client)
            .raw("</td><td>")
            .text(&pending.origin)
            .raw("</td><td>")
            .text(&time::span(view.age_ms))
            .raw("</td><td><a href=\"")
            .text(base)
            .raw("runs/")
            .text(pending.run.as_str())
            .raw("\">Look and decide")
            .raw("<span class=\"skip\"> about ")
            .text(&pending.address)
            .raw("</span></a></td></tr>");
    }
    main.raw("</tbody></table></div>");
}
