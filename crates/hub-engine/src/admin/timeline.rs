//! A run's timeline: what happened when, without values.

use crate::api::TimelineEntry;
use hub_core::envelope::Status;
use hub_core::error::ToolErrorCode;
use hub_core::journal::{self, Event, Outcome, Resend};
use hub_core::pending::{Channel, Choice, Pending};
use hub_core::run::RunRecord;
use hub_core::time::UnixMillis;

/// Journal and decisions in the order in which they happened.
pub(crate) fn read(
    record: &RunRecord,
    lines: &[Vec<u8>],
    pendings: &[Pending],
) -> Vec<TimelineEntry> {
    let mut out = vec![(entry(record.created_at, "started", &record.client, "program sent"), None)];
    let events = journal::read(lines.iter().map(Vec::as_slice));
    match &events {
        Ok(events) => {
            for (i, event) in events.iter().enumerate() {
                let mut told = describe(event, events);
                if record.status != Status::Running && is_lost(event, &events[i + 1..]) {
                    told.text.push_str("; no answer came, and nobody knows whether it took effect");
                }
                let waits =
                    if let Event::Waits { pending, .. } = event { Some(pending) } else { None };
                out.push((told, waits));
            }
        }
        Err(error) => {
            out.push((entry(record.changed_at, "unreadable", "journal", &error.to_string()), None));
        }
    }
    for pending in pendings {
        let Some(told) = decided(pending) else { continue };
        // Behind its question, and before what was done on it in the same millisecond.
        let asked = out.iter().position(|(_, waits)| *waits == Some(&pending.id)).unwrap_or(0);
        let later = out[asked + 1..].iter().position(|(entry, _)| entry.at >= told.at);
        let place = later.map_or(out.len(), |later| asked + 1 + later);
        out.insert(place, (told, None));
    }
    if record.status.is_ended() {
        out.push((entry(record.changed_at, "ended", record.status.as_str(), ""), None));
    }
    let mut out: Vec<_> = out.into_iter().map(|(entry, _)| entry).collect();
    out.sort_by_key(|e| e.at);
    out
}

/// Who decided what, by which channel.
fn decided(pending: &Pending) -> Option<TimelineEntry> {
    let decision = pending.decision.as_ref()?;
    let choice = match &decision.choice {
        Choice::AllowOnce => "allowed once",
        Choice::AllowRun => "allowed for this run",
        Choice::AllowAlways => "allowed always",
        Choice::Deny => "denied",
        Choice::Connected => "connected",
        Choice::Answer(_) => "answered",
        Choice::Expired => "expired",
        Choice::Withdrawn => "withdrawn",
    };
    let text = match decision.channel {
        Channel::Hub => format!("{choice} by the hub"),
        Channel::Page => format!("{choice} by {} on the page", decision.by),
        Channel::Form => format!("{choice} by {} in a form", decision.by),
        Channel::Terminal => format!("{choice} by {} in a terminal", decision.by),
        Channel::Model => format!("{choice} by {} through the agent", decision.by),
    };
    Some(entry(decision.at, "decided", &pending.address, &text))
}

fn describe(event: &Event, all: &[Event]) -> TimelineEntry {
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
                Outcome::Error(error) if error.code == ToolErrorCode::OutcomeUnknown => format!(
                    "call {} has no known outcome: it was sent and may have taken effect",
                    op.n
                ),
                Outcome::Value(json) => format!("call {} answered, {} bytes", op.n, json.len()),
                Outcome::Error(error) => format!("call {} failed: {}", op.n, error.code.as_str()),
            };
            entry(*at, "settled", &op.address, &format!("{text}, {ms} ms"))
        }
        Event::Fired { timer, at, .. } => entry(*at, "timer", &timer.to_string(), "fired"),
        Event::Asked { op, at, .. } => {
            entry(*at, "asked", &op.address, &format!("call {}: the source asks", op.n))
        }
        Event::Late { n, at } => {
            let text = format!("call {n}: its answer came after it was given up, and was left");
            entry(*at, "late", address(*n, all), &text)
        }
        Event::Halted { active, at } => {
            entry(*at, "halted", "", &format!("at rest after {active} ms at work"))
        }
        Event::Resumed { at } => entry(*at, "resumed", "", "went on from its journal"),
    }
}

/// Whether an effect was sent and the journal says nothing more of it.
fn is_lost(event: &Event, later: &[Event]) -> bool {
    let Event::Intent { op, resend, .. } = event else { return false };
    let goes_on = |event: &Event| match event {
        Event::Settled { op: of, .. }
        | Event::Asked { op: of, .. }
        | Event::Waits { op: of, .. }
        | Event::Intent { op: of, .. } => of.n == op.n,
        _ => false,
    };
    *resend != Resend::Always && !later.iter().any(goes_on)
}

/// The tool of call `n`.
fn address(n: u32, all: &[Event]) -> &str {
    let settled = all.iter().find_map(|event| match event {
        Event::Settled { op, .. } if op.n == n => Some(op.address.as_str()),
        _ => None,
    });
    settled.unwrap_or_default()
}

fn entry(at: UnixMillis, kind: &str, subject: &str, text: &str) -> TimelineEntry {
    TimelineEntry { at, kind: kind.into(), subject: subject.into(), text: text.into() }
}
