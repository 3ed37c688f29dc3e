//! One run: what the program is, what waits, what happened.

use crate::web::access::Session;
use crate::web::connect::Blank;
use crate::web::html::{self, Html};
use crate::web::runs::words;
use crate::web::{Refusal, Web, answer, time};
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use hub_core::digest::Digest;
use hub_core::pending::PendingKind;
use hub_engine::{PendingView, RunDetail};
use serde::Deserialize;
use serde_json::Value;

/// What the link asks for.
#[derive(Default, Deserialize)]
pub struct Asked {
    /// Show everything of this pending.
    open: Option<String>,
    /// What a decision did.
    said: Option<String>,
}

pub async fn show(
    State(web): State<Web>,
    Path((session, run)): Path<(String, String)>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let session = web.pages.sees(&session, &headers)?;
    let detail = web.engine.run(&run).await?;
    let groups = groups(&detail);
    let mut main = Html::new();
    heading(&mut main, &detail, asked.said.as_deref());
    for group in &groups {
        let full = web.engine.pending_arguments(group[0].pending.id.as_str()).await?;
        let opened =
            group.iter().any(|view| asked.open.as_deref() == Some(view.pending.id.as_str()));
        let blank = match group[0].pending.kind {
            PendingKind::Connection if web.pages.keeper().is_some() => {
                Some(Blank::of(&web, &group[0].pending).await?)
            }
            _ => None,
        };
        waits(&mut main, group, &full, opened);
        act(&mut main, &session, group, &full, blank);
        main.raw("</article>");
    }
    code(&mut main, &detail, &groups);
    timeline(&mut main, &detail);
    if !detail.record.status.is_ended() {
        end(&mut main, &session, &detail);
    }
    let version = version(&detail);
    let title = format!("{} · {}", words(detail.record.status.as_str()), detail.record.client);
    Ok(html::page(&session, &title, Some(&version), main).into_response())
}

/// What waits, with calls that are the same in everything together.
fn groups(detail: &RunDetail) -> Vec<Vec<&PendingView>> {
    let mut groups: Vec<Vec<&PendingView>> = Vec::new();
    for view in detail.pendings.iter().filter(|view| view.pending.decision.is_none()) {
        let same = groups.iter_mut().find(|group| {
            group[0].pending.digest == view.pending.digest
                && group[0].pending.kind == view.pending.kind
        });
        match same {
            Some(group) => group.push(view),
            None => groups.push(vec![view]),
        }
    }
    groups
}

fn heading(main: &mut Html, detail: &RunDetail, said: Option<&str>) {
    let record = &detail.record;
    main.raw("<h1>A program of ").text(&record.client).raw("</h1>");
    match said {
        Some("decided") => {
            main.raw("<p class=\"said\" role=\"status\">Decided. The program goes on when its ")
                .raw("client asks again: tell your agent to go on.</p>");
        }
        Some("always") => {
            main.raw("<p class=\"said\" role=\"status\">Decided, and a rule was written: it ")
                .raw("holds for this client, connection, tool and source from now on. ")
                .raw("<code>capabilities policy list</code> shows it.</p>");
        }
        Some("connected") => {
            main.raw("<p class=\"said\" role=\"status\">Connected. Every call that waited for it ")
                .raw("goes on when its client asks again: tell your agent to go on.</p>");
        }
        Some("first") => {
            main.raw("<p class=\"said\" role=\"status\">Somebody was first: what was decided ")
                .raw("before holds, see below.</p>");
        }
        Some("late") => {
            main.raw("<p class=\"said\" role=\"status\">Too late: it had expired.</p>");
        }
        _ => {}
    }
    main.raw("<dl><dt>Status</dt><dd>")
        .text(&words(record.status.as_str()))
        .raw("</dd><dt>Began</dt><dd>")
        .text(&time::utc(record.created_at))
        .raw("</dd><dt>Run</dt><dd>")
        .text(record.id.as_str())
        .raw("</dd></dl>");
}

fn waits(main: &mut Html, group: &[&PendingView], full: &str, opened: bool) {
    let view = group[0];
    let pending = &view.pending;
    main.raw("<article><h2>").text(&pending.address);
    if group.len() > 1 {
        main.raw(" (").number(group.len()).raw(" times the same)");
    }
    main.raw("</h2><dl><dt>Goes to</dt><dd>").text(&pending.origin).raw("</dd>");
    if let Some(connection) = &pending.connection {
        main.raw("<dt>As</dt><dd>").text(connection).raw("</dd>");
    }
    main.raw("<dt>Asked because</dt><dd>").text(&pending.reason).raw("</dd><dt>Waits</dt><dd>");
    main.text(&time::span(view.age_ms)).raw("</dd></dl>");
    for finding in &view.findings {
        main.raw("<p class=\"warn\">").text(finding).raw("</p>");
    }
    main.raw("<p class=\"quiet\">Arguments</p><pre>");
    match opened {
        true => main.text(&pretty(full)).raw("</pre>"),
        false => main.text(&pending.arguments).raw("</pre>"),
    };
    if view.cut && !opened {
        main.raw("<p><a href=\"?open=").text(pending.id.as_str());
        main.raw("\">Show everything, masked values too</a></p>");
    }
}

/// What can be done about it.
fn act(
    main: &mut Html,
    session: &Session,
    group: &[&PendingView],
    full: &str,
    blank: Option<Blank>,
) {
    let pending = &group[0].pending;
    match pending.kind {
        PendingKind::Approval => choices(main, session, group, full),
        PendingKind::Connection => {
            match blank {
                Some(blank) => blank.show(main, session, group[0]),
                None => {
                    main.raw("<p>This source needs a credential. Add it in your terminal with ")
                        .raw("<code>capabilities connection add</code>, or refuse.</p>");
                }
            }
            refuse_only(main, session, group);
        }
        PendingKind::Input => {
            answer::show(main, session, group[0]);
            refuse_only(main, session, group);
        }
    }
}

fn form(main: &mut Html, session: &Session, group: &[&PendingView]) {
    main.raw("<form method=\"post\" action=\"")
        .text(&session.base())
        .raw("runs/")
        .text(group[0].pending.run.as_str())
        .raw("/decide\"><input type=\"hidden\" name=\"csrf\" value=\"")
        .text(session.csrf())
        .raw("\"><input type=\"hidden\" name=\"pendings\" value=\"");
    for view in group {
        main.text(view.pending.id.as_str()).raw(" ");
    }
    main.raw("\">");
}

fn choices(main: &mut Html, session: &Session, group: &[&PendingView], full: &str) {
    let view = group[0];
    form(main, session, group);
    if view.offers_always {
        narrowing(main, full);
    }
    main.raw("<div class=\"choices\"><button class=\"yes\" name=\"choice\" value=\"once\">");
    match group.len() {
        1 => main.raw("Allow once"),
        count => main.raw("Allow these ").number(count),
    };
    main.raw("</button>");
    if view.offers_run {
        main.raw("<button name=\"choice\" value=\"run\">Allow for this run</button>");
    }
    if view.offers_always {
        main.raw("<button name=\"choice\" value=\"always\">Always allow</button>");
    }
    main.raw("<button class=\"no\" name=\"choice\" value=\"deny\">Deny</button></div>");
    if view.offers_run {
        main.raw(
            "<p class=\"quiet\">For this run: this tool and connection as they are now, with ",
        )
        .raw("any arguments, at most 20 more calls.</p>");
    }
    main.raw("</form>");
}

/// Arguments that an "always" can be narrowed to: plain values at the top.
fn narrowing(main: &mut Html, full: &str) {
    let Ok(Value::Object(arguments)) = serde_json::from_str(full) else {
        return;
    };
    let plain: Vec<_> =
        arguments.iter().filter(|(_, value)| !value.is_object() && !value.is_array()).collect();
    if plain.is_empty() {
        return;
    }
    main.raw("<details><summary>Narrow “always” to these arguments</summary><fieldset>")
        .raw("<legend>Always only where</legend>");
    for (name, _) in plain {
        main.raw("<label><input type=\"checkbox\" name=\"narrow:")
            .text(name)
            .raw("\" value=\"on\"><code>")
            .text(name)
            .raw("</code> is the same as here</label>");
    }
    main.raw("</fieldset></details>");
}

fn refuse_only(main: &mut Html, session: &Session, group: &[&PendingView]) {
    form(main, session, group);
    main.raw("<div class=\"choices\"><button class=\"no\" name=\"choice\" value=\"deny\">Refuse")
        .raw("</button></div></form>");
}

/// The program, with the lines marked that name what waits.
fn code(main: &mut Html, detail: &RunDetail, groups: &[Vec<&PendingView>]) {
    let names: Vec<&str> = groups
        .iter()
        .filter_map(|group| group[0].pending.address.split_once('.').map(|(_, name)| name))
        .collect();
    main.raw("<h2>The program</h2><pre class=\"code\" tabindex=\"0\">");
    for line in detail.record.code.lines() {
        let here = names.iter().any(|name| mentions(line, name));
        main.raw(if here { "<span class=\"here\">" } else { "<span>" }).text(line).raw("</span>");
    }
    main.raw("</pre>");
}

/// Whether the line holds the name as a whole word.
fn mentions(line: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    line.match_indices(name).any(|(at, _)| {
        !line[..at].ends_with(is_word) && !line[at + name.len()..].starts_with(is_word)
    })
}

fn timeline(main: &mut Html, detail: &RunDetail) {
    main.raw("<h2>What happened</h2><div class=\"wide\"><table><thead><tr>")
        .raw("<th scope=\"col\">When</th><th scope=\"col\">What</th>")
        .raw("<th scope=\"col\">Where</th><th scope=\"col\">More</th></tr></thead><tbody>");
    for entry in &detail.timeline {
        main.raw("<tr><td>")
            .text(&time::utc(entry.at))
            .raw("</td><td>")
            .text(&entry.kind)
            .raw("</td><td>")
            .text(&entry.subject)
            .raw("</td><td>")
            .text(&entry.text)
            .raw("</td></tr>");
    }
    main.raw("</tbody></table></div>");
}

fn end(main: &mut Html, session: &Session, detail: &RunDetail) {
    main.raw("<h2>End it</h2><p class=\"quiet\">What was sent stays sent; nothing more is.</p>")
        .raw("<form method=\"post\" action=\"")
        .text(&session.base())
        .raw("runs/")
        .text(detail.record.id.as_str())
        .raw("/end\"><input type=\"hidden\" name=\"csrf\" value=\"")
        .text(session.csrf())
        .raw("\"><button class=\"no\">End this run for good</button></form>");
}

fn pretty(json: &str) -> String {
    let value: Result<Value, _> = serde_json::from_str(json);
    value.and_then(|value| serde_json::to_string_pretty(&value)).unwrap_or_else(|_| json.to_owned())
}

/// What the page shows, without ages.
fn version(detail: &RunDetail) -> String {
    let mut parts = vec![detail.record.status.as_str().to_owned()];
    parts.push(detail.timeline.len().to_string());
    for view in &detail.pendings {
        parts.push(format!("{} {}", view.pending.id, view.pending.decision.is_some()));
    }
    Digest::of_parts(parts.iter().map(String::as_bytes)).to_string()
}
