//! What waits in a run: calls that are alike as one table, and what can be done about them.

use crate::web::access::Session;
use crate::web::connect::Blank;
use crate::web::html::Html;
use crate::web::{ADDRESS, NAME, ORIGIN, REASON, answer, narrow, time};
use hub_core::pending::{Pending, PendingKind};
use hub_core::ports::Place;
use hub_core::redact;
use hub_engine::PendingView;
use serde_json::Value;

/// One call that waits.
pub struct Row<'a> {
    pub view: &'a PendingView,
    /// Its arguments, in full.
    pub full: String,
    /// Where it may stand in the code.
    pub places: Vec<Place>,
}

/// Calls that can be decided together: the same tool, connection and definition.
pub struct Group<'a> {
    pub rows: Vec<Row<'a>>,
}

impl Group<'_> {
    pub fn first(&self) -> &Pending {
        &self.rows[0].view.pending
    }

    pub fn kind(&self) -> PendingKind {
        self.first().kind
    }

    /// Whether the pending belongs to it. What is confirmed is confirmed one by one, and each
    /// question is a form of its own.
    pub fn takes(&self, view: &PendingView) -> bool {
        let (own, other) = (self.first(), &view.pending);
        own.kind == other.kind
            && own.address == other.address
            && own.connection == other.connection
            && match own.kind {
                PendingKind::Approval => own.scope == other.scope && !own.confirm && !other.confirm,
                PendingKind::Connection => true,
                PendingKind::Input => false,
            }
    }

    fn id(&self) -> String {
        format!("decide-{}", self.first().id)
    }
}

/// The table and the form of a group.
pub fn show(
    main: &mut Html,
    session: &Session,
    group: &Group<'_>,
    blank: Option<Blank>,
    open: Option<&str>,
) {
    let (pending, count) = (group.first(), group.rows.len());
    main.raw("<section class=\"card ask\"><h2>");
    main.raw(match pending.kind {
        PendingKind::Approval if pending.confirm => "Confirm ",
        PendingKind::Approval => "May it call ",
        PendingKind::Connection => "A credential is needed for ",
        PendingKind::Input => "A question from ",
    });
    main.raw("<code>").foreign(&pending.address, ADDRESS).raw("</code>");
    if count > 1 {
        main.raw(" — ").number(count).raw(" times");
    }
    main.raw(if pending.kind == PendingKind::Approval && !pending.confirm {
        "?</h2>"
    } else {
        "</h2>"
    });
    table(main, group, open);
    match pending.kind {
        PendingKind::Approval => choices(main, session, group),
        PendingKind::Connection => {
            match blank {
                Some(blank) => blank.show(main, session, group.rows[0].view),
                None => {
                    main.raw("<p>Add the credential in your terminal with ")
                        .raw("<code>capabilities connection add</code>, or refuse.</p>");
                }
            }
            refuse_only(main, session, group);
        }
        PendingKind::Input => {
            answer::show(main, session, group.rows[0].view);
            refuse_only(main, session, group);
        }
    }
    main.raw("</section>");
}

fn table(main: &mut Html, group: &Group<'_>, open: Option<&str>) {
    let single = group.rows.len() > 1 && group.kind() == PendingKind::Approval;
    main.raw("<table class=\"stack\" role=\"table\"><thead role=\"rowgroup\"><tr role=\"row\">");
    for name in ["Call", "Arguments", "Account", "Why you are asked", "Waits"] {
        main.raw("<th scope=\"col\" role=\"columnheader\">").raw(name).raw("</th>");
    }
    if single {
        main.raw("<th scope=\"col\" role=\"columnheader\">Only this one</th>");
    }
    main.raw("</tr></thead><tbody role=\"rowgroup\">");
    for row in &group.rows {
        line(main, row, open);
        if single {
            main.raw("<td role=\"cell\" data-label=\"Only this one\"><div class=\"small\">");
            for (choice, name) in [("once:", "Allow"), ("deny:", "Deny")] {
                main.raw("<button name=\"one\" form=\"").text(&group.id()).raw("\" value=\"");
                main.raw(choice).text(row.view.pending.id.as_str()).raw("\">").raw(name);
                main.raw("<span class=\"hidden\"> call ").number(row.view.pending.call as usize);
                main.raw("</span></button>");
            }
            main.raw("</div></td>");
        }
        main.raw("</tr>");
    }
    main.raw("</tbody></table>");
}

fn line(main: &mut Html, row: &Row<'_>, open: Option<&str>) {
    let (view, pending) = (row.view, &row.view.pending);
    main.raw("<tr role=\"row\"><th scope=\"row\" role=\"rowheader\"><code>")
        .foreign(&pending.address, ADDRESS)
        .raw("</code><span class=\"origin\">")
        .foreign(&pending.origin, ORIGIN)
        .raw("</span>");
    stands(main, &row.places);
    main.raw("</th><td role=\"cell\" data-label=\"Arguments\" class=\"arguments\">");
    let opened = open == Some(pending.id.as_str());
    main.raw("<pre>");
    match opened {
        true => main.text(&everything(&row.full)),
        false => main.text(&pending.arguments),
    };
    main.raw("</pre>");
    for finding in &view.findings {
        main.raw("<p class=\"warn\">").text(finding).raw("</p>");
    }
    if opened {
        main.raw("<p><a href=\"?\">Hide it again</a></p>");
    } else if view.cut {
        main.raw("<p><a href=\"?open=").text(pending.id.as_str());
        main.raw("\">Show everything, hidden values too</a></p>");
    }
    main.raw("</td><td role=\"cell\" data-label=\"Account\">");
    match &pending.connection {
        Some(connection) => main.foreign(connection, NAME),
        None => main.raw("<span class=\"quiet\">none</span>"),
    };
    main.raw("</td><td role=\"cell\" data-label=\"Why you are asked\">")
        .foreign(why(pending), REASON)
        .raw("</td><td role=\"cell\" data-label=\"Waits\">")
        .text(&time::span(view.age_ms))
        .raw("</td>");
}

fn why(pending: &Pending) -> &str {
    match pending.kind {
        PendingKind::Approval => &pending.reason,
        PendingKind::Connection => "the source lets nobody in without a credential",
        PendingKind::Input => "the source wants to know something before it goes on",
    }
}

/// Where the call stands in the code, as far as its text shows.
fn stands(main: &mut Html, places: &[Place]) {
    main.raw("<span class=\"origin\">").raw(match places.len() {
        0 => "its place in the code cannot be seen",
        1 => "made in ",
        _ => "made in one of ",
    });
    for (at, place) in places.iter().enumerate() {
        main.raw(if at == 0 { "" } else { ", " });
        link(main, place);
    }
    main.raw("</span>");
}

fn link(main: &mut Html, place: &Place) {
    main.raw("<a href=\"#line-").number(place.line as usize).raw("\">line ");
    main.number(place.line as usize).raw("</a>");
}

fn form(main: &mut Html, session: &Session, group: &Group<'_>) {
    main.form(session, &to(group)).hidden("pendings", &ids(group));
}

fn to(group: &Group<'_>) -> String {
    format!("runs/{}/decide", group.first().run)
}

fn ids(group: &Group<'_>) -> String {
    let ids: Vec<&str> = group.rows.iter().map(|row| row.view.pending.id.as_str()).collect();
    ids.join(" ")
}

fn choices(main: &mut Html, session: &Session, group: &Group<'_>) {
    let (view, count) = (group.rows[0].view, group.rows.len());
    main.raw("<div class=\"decide\">");
    // The buttons of single rows belong to this form too.
    main.form_named(session, &to(group), &group.id()).hidden("pendings", &ids(group));
    if view.pending.confirm {
        main.raw("<p class=\"quiet\">Your rules want you here for each such call: it is never ")
            .raw("decided by a form of the agent, nor for more than this one call.</p><label>")
            .raw("<input type=\"checkbox\" name=\"sure\" value=\"on\" required>I have read the ")
            .raw("arguments and want this sent</label>");
    }
    main.raw("<div class=\"choices\"><button class=\"primary\" name=\"choice\" value=\"once\">");
    match count {
        1 => main.raw("Allow once"),
        count => main.raw("Allow these ").number(count),
    };
    main.raw("</button>");
    if view.offers_run {
        main.raw("<button name=\"choice\" value=\"run\">Allow for this run</button>");
    }
    main.raw("<button class=\"no\" name=\"choice\" value=\"deny\" formnovalidate>");
    match count {
        1 => main.raw("Deny"),
        count => main.raw("Deny these ").number(count),
    };
    main.raw("</button></div>");
    if view.offers_run {
        main.raw("<p class=\"quiet\">“For this run” covers this tool and account as they are ")
            .raw("now, with any arguments, for at most 20 more calls of this program.</p>");
    }
    main.raw("</form>");
    if group.rows.iter().all(|row| row.view.offers_always) {
        always(main, session, group);
    }
    main.raw("</div>");
}

/// The fourth choice takes a second step: it lasts.
fn always(main: &mut Html, session: &Session, group: &Group<'_>) {
    let view = group.rows[0].view;
    main.raw("<details class=\"always\"><summary>Always allow…</summary>");
    form(main, session, group);
    main.raw("<p>From now on ").foreign(&view.client, NAME).raw(" may call <code>");
    main.foreign(&view.pending.address, ADDRESS).raw("</code>");
    if let Some(connection) = &view.pending.connection {
        main.raw(" as ").foreign(connection, NAME);
    }
    main.raw(" without asking you, as long as the tool and its source stay as they are.</p>");
    let full: Vec<&str> = group.rows.iter().map(|row| row.full.as_str()).collect();
    narrow::show(main, view.pending.id.as_str(), &full);
    main.raw("<div class=\"choices\"><button name=\"choice\" value=\"always\">Always allow this")
        .raw("</button></div></form></details>");
}

fn refuse_only(main: &mut Html, session: &Session, group: &Group<'_>) {
    form(main, session, group);
    main.raw("<div class=\"choices\"><button class=\"no\" name=\"choice\" value=\"deny\">Refuse")
        .raw("</button></div></form>");
}

fn everything(json: &str) -> String {
    let value: Result<Value, _> = serde_json::from_str(json);
    value.map_or_else(|_| redact::plain(json, usize::MAX), |value| redact::whole(&value))
}
