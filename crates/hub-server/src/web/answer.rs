//! A source asks the person something: the form, and the answer it brings back.

use crate::web::access::Session;
use crate::web::decide::BY;
use crate::web::html::Html;
use crate::web::{Refusal, Web, back};
use axum::extract::{Form, Path, State};
use axum::response::Response;
use http::HeaderMap;
use hub_core::pending::{Channel, Choice, PendingKind};
use hub_core::question::{self, Field, FieldKind, Question};
use hub_engine::{Decide, DecidedView, EngineError, PendingView};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};

/// Characters of what a source says that are shown in one place.
const WORDS: usize = 2_000;

/// The form of one pending. Everything in it comes from the source, so it says so.
pub fn show(main: &mut Html, session: &Session, view: &PendingView) {
    let asked = question::read(view.pending.question.as_deref().unwrap_or_default());
    main.raw("<p>The source asks while it works. What you answer goes to it; never give it a ")
        .raw("password.</p>")
        .form(session, &format!("runs/{}/answer", view.pending.run))
        .hidden("pending", view.pending.id.as_str());
    for (of, question) in asked.iter().enumerate() {
        main.raw("<fieldset><legend>The source’s words</legend><p>");
        main.foreign(&question.message, WORDS).raw("</p>");
        if let Some(url) = &question.url {
            main.raw("<p>It wants you to open this address: <code>")
                .foreign(url, WORDS)
                .raw("</code>");
            if url.starts_with("https://") {
                main.raw(" <a target=\"_blank\" rel=\"noopener noreferrer\" href=\"");
                main.text(url).raw("\">Open it</a>");
            }
            main.raw("</p>");
        }
        for (at, field) in question.fields.iter().enumerate() {
            input(main, &name(of, at), field, view.pending.id.as_str());
        }
        main.raw("</fieldset>");
    }
    main.raw(
        "<div class=\"choices\"><button class=\"primary\">Send this answer</button></div></form>",
    );
}

/// Fields and choices are named by their places: what the source calls them stays out of the
/// markup.
fn name(question: usize, field: usize) -> String {
    format!("answer:{question}:{field}")
}

fn input(main: &mut Html, name: &str, field: &Field, pending: &str) {
    let id = format!("{pending}-{name}");
    let label = |main: &mut Html| {
        main.raw("<div class=\"field\"><label for=\"").text(&id).raw("\">");
        main.foreign(&field.title, WORDS);
        if !field.description.is_empty() {
            main.raw(" <span class=\"quiet\">").foreign(&field.description, WORDS).raw("</span>");
        }
        main.raw("</label>");
    };
    match &field.kind {
        FieldKind::Flag => {
            main.raw("<label><input type=\"checkbox\" value=\"on\" name=\"").text(name);
            main.raw("\">").foreign(&field.title, WORDS).raw("</label>");
        }
        FieldKind::SomeOf(choices) => {
            main.raw("<fieldset><legend>").foreign(&field.title, WORDS).raw("</legend>");
            for (at, (_, title)) in choices.iter().enumerate() {
                main.raw("<label><input type=\"checkbox\" value=\"on\" name=\"");
                main.text(&format!("{name}:{at}")).raw("\">").foreign(title, WORDS).raw("</label>");
            }
            main.raw("</fieldset>");
        }
        FieldKind::OneOf(choices) => {
            label(main);
            main.raw("<select id=\"").text(&id).raw("\" name=\"").text(name).raw("\">");
            if !field.required {
                main.raw("<option value=\"\"></option>");
            }
            for (at, (_, title)) in choices.iter().enumerate() {
                main.raw("<option value=\"").number(at).raw("\">").foreign(title, WORDS);
                main.raw("</option>");
            }
            main.raw("</select></div>");
        }
        FieldKind::Text | FieldKind::Number | FieldKind::Integer => {
            label(main);
            main.raw("<input id=\"").text(&id).raw("\" name=\"").text(name).raw("\"");
            match field.kind {
                FieldKind::Integer => main.raw(" type=\"number\" step=\"1\""),
                FieldKind::Number => main.raw(" type=\"number\" step=\"any\""),
                _ => main.raw(" type=\"text\""),
            };
            main.raw(if field.required { " required></div>" } else { "></div>" });
        }
    }
}

/// Sends the answer.
pub async fn answer(
    State(web): State<Web>,
    Path((session, run)): Path<(String, String)>,
    headers: HeaderMap,
    Form(fields): Form<HashMap<String, String>>,
) -> Result<Response, Refusal> {
    let text = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    let session = web.pages.acts(&session, &headers, text("csrf"))?;
    let waiting = web.engine.waiting(Some(&run)).await?;
    let is_asked = |view: &&PendingView| {
        view.pending.id.as_str() == text("pending") && view.pending.kind == PendingKind::Input
    };
    let Some(view) = waiting.iter().find(is_asked) else {
        return Ok(back(&session, &format!("runs/{run}?said=first")));
    };
    let asked = view.pending.question.as_deref().unwrap_or_default();
    let mut contents = BTreeMap::new();
    for (of, question) in question::read(asked).into_iter().enumerate() {
        contents.insert(question.key.clone(), content(of, &question, &fields)?);
    }
    let decide = Decide {
        pending: view.pending.id.clone(),
        choice: Choice::Answer(question::answer(asked, contents)),
        channel: Channel::Page,
        by: BY.to_owned(),
        narrow: Vec::new(),
    };
    let said = match web.engine.decide(decide).await? {
        DecidedView::Now => "decided",
        DecidedView::Already(_) => "first",
        DecidedView::Expired => "late",
    };
    Ok(back(&session, &format!("runs/{run}?said={said}")))
}

fn content(
    of: usize,
    question: &Question,
    fields: &HashMap<String, String>,
) -> Result<Map<String, Value>, EngineError> {
    let mut content = Map::new();
    for (at, field) in question.fields.iter().enumerate() {
        let name = name(of, at);
        let given = fields.get(&name).map(String::as_str).unwrap_or_default();
        let typed = match &field.kind {
            FieldKind::SomeOf(choices) => {
                let is_ticked = |at: usize| fields.contains_key(&format!("{name}:{at}"));
                let ticked = choices.iter().enumerate().filter(|(at, _)| is_ticked(*at));
                ticked.map(|(_, (value, _))| value.as_str()).collect::<Vec<_>>().join("\n")
            }
            FieldKind::OneOf(choices) => {
                let chosen = given.parse().ok().and_then(|at: usize| choices.get(at));
                chosen.map(|(value, _)| value.clone()).unwrap_or_default()
            }
            _ => given.to_owned(),
        };
        match field.value(&typed) {
            Some(Some(value)) => {
                content.insert(field.name.clone(), value);
            }
            Some(None) => {}
            None => {
                let say = format!("{} does not fit; go back and fill it in", field.title);
                return Err(EngineError::Invalid(say));
            }
        }
    }
    Ok(content)
}
