//! The rules: which calls go, ask or never go, who said so, and why a call is treated as it is.

use crate::web::access::Session;
use crate::web::decide::BY;
use crate::web::html::{Badge, Here, Html, Undo};
use crate::web::{ADDRESS, Fields, NAME, REASON, Refusal, Web, back, version};
use axum::extract::{Form, Path, Query, State};
use axum::response::Response;
use http::HeaderMap;
use hub_core::policy::{self, ArgumentCondition, ArgumentTest, RuleOrigin, Verdict};
use hub_engine::{EngineError, ListedRule};
use serde::Deserialize;
use serde_json::Value;

/// What the link asks for.
#[derive(Default, Deserialize)]
pub struct Asked {
    /// Explain calls of this address.
    address: Option<String>,
    /// What a form did.
    said: Option<String>,
}

pub async fn show(
    State(web): State<Web>,
    Path(session): Path<String>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let session = web.pages.sees(&session, &headers)?;
    let rules = web.engine.listed_rules().await?;
    let mut main = Html::new();
    main.raw("<h1>Rules</h1>");
    match asked.said.as_deref() {
        Some("unset") => main.raw("<div class=\"said\"><p>The rule is gone.</p></div>"),
        Some("narrowed") => main.raw("<div class=\"said\"><p>The rule allows less now.</p></div>"),
        _ => &mut main,
    };
    main.raw("<p>Where no rule says otherwise, reads go, and what may change something asks you. ")
        .raw("A more exact rule comes before a more general one.</p>");
    if rules.is_empty() {
        main.raw("<p class=\"empty\">No rules yet. “Always allow” on a call that waits writes ")
            .raw("one, and so does <code>capabilities policy set</code>.</p>");
    } else {
        main.raw("<ul class=\"cards\">");
        for rule in &rules {
            card(&mut main, &session, rule);
        }
        main.raw("</ul>");
    }
    explain(&mut main, &web, asked.address.as_deref().map(str::trim)).await;
    let shown = |one: &ListedRule| format!("{} {} {}", one.rule.id, one.changed_at.0, one.asleep);
    let version = version(rules.iter().map(shown));
    web.page(&session, Here::Rules, "Rules", &version, true, &main).await
}

/// What a verdict does, in a word.
pub fn verdict(main: &mut Html, verdict: Verdict) {
    match verdict {
        Verdict::Allow => main.badge(Badge::Good, "goes"),
        Verdict::Ask => main.badge(Badge::Waits, "asks you"),
        Verdict::Confirm => main.badge(Badge::Waits, "confirm each"),
        Verdict::Deny => main.badge(Badge::Bad, "never goes"),
    };
}

/// A rule as a sentence.
pub fn sentence(main: &mut Html, listed: &ListedRule) {
    let rule = &listed.rule;
    verdict(main, rule.decision);
    main.raw(" <code>").foreign(&rule.pattern, ADDRESS).raw("</code>");
    if let Some(client) = &rule.client {
        let name = listed.client.as_deref().unwrap_or(client.as_str());
        main.raw(" for ").foreign(name, NAME);
    }
    if let Some(connection) = &rule.connection {
        main.raw(" as ").foreign(connection, NAME);
    }
    for (at, condition) in policy::conditions(rule).iter().enumerate() {
        main.raw(if at == 0 { ", only where " } else { " and " });
        main.raw("<code>").text(condition).raw("</code>");
    }
}

fn card(main: &mut Html, session: &Session, listed: &ListedRule) {
    let rule = &listed.rule;
    main.raw("<li class=\"card\"><p class=\"rule\">");
    sentence(main, listed);
    if listed.asleep {
        main.raw(" ").badge(Badge::Plain, "asleep");
    }
    main.raw("</p>");
    if listed.asleep {
        main.raw("<p class=\"warn\">The tool or its source changed since, or is gone: the rule ")
            .raw("does nothing, and its calls are judged without it.</p>");
    }
    if !rule.note.is_empty() {
        main.raw("<p>").quoted(&rule.note, REASON).raw("</p>");
    }
    main.raw("<p class=\"quiet\">").raw(match rule.origin {
        RuleOrigin::File => "from hub.toml, ",
        RuleOrigin::Person => "",
        RuleOrigin::Organisation => "of your organisation, ",
    });
    main.raw("by ").foreign(listed.who.as_deref().unwrap_or("a person"), REASON);
    main.raw(", ").moment(listed.changed_at).raw(" · ").text(rule.id.as_str()).raw("</p>");
    match rule.origin {
        RuleOrigin::Person => {
            main.raw("<div class=\"actions\">");
            if rule.decision == Verdict::Allow {
                narrow(main, session, rule.id.as_str());
            }
            main.undo(
                session,
                &Undo {
                    to: "rules/unset",
                    field: "rule",
                    id: rule.id.as_str(),
                    words: "Take back",
                    of: "the rule about",
                    name: &rule.pattern,
                },
            );
            main.raw("</div>");
        }
        RuleOrigin::File => {
            main.raw("<p class=\"quiet\">It changes with the file: edit it, then run ")
                .raw("<code>capabilities apply</code>.</p>");
        }
        RuleOrigin::Organisation => {}
    }
    main.raw("</li>");
}

fn narrow(main: &mut Html, session: &Session, rule: &str) {
    main.raw("<details><summary>Allow less…</summary>").form(session, "rules/narrow");
    main.hidden("rule", rule);
    for (name, label, hint) in [
        ("argument", "Argument", "such as title, or options.path"),
        ("value", "Value", "a number, true, false, or text as it is"),
    ] {
        let id = format!("{name}-{rule}");
        if name == "value" {
            main.raw("<div class=\"field\"><label for=\"test-")
                .text(rule)
                .raw("\">Must be</label>");
            main.raw("<select name=\"test\" id=\"test-")
                .text(rule)
                .raw("\">")
                .raw("<option value=\"equals\">exactly</option>")
                .raw("<option value=\"max\">at most</option>")
                .raw("<option value=\"min\">at least</option>")
                .raw("<option value=\"under\">a path under</option>")
                .raw("<option value=\"host\">a URL on the host</option></select></div>");
        }
        main.raw("<div class=\"field\"><label for=\"").text(&id).raw("\">").raw(label);
        main.raw(" <span class=\"quiet\">").raw(hint).raw("</span></label><input type=\"text\" ");
        main.raw("required maxlength=\"2000\" name=\"").raw(name).raw("\" id=\"").text(&id);
        main.raw("\"></div>");
    }
    main.raw("<button>Allow only this</button></form></details>");
}

async fn explain(main: &mut Html, web: &Web, address: Option<&str>) {
    main.raw("<section><h2>Why does a call go, ask or not go?</h2><form method=\"get\" ")
        .raw("class=\"inline\"><label for=\"address\">Address of the tool</label>")
        .raw("<input id=\"address\" name=\"address\" type=\"text\" required maxlength=\"300\" ")
        .raw("placeholder=\"source.tool\" value=\"")
        .text(address.unwrap_or_default())
        .raw("\"><button>Explain</button></form>");
    if let Some(address) = address.filter(|address| !address.is_empty()) {
        match web.engine.explain(None, address, None, None).await {
            Ok(said) => {
                main.raw("<div class=\"card\"><p><code>").foreign(&said.address, ADDRESS);
                main.raw("</code> ");
                verdict(main, said.verdict);
                main.raw("</p><p>").foreign(&said.reason, 1_000).raw("</p>");
                if !said.others.is_empty() {
                    main.raw("<p class=\"quiet\">Other rules about it: ");
                    main.number(said.others.len()).raw(". ");
                    main.raw("Rules that look at arguments or at one client decide per call.</p>");
                }
                if !said.asleep.is_empty() {
                    main.raw("<p class=\"warn\">Asleep, because the tool or its source changed: ");
                    main.number(said.asleep.len()).raw(".</p>");
                }
                main.raw("</div>");
            }
            Err(error) => {
                main.raw("<p class=\"warn\">").foreign(&error.to_string(), 1_000).raw("</p>");
            }
        }
    }
    main.raw("</section>");
}

/// Removes a person's rule. Those of the file and of the organisation are changed where they are.
pub async fn unset(
    State(web): State<Web>,
    Path(session): Path<String>,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> Result<Response, Refusal> {
    let session = web.pages.acts(&session, &headers, fields.text("csrf"))?;
    let rules = web.engine.rules().await?;
    let rule = rules.iter().find(|rule| rule.id.as_str() == fields.text("rule"));
    if rule.is_some_and(|rule| rule.origin != RuleOrigin::Person) {
        let say = "this rule is changed where it was written, not here";
        return Err(EngineError::Invalid(say.into()).into());
    }
    web.engine.remove_rule(fields.text("rule"), BY).await?;
    Ok(back(&session, "rules?said=unset"))
}

/// Adds a condition to a rule that allows.
pub async fn narrower(
    State(web): State<Web>,
    Path(session): Path<String>,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> Result<Response, Refusal> {
    let session = web.pages.acts(&session, &headers, fields.text("csrf"))?;
    let condition = condition(fields.text("argument"), fields.text("test"), fields.text("value"))?;
    web.engine.narrow_rule(fields.text("rule"), vec![condition], BY).await?;
    Ok(back(&session, "rules?said=narrowed"))
}

fn condition(argument: &str, test: &str, value: &str) -> Result<ArgumentCondition, EngineError> {
    let number = || {
        let number = value.parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| EngineError::Invalid("this condition needs a number".into()))
    };
    let test = match test {
        "equals" => ArgumentTest::Equals(match serde_json::from_str::<Value>(value) {
            Ok(json) if !json.is_object() && !json.is_array() => json,
            _ => Value::String(value.to_owned()),
        }),
        "max" => ArgumentTest::Range { min: None, max: Some(number()?) },
        "min" => ArgumentTest::Range { min: Some(number()?), max: None },
        "under" => ArgumentTest::PathUnder(value.to_owned()),
        "host" => ArgumentTest::UrlHost(value.to_owned()),
        _ => return Err(EngineError::Invalid("this condition is not offered here".into())),
    };
    if argument.is_empty() {
        return Err(EngineError::Invalid("the condition names no argument".into()));
    }
    // People write names and dots; a pointer is taken as it is.
    let pointer = match argument.starts_with('/') {
        true => argument.to_owned(),
        false => argument.split('.').fold(String::new(), |all, step| {
            format!("{all}/{}", step.replace('~', "~0").replace('/', "~1"))
        }),
    };
    Ok(ArgumentCondition { pointer, test })
}
