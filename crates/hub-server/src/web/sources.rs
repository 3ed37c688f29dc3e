//! Sources: where tools come from, how they are, and what policy says of each tool.

use crate::web::access::Session;
use crate::web::html::{Badge, Here, Html};
use crate::web::{ADDRESS, NAME, ORIGIN, REASON, Refusal, Web, back, rules};
use axum::extract::{Form, Path, Query, State};
use axum::response::Response;
use http::HeaderMap;
use hub_core::catalog::{Effect, Transport};
use hub_core::connection::{Connection, SecretRef};
use hub_core::limits::PAGE_TOOLS;
use hub_core::policy::Verdict;
use hub_core::redact;
use hub_engine::{SourceDetail, SourceView, ToolView};
use serde::Deserialize;
use std::collections::HashMap;

/// Characters of a source's last words.
const LAST_WORDS: usize = 4_000;
/// Tools listed as broken.
const BROKEN: usize = 50;

pub async fn list(
    State(web): State<Web>,
    Path(session): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let session = web.pages.sees(&session, &headers)?;
    let sources = web.engine.sources().await?;
    let mut main = Html::new();
    main.raw("<h1>Sources</h1>");
    if sources.is_empty() {
        main.raw("<p class=\"empty\">No source yet. Add one in your terminal: ")
            .raw("<code>capabilities source add NAME -- COMMAND</code></p>");
    } else {
        main.raw("<ul class=\"cards\">");
        for view in &sources {
            card(&mut main, &session, view);
        }
        main.raw("</ul><p class=\"quiet\">Sources start programs with your rights, so they are ")
            .raw("added in your terminal, not here: <code>capabilities source add</code></p>");
    }
    let version = version(&sources);
    web.page(&session, Here::Sources, "Sources", &version, false, &main).await
}

fn version(sources: &[SourceView]) -> String {
    crate::web::version(sources.iter().map(|view| {
        let read = view.read_at.map_or(0, |at| at.0);
        format!("{} {} {read} {:?} {}", view.source.id, view.stale, view.problem, view.tools)
    }))
}

fn card(main: &mut Html, session: &Session, view: &SourceView) {
    main.raw("<li class=\"card row\"><div><h2><a href=\"").text(&session.base());
    main.raw("sources/").text(view.source.id.as_str()).raw("\">");
    main.foreign(&view.source.name, NAME).raw("</a> ");
    state(main, view);
    main.raw("</h2><p class=\"origin\">").foreign(&view.source.transport.origin(), ORIGIN);
    main.raw("</p>");
    problem(main, view);
    main.raw("</div><p class=\"quiet right\">").count(view.tools, "tool", "tools");
    if !view.broken.is_empty() {
        main.raw("<br>").number(view.broken.len()).raw(" not usable");
    }
    if !view.connections.is_empty() {
        main.raw("<br>").count(view.connections.len(), "account", "accounts");
    }
    main.raw("</p></li>");
}

fn state(main: &mut Html, view: &SourceView) {
    match (&view.problem, view.stale, view.read_at) {
        (Some(_), true, Some(_)) => main.badge(Badge::Waits, "away"),
        (Some(_), _, _) => main.badge(Badge::Bad, "does not answer"),
        (None, true, _) => main.badge(Badge::Waits, "stale"),
        (None, false, None) => main.badge(Badge::Plain, "not read yet"),
        (None, false, Some(_)) => main.badge(Badge::Good, "connected"),
    };
}

fn problem(main: &mut Html, view: &SourceView) {
    if let Some(problem) = &view.problem {
        main.raw("<p class=\"warn\">").foreign(problem, REASON).raw("</p>");
    }
    if view.stale && view.read_at.is_some() {
        main.raw("<p class=\"quiet\">Its tools are those it had when it last answered.</p>");
    }
}

/// What the link asks for.
#[derive(Default, Deserialize)]
pub struct Asked {
    /// Only tools with these letters.
    q: Option<String>,
    /// What a form did.
    said: Option<String>,
}

pub async fn show(
    State(web): State<Web>,
    Path((session, source)): Path<(String, String)>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let session = web.pages.sees(&session, &headers)?;
    let detail = web.engine.source(&name(&web, &source).await?).await?;
    let view = &detail.view;
    let mut main = Html::new();
    main.raw("<div class=\"title\"><h1>").foreign(&view.source.name, NAME).raw("</h1>");
    state(&mut main, view);
    main.raw("</div>");
    if asked.said.as_deref() == Some("read") {
        main.raw("<div class=\"said\"><p>Its tools were read again.</p></div>");
    }
    problem(&mut main, view);
    facts(&mut main, &session, view);
    tools(&mut main, &detail, asked.q.as_deref().unwrap_or_default().trim());
    broken(&mut main, view);
    if let Some(said) = detail.stderr.as_deref().filter(|said| !said.trim().is_empty()) {
        main.raw("<section><h2>What it wrote lately</h2><pre tabindex=\"0\" role=\"region\" ")
            .raw("aria-label=\"What it wrote lately\">");
        let from = said.char_indices().rev().nth(LAST_WORDS).map_or(0, |(at, _)| at);
        for line in said[from..].lines() {
            main.foreign(line, REASON).raw("\n");
        }
        main.raw("</pre></section>");
    }
    let version = version(std::slice::from_ref(view));
    let title = redact::plain(&view.source.name, NAME);
    web.page(&session, Here::Sources, &title, &version, true, &main).await
}

/// The name of the source with this identifier: names may hold what a path may not.
async fn name(web: &Web, id: &str) -> Result<String, Refusal> {
    let sources = web.engine.sources().await?;
    let found = sources.into_iter().find(|view| view.source.id.as_str() == id);
    found.map(|view| view.source.name).ok_or(Refusal::Nothing)
}

fn facts(main: &mut Html, session: &Session, view: &SourceView) {
    main.raw("<dl><dt>");
    main.raw(match view.source.transport {
        Transport::Stdio { .. } => "Starts",
        Transport::Http { .. } => "Speaks to",
    });
    main.raw("</dt><dd><code>").foreign(&view.source.transport.origin(), ORIGIN);
    main.raw("</code></dd><dt>In programs</dt><dd><code>");
    main.foreign(&view.source.namespace, NAME).raw("</code></dd>");
    if !view.server.is_empty() {
        main.raw("<dt>Says it is</dt><dd>").quoted(&view.server, NAME);
        main.raw(", MCP ").foreign(&view.protocol_version, NAME).raw("</dd>");
    }
    main.raw("<dt>Its own hints</dt><dd>");
    main.raw(match view.source.trusted {
        true => "believed: a tool that says it only reads goes without asking",
        false => "not believed: every tool asks",
    });
    main.raw("</dd><dt>Accounts</dt><dd>");
    match view.connections.as_slice() {
        [] => main.raw("none"),
        connections => accounts(main, connections),
    };
    main.raw("</dd>");
    if let Some(at) = view.read_at {
        main.raw("<dt>Last read</dt><dd>").moment(at).raw("</dd>");
    }
    main.raw("</dl>");
    main.form(session, &format!("sources/{}/refresh", view.source.id));
    main.raw("<button>Read its tools again</button></form>");
}

/// Where each account's secrets lie, never what they are.
fn accounts<'h>(main: &'h mut Html, connections: &[Connection]) -> &'h mut Html {
    main.raw("<ul class=\"plainlist\">");
    for connection in connections {
        main.raw("<li>").foreign(&connection.name, NAME);
        if connection.is_default {
            main.raw(" <span class=\"quiet\">(used unless a program names another)</span>");
        }
        for credential in &connection.credentials {
            main.raw("<br><span class=\"quiet\">");
            main.foreign(&crate::web::connect::words(&credential.placement), NAME);
            main.raw(match credential.value {
                SecretRef::File(_) => ", kept sealed by the hub",
                SecretRef::Env(_) => ", from the hub’s environment",
                SecretRef::Command(_) => ", printed by a command of yours",
            });
            main.raw("</span>");
        }
        main.raw("</li>");
    }
    main.raw("</ul>")
}

fn tools(main: &mut Html, detail: &SourceDetail, wanted: &str) {
    let lower = wanted.to_lowercase();
    let is_wanted = |tool: &&ToolView| {
        lower.is_empty()
            || tool.address.to_lowercase().contains(&lower)
            || tool.summary.to_lowercase().contains(&lower)
    };
    let found: Vec<&ToolView> = detail.tools.iter().filter(is_wanted).collect();
    main.raw("<section><h2>Tools</h2><p class=\"quiet\">");
    for (verdict, words) in [
        (Verdict::Allow, " go, "),
        (Verdict::Ask, " ask you, "),
        (Verdict::Confirm, " want you to confirm each call, "),
        (Verdict::Deny, " never go. "),
    ] {
        let count = detail.tools.iter().filter(|tool| tool.verdict == verdict).count();
        main.number(count).raw(words);
    }
    main.raw("Rules for one client or for certain arguments may say otherwise.</p>")
        .raw("<form method=\"get\" class=\"inline\"><label for=\"q\">Find a tool</label>")
        .raw("<input id=\"q\" name=\"q\" type=\"search\" maxlength=\"200\" value=\"")
        .text(wanted)
        .raw("\"><button>Find</button></form>");
    if found.is_empty() {
        main.raw("<p class=\"empty\">No such tool.</p></section>");
        return;
    }
    main.wide("Tools")
        .raw("<table><thead><tr><th scope=\"col\">Tool</th>")
        .raw("<th scope=\"col\">A call</th><th scope=\"col\">Because</th></tr></thead><tbody>");
    for tool in found.iter().take(PAGE_TOOLS) {
        main.raw("<tr><th scope=\"row\"><code>").foreign(&tool.address, ADDRESS);
        main.raw("</code>");
        if !tool.summary.is_empty() {
            main.raw("<span class=\"origin\">").quoted(&tool.summary, REASON).raw("</span>");
        }
        main.raw("</th><td>");
        rules::verdict(main, tool.verdict);
        main.raw("</td><td>").foreign(&tool.reason, REASON);
        main.raw(match tool.effect {
            Effect::Read => "<span class=\"origin\">changes nothing</span>",
            Effect::Effect => "<span class=\"origin\">may change something</span>",
        });
        main.raw("</td></tr>");
    }
    main.raw("</tbody></table></div>");
    if found.len() > PAGE_TOOLS {
        main.raw("<p class=\"quiet\">").number(found.len() - PAGE_TOOLS);
        main.raw(" more: find them by a few letters.</p>");
    }
    main.raw("</section>");
}

fn broken(main: &mut Html, view: &SourceView) {
    if view.broken.is_empty() {
        return;
    }
    main.raw("<section><h2>Not usable</h2><ul class=\"plainlist\">");
    for tool in view.broken.iter().take(BROKEN) {
        main.raw("<li><code>").foreign(&tool.name, ADDRESS).raw("</code> <span class=\"warn\">");
        main.foreign(&tool.reason, REASON).raw("</span></li>");
    }
    main.raw("</ul></section>");
}

/// Reads the tools again.
pub async fn refresh(
    State(web): State<Web>,
    Path((session, source)): Path<(String, String)>,
    headers: HeaderMap,
    Form(fields): Form<HashMap<String, String>>,
) -> Result<Response, Refusal> {
    let csrf = fields.get("csrf").map(String::as_str).unwrap_or_default();
    let session = web.pages.acts(&session, &headers, csrf)?;
    let refreshed = web.engine.refresh(&name(&web, &source).await?).await?;
    let said = if refreshed.view.problem.is_none() { "?said=read" } else { "" };
    Ok(back(&session, &format!("sources/{source}{said}")))
}
