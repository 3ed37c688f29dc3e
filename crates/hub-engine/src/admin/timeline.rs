//! A run's timeline: what happened when, without values.

use crate::api::TimelineEntry;
use hub_core::journal::{self, Event, Outcome};
use hub_core::pending::Pending;
use hub_core::run::RunRecord;
use hub_core::time::UnixMillis;

/// Journal and decisions in the order in which they happened.
pub(crate) fn read(
    record: &RunRecord,
    lines: &[Vec<u8>],
    pendings: &[Pending],
) -> Vec<TimelineEntry> {
    let mut out = vec![entry(record.created_at, "started", &record.client, "program sent")];
    match journal::read(lines.iter().map(Vec::as_slice)) {
        Ok(events) => out.extend(events.iter().map(describe)),
        Err(error) => {
            out.push(entry(record.changed_at, "unreadable", "journal", &error.to_string()));
        }
    }
    for pending in pendings {
        if let Some(decision) = &pending.decision {
            let choice = match &decision.choice {
                hub_core::pending::Choice::Answer(_) => "answered".to_owned(),
                other => format!("{other:?}").to_lowercase(),
            };
            let channel = format!("{:?}", decision.channel).to_lowercase();
            let text = format!("{choice} by {} through {channel}", decision.by);
            out.push(entry(decision.at, "decided", &pending.address, &text));
        }
    }
    if record.status.is_ended() {
        out.push(entry(record.changed_at, "ended", record.status.as_str(), ""));
    }
    out.sort_by_key(|e| e.at);
    out
}

fn describe(event: &Event) -> TimelineEntry {
    match event {
        Event::Intent { op, at, granted, leg, .. } => {
            let mut text = format!("call {} sent", op.n);
            if granted.is_some() {
                text.push_str(" under \"allow for this run\"");
            }
            if *leg > 0 {
                text.push_str(&format!(", continuation {leg}"));
            }
            entry(*at, "intent", &op.address, &text)
        }
        Event::Waits { op, at, .. } => {
            entry(*at, "waits", &op.address, &format!("call {} waits for a person", op.n))
        }
        Event::Settled { op, outcome, ms, at, .. } => {
            let text = match outcome {
                Outcome::Value(json) => format!("call {} answered, {} bytes", op.n, json.len()),
                Outcome::Error(error) => format!("call {} failed: {}", op.n, error.code.as_str()),
            };
            entry(*at, "settled", &op.address, &format!("{text}, {ms} ms"))
        }
        Event::Fired { timer, at, .. } => entry(*at, "timer", &timer.to_string(), "fired"),
        Event::Asked { op, at, .. } => {
            entry(*at, "asked", &op.address, &format!("call {}: the source asks", op.n))
        }
        Event::Late { n, at } => entry(*at, "late", &n.to_string(), "a late answer, not delivered"),
        Event::Halted { active, at } => {
            entry(*at, "halted", "", &format!("after {active} active ms"))
        }
        Event::Resumed { at } => entry(*at, "resumed", "", ""),
    }
}

fn entry(at: UnixMillis, kind: &str, subject: &str, text: &str) -> TimelineEntry {
    TimelineEntry { at, kind: kind.into(), subject: subject.into(), text: text.into() }
}
