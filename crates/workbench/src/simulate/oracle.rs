//! What must hold of every life, computed without the machine.

use super::world::Played;
use hub_core::envelope::Status;
use hub_core::journal::{Event, Outcome, Resend};
use hub_core::ports::{Delivery, Driver, GuestLimits, GuestSpec, MainOutcome};
use hub_testkit::{RustDriver, fixtures};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Something that must not be.
pub struct Fault {
    /// `doubled`, `lost` or `diverged`.
    pub kind: &'static str,
    /// What was seen.
    pub text: String,
}

/// Everything that must hold of one life.
pub fn check(played: &Played) -> Vec<Fault> {
    let mut faults = Vec::new();
    faults.extend(doubled(played));
    faults.extend(without_intent(played));
    match &played.envelope {
        Some(envelope) if envelope.status.is_ended() => faults.extend(replays(played)),
        _ => faults
            .push(Fault { kind: "lost", text: format!("the run never ended: {:?}", played.last) }),
    }
    faults
}

/// Tool and identifier of every call that the source received.
fn effects(played: &Played) -> Vec<(String, String)> {
    let received = played.received.iter().filter(|r| !matches!(r.tool.as_str(), "read" | "put"));
    received.map(|r| (r.tool.clone(), r.arguments.clone())).collect()
}

fn doubled(played: &Played) -> Vec<Fault> {
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for effect in effects(played) {
        *counts.entry(effect).or_default() += 1;
    }
    let twice = counts.into_iter().filter(|(_, n)| *n > 1);
    twice
        .map(|((tool, arguments), n)| Fault {
            kind: "doubled",
            text: format!("{tool} {arguments} was received {n} times"),
        })
        .collect()
}

/// An effect that the source received and the journal does not know: it could be sent again.
fn without_intent(played: &Played) -> Vec<Fault> {
    let intents = played
        .journal
        .iter()
        .filter(|e| matches!(e, Event::Intent { resend, .. } if *resend != Resend::Always));
    let written = intents.count();
    let put: BTreeSet<&str> =
        played.received.iter().filter(|r| r.tool == "put").map(|r| r.arguments.as_str()).collect();
    let sent = effects(played).len() + put.len();
    if sent <= written {
        return Vec::new();
    }
    let text = format!("{sent} effects were received, {written} intents are in the journal");
    vec![Fault { kind: "lost", text }]
}

/// The journal's deliveries, given to a fresh guest, must end as the envelope says.
fn replays(played: &Played) -> Vec<Fault> {
    let Some(envelope) = &played.envelope else { return Vec::new() };
    if envelope.error.as_ref().is_some_and(|e| e.code == "replay_diverged") {
        let text = envelope.error.as_ref().map(|e| e.message.clone()).unwrap_or_default();
        return vec![Fault { kind: "diverged", text }];
    }
    let (result, main) = repeat(played);
    let same = match (&main, envelope.status) {
        (Some(MainOutcome::Fulfilled), Status::Completed) => result == envelope.result,
        (Some(MainOutcome::Rejected(_)), Status::Failed) => true,
        _ => false,
    };
    if same {
        return Vec::new();
    }
    let text = format!(
        "the journal ends in {result:?} ({main:?}), the envelope says {:?} {:?} {:?}",
        envelope.status, envelope.result, envelope.error
    );
    vec![Fault { kind: "diverged", text }]
}

fn repeat(played: &Played) -> (Option<Value>, Option<MainOutcome>) {
    let driver = RustDriver::new();
    let program = played.program.clone();
    driver.program("program", move |api| program.clone().main(api));
    let spec = GuestSpec {
        program: "program".into(),
        namespaces: Vec::new().into(),
        seed: [0; 32],
        clock_start: fixtures::T0,
        limits: GuestLimits::default(),
    };
    let deliveries: Vec<Delivery> = played.journal.iter().filter_map(delivery).collect();
    let played = async {
        let (mut guest, turn) = driver.start(spec).await.ok()?;
        let mut main = turn.main;
        for delivery in deliveries {
            let turn = guest.deliver(delivery).await.ok()?;
            main = main.or(turn.main);
            if let Some(MainOutcome::Rejected(_)) = main {
                break;
            }
        }
        let finish = guest.finish().await.ok()?;
        let result = finish.result.and_then(|json| serde_json::from_str(&json).ok());
        Some((result, main))
    };
    futures_util::future::FutureExt::now_or_never(played).flatten().unwrap_or((None, None))
}

fn delivery(event: &Event) -> Option<Delivery> {
    match event {
        Event::Settled { op, outcome, at, .. } => {
            let outcome = match outcome {
                Outcome::Value(json) => Ok(json.clone()),
                Outcome::Error(error) => Err(error.clone()),
            };
            Some(Delivery::Settle { n: op.n, outcome, at: *at })
        }
        Event::Fired { timer, at, .. } => Some(Delivery::Fire { timer: *timer, at: *at }),
        _ => None,
    }
}

/// Two lives with the same deliveries in the same order must end alike.
pub fn differs(calm: &Played, other: &Played) -> Option<String> {
    if order(calm) != order(other) {
        return None;
    }
    let end = |p: &Played| p.envelope.as_ref().map(|e| (e.status, e.result.clone()));
    (end(calm) != end(other)).then(|| format!("{:?} became {:?}", end(calm), end(other)))
}

/// What was delivered in which order, without times.
fn order(played: &Played) -> Vec<String> {
    let mut out = Vec::new();
    for delivery in played.journal.iter().filter_map(delivery) {
        out.push(match delivery {
            Delivery::Settle { n, outcome, .. } => format!("{n} {outcome:?}"),
            Delivery::Fire { timer, .. } => format!("timer {timer}"),
        });
    }
    out
}
