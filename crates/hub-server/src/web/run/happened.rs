//! How a run went: what came out of it, and its timeline.

use crate::web::html::{Badge, Html};
use crate::web::{ADDRESS, REASON};
use hub_core::envelope::ExecuteEnvelope;
use hub_core::pending::{Channel, Choice};
use hub_core::redact;
use hub_engine::RunDetail;

/// Result or error, then the timeline.
pub fn show(main: &mut Html, detail: &RunDetail) {
    outcome(main, detail);
    decided(main, detail);
    main.raw("<section><h2>What happened</h2><ol class=\"timeline\">");
    for entry in &detail.timeline {
        let (badge, words) = words(&entry.kind);
        main.raw("<li>");
        main.moment(entry.at);
        main.badge(badge, words.unwrap_or(&entry.kind));
        main.raw("<span class=\"what\">");
        if !entry.subject.is_empty() {
            main.raw("<code>").foreign(&entry.subject, ADDRESS).raw("</code> ");
        }
        // How long it computed helps nobody who has to decide.
        let text = if entry.kind == "halted" { "" } else { entry.text.as_str() };
        main.raw("<span class=\"quiet\">").foreign(text, REASON).raw("</span></span></li>");
    }
    main.raw("</ol></section>");
}

/// What was decided, by whom and how; also what nobody decided in time.
fn decided(main: &mut Html, detail: &RunDetail) {
    let decided = detail.pendings.iter().filter_map(|view| {
        let decision = view.pending.decision.as_ref()?;
        (decision.choice != Choice::Withdrawn).then_some((view, decision))
    });
    let mut decided = decided.peekable();
    if decided.peek().is_none() {
        return;
    }
    main.raw("<section><h2>Decided</h2><ul class=\"plainlist\">");
    for (view, decision) in decided {
        let (badge, words) = match &decision.choice {
            Choice::AllowOnce => (Badge::Good, "allowed once"),
            Choice::AllowRun => (Badge::Good, "allowed for this run"),
            Choice::AllowAlways => (Badge::Good, "always allowed"),
            Choice::Connected => (Badge::Good, "connected"),
            Choice::Answer(_) => (Badge::Good, "answered"),
            Choice::Deny => (Badge::Bad, "denied"),
            Choice::Expired | Choice::Withdrawn => (Badge::Bad, "expired"),
        };
        main.raw("<li>").badge(badge, words).raw(" <code>");
        main.foreign(&view.pending.address, ADDRESS).raw("</code> <span class=\"quiet\">");
        match (&decision.choice, decision.channel) {
            (Choice::Expired, _) => main.raw("nobody decided in time, nothing was sent"),
            (_, Channel::Page) => main.raw("on the hub’s page"),
            (_, Channel::Form) => main.raw("by a form of the client"),
            (_, Channel::Terminal) => main.raw("in a terminal: ").foreign(&decision.by, REASON),
            (_, Channel::Model) => main.raw("passed on by the agent"),
            (_, Channel::Hub) => main.raw("by the hub"),
        };
        main.raw(", ").moment(decision.at).raw("</span></li>");
    }
    main.raw("</ul></section>");
}

/// What the program gave back, shown as everything is: secrets hidden.
fn outcome(main: &mut Html, detail: &RunDetail) {
    if !detail.record.status.is_ended() {
        return;
    }
    let envelope = detail.record.envelope.as_deref();
    let envelope = envelope.and_then(|json| serde_json::from_str::<ExecuteEnvelope>(json).ok());
    let Some(envelope) = envelope else { return };
    if let Some(error) = &envelope.error {
        main.raw("<section><h2>Why it ended</h2><p class=\"warn\">")
            .foreign(&error.message, 2_000)
            .raw("</p>");
        if let Some(hint) = &error.hint {
            main.raw("<p class=\"quiet\">").foreign(hint, 2_000).raw("</p>");
        }
        main.raw("</section>");
    }
    if let Some(result) = envelope.result.as_ref().filter(|result| !result.is_null()) {
        let shown = redact::preview(result, redact::Limits::PAGE);
        main.raw("<section><h2>Its result</h2><pre tabindex=\"0\" role=\"region\" ")
            .raw("aria-label=\"The result\">")
            .text(&shown.text)
            .raw("</pre></section>");
    }
}

/// A kind of entry, for people.
fn words(kind: &str) -> (Badge, Option<&'static str>) {
    match kind {
        "started" => (Badge::Plain, Some("began")),
        "intent" => (Badge::Plain, Some("sent")),
        "settled" => (Badge::Good, Some("answered")),
        "waits" | "asked" => (Badge::Waits, Some("asked you")),
        "decided" => (Badge::Good, Some("decided")),
        "halted" => (Badge::Plain, Some("paused")),
        "resumed" => (Badge::Plain, Some("went on")),
        "late" => (Badge::Bad, Some("too late")),
        "timer" => (Badge::Plain, Some("timer")),
        "ended" => (Badge::Plain, Some("ended")),
        _ => (Badge::Plain, None),
    }
}
