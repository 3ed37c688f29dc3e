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

/// The form of one pending. Everything in it comes from the source, so it says so.
pub fn show(main: &mut Html, session: &Session, view: &PendingView) {
    let asked = question::read(view.pending.question.as_deref().unwrap_or_default());
    main.raw("<p>The source asks. What you answer goes to it. Never give it a password.</p>")
        .raw("<form method=\"post\" autocomplete=\"off\" action=\"")
        .text(&session.base())
        .raw("runs/")
        .text(view.pending.run.as_str())
        .raw("/answer\"><input type=\"hidden\" name=\"csrf\" value=\"")
        .text(session.csrf())
        .raw("\"><input type=\"hidden\" name=\"pending\" value=\"")
        .text(view.pending.id.as_str())
        .raw("\">");
    for question in &asked {
        main.raw("<fieldset><legend>The source’s words</legend><p>");
        main.text(&question.message).raw("</p>");
        if let Some(url) = &question.url {
            main.raw("<p>It wants you to open this address: <code>").text(url).raw("</code>");
            if url.starts_with("https://") {
                main.raw(" <a target=\"_blank\" rel=\"noopener noreferrer\" href=\"");
                main.text(url).raw("\">Open it</a>");
            }
            main.raw("</p>");
        }
        for field in &question.fields {
            input(main, &name(question, field, None), field, view.pending.id.as_str());
        }
        main.raw("</fieldset>");
    }
    main.raw("<div class=\"choices\"><button class=\"yes\">Send this answer</button></div></form>");
}

fn name(question: &Question, field: &Field, choice: Option<usize>) -> String {
    let base = format!("answer:{}:{}", question.key, field.name);
    choice.map_or(base.clone(), |at| format!("{base}:{at}"))
}

fn input(main: &mut Html, name: &str, field: &Field, pending: &str) {
    let id = format!("{pending}-{name}");
    let label = |main: &mut Html| {
        main.raw("<label for=\"").text(&id).raw("\">").text(&field.title);
        if !field.description.is_empty() {
            main.raw(" <span class=\"quiet\">").text(&field.description).raw("</span>");
        }
        main.raw("</label>");
    };
    match &field.kind {
        FieldKind::Flag => {
            main.raw("<label><input type=\"checkbox\" value=\"on\" name=\"").text(name);
            main.raw("\">").text(&field.title).raw("</label>");
        }
        FieldKind::SomeOf(choices) => {
            main.raw("<p>").text(&field.title).raw("</p>");
            for (at, (_, title)) in choices.iter().enumerate() {
                main.raw("<label><input type=\"checkbox\" value=\"on\" name=\"");
                main.text(&format!("{name}:{at}")).raw("\">").text(title).raw("</label>");
            }
        }
        FieldKind::OneOf(choices) => {
            label(main);
            main.raw("<select id=\"").text(&id).raw("\" name=\"").text(name).raw("\">");
            if !field.required {
                main.raw("<option value=\"\"></option>");
            }
            for (value, title) in choices {
                main.raw("<option value=\"").text(value).raw("\">").text(title).raw("</option>");
            }
            main.raw("</select>");
        }
        FieldKind::Text | FieldKind::Number | FieldKind::Integer => {
            label(main);
            main.raw("<input id=\"").text(&id).raw("\" name=\"").text(name).raw("\"");
            match field.kind {
                FieldKind::Integer => main.raw(" type=\"number\" step=\"1\""),
                FieldKind::Number => main.raw(" type=\"number\" step=\"any\""),
                _ => main.raw(" type=\"text\""),
            };
            main.raw(if field.required { " required>" } else { ">" });
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
    for question in question::read(asked) {
        contents.insert(question.key.clone(), content(&question, &fields)?);
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
    question: &Question,
    fields: &HashMap<String, String>,
) -> Result<Map<String, Value>, EngineError> {
    let mut content = Map::new();
    for field in &question.fields {
        let typed = match &field.kind {
            FieldKind::SomeOf(choices) => {
                let ticked = choices
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| fields.contains_key(&name(question, field, Some(*at))));
                ticked.map(|(_, (value, _))| value.as_str()).collect::<Vec<_>>().join("\n")
            }
            _ => fields.get(&name(question, field, None)).cloned().unwrap_or_default(),
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
