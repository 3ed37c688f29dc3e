//! What must hold of every life, computed without the machine.

use super::source::{NAME, REPEATABLE};
use super::world::Played;
use hub_core::digest::Digest;
use hub_core::envelope::Status;
use hub_core::id::PendingId;
use hub_core::journal::{Event, Outcome, Resend};
use hub_core::limits;
use hub_core::machine::active_ms;
use hub_core::pending::Choice;
use hub_core::ports::{Delivery, Driver, GuestLimits, GuestSpec, MainOutcome};
use hub_testkit::upstream::Received;
use hub_testkit::{RustDriver, fixtures};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::PoisonError;

/// Something that must not be.
pub struct Fault {
    /// `doubled`, `lost`, `diverged` or `unasked`.
    pub kind: &'static str,
    /// What was seen.
    pub text: String,
}

/// Everything that must hold of one life.
pub fn check(played: &Played) -> Vec<Fault> {
    let mut faults = Vec::new();
    faults.extend(doubled(played));
    faults.extend(without_intent(played));
    faults.extend(without_receipt(played));
    faults.extend(unasked(played));
    faults.extend(played.deeds.faults().into_iter().map(|f| fault("doubled", f)));
    match &played.envelope {
        Some(envelope) if envelope.status.is_ended() => {
            faults.extend(replays(played));
            faults.extend(left_open(played));
        }
        _ => faults.push(fault("lost", format!("the run never ended: {:?}", played.last))),
    }
    faults
}

fn fault(kind: &'static str, text: String) -> Fault {
    Fault { kind, text }
}

/// What makes two calls one effect: tool, arguments, and the question it continues.
type Effect<'a> = (&'a str, &'a str, Option<&'a str>);

fn effect(received: &Received) -> Effect<'_> {
    let asked = received.continuation.as_ref().and_then(|c| c.request_state.as_deref());
    (&received.tool, &received.arguments, asked)
}

/// No effect reaches its source twice, unless the source refused it the first time.
fn doubled(played: &Played) -> Vec<Fault> {
    let refused = played.refused.lock().unwrap_or_else(PoisonError::into_inner);
    let mut counts: BTreeMap<Effect<'_>, usize> = BTreeMap::new();
    for received in played.received.iter().filter(|r| !REPEATABLE.contains(&r.tool.as_str())) {
        *counts.entry(effect(received)).or_default() += 1;
    }
    let may = |(tool, arguments, _): &Effect<'_>| match *tool {
        "locked" => 1 + refused.get(*arguments).copied().unwrap_or(0),
        _ => 1,
    };
    let twice = counts.iter().filter(|(effect, n)| **n > may(effect));
    twice.map(|(effect, n)| fault("doubled", format!("{effect:?} received {n} times"))).collect()
}

/// Every effect that the source received has its intent in the journal: it cannot be sent again.
fn without_intent(played: &Played) -> Vec<Fault> {
    let intents: BTreeSet<(&str, Digest)> = played
        .journal
        .iter()
        .filter_map(|e| match e {
            Event::Intent { op, resend, .. } if *resend != Resend::Always => {
                Some((op.address.as_str(), op.arguments))
            }
            _ => None,
        })
        .collect();
    let sent = played.received.iter().filter(|r| !matches!(r.tool.as_str(), "read" | "page"));
    sent.filter(|r| {
        let address = format!("{NAME}.{}", r.tool);
        !intents.contains(&(address.as_str(), Digest::of(r.arguments.as_bytes())))
    })
    .map(|r| fault("lost", format!("{:?} was received without an intent", effect(r))))
    .collect()
}

/// Every value that the program was given came from the source.
fn without_receipt(played: &Played) -> Vec<Fault> {
    let received: BTreeSet<(String, Digest)> = played
        .received
        .iter()
        .map(|r| (format!("{NAME}.{}", r.tool), Digest::of(r.arguments.as_bytes())))
        .collect();
    let given = played.journal.iter().filter_map(|e| match e {
        Event::Settled { op, outcome: Outcome::Value(_), .. } => Some(op),
        _ => None,
    });
    given
        .filter(|op| !op.address.starts_with("hub."))
        .filter(|op| !received.contains(&(op.address.clone(), op.arguments)))
        .map(|op| fault("lost", format!("{op:?} has a value that no source gave")))
        .collect()
}

/// A call that policy asks about was let go by a person, who saw that call or granted its tool.
fn unasked(played: &Played) -> Vec<Fault> {
    if played.deeds.always() {
        return Vec::new();
    }
    let pendings: HashMap<&PendingId, _> = played.pendings.iter().map(|p| (&p.id, p)).collect();
    let mut granted: BTreeMap<Digest, u32> = BTreeMap::new();
    let mut faults = Vec::new();
    for event in &played.journal {
        let Event::Intent { op, digest, pending, granted: grant, .. } = event else { continue };
        if op.address != "demo.ask" {
            continue;
        }
        let decided = pending.as_ref().and_then(|p| pendings.get(p)).and_then(|p| {
            let choice = p.decision.as_ref().map(|d| &d.choice)?;
            Some((p.digest, p.scope, choice))
        });
        let allowed = match (decided, grant) {
            (Some((_, scope, Choice::AllowRun)), Some(grant)) => {
                let used = granted.entry(*grant).or_default();
                *used += 1;
                scope == *grant && *used <= limits::GRANT_CALLS
            }
            (Some((seen, _, choice)), None) => seen == *digest && choice.allows(),
            _ => false,
        };
        if !allowed {
            faults.push(fault("unasked", format!("{event:?} was sent under {decided:?}")));
        }
    }
    faults
}

/// Nothing of an ended run waits for a person.
fn left_open(played: &Played) -> Vec<Fault> {
    let open = played.pendings.iter().filter(|p| p.decision.is_none());
    open.map(|p| fault("lost", format!("{} waits though its run has ended", p.id))).collect()
}

/// The journal's deliveries, given to a fresh guest, must end as the envelope says.
fn replays(played: &Played) -> Vec<Fault> {
    let Some(envelope) = &played.envelope else { return Vec::new() };
    if envelope.error.as_ref().is_some_and(|e| e.code == "replay_diverged") {
        let text = envelope.error.as_ref().map(|e| e.message.clone()).unwrap_or_default();
        return vec![fault("diverged", text)];
    }
    let (result, main) = repeat(played);
    let same = match (&main, envelope.status) {
        (Some(MainOutcome::Fulfilled), Status::Completed) => result == envelope.result,
        (Some(MainOutcome::Rejected(_)), Status::Failed) => true,
        (_, Status::Cancelled) => true,
        (None, Status::Failed) => timed_out(played) || never_began(played),
        _ => false,
    };
    if same {
        return Vec::new();
    }
    let text = format!(
        "the journal ends in {result:?} ({main:?}), the envelope says {:?} {:?} {:?}",
        envelope.status, envelope.result, envelope.error
    );
    vec![fault("diverged", text)]
}

/// Whether there was no room for its very first pass: the power took the run that the machine's
/// bad day was meant for, and met the next one.
fn never_began(played: &Played) -> bool {
    let error = played.envelope.as_ref().and_then(|e| e.error.as_ref());
    error.is_some_and(|e| e.code == "busy") && played.journal.is_empty()
}

/// Whether the run ended because it was active for as long as a run may be: sources that answer
/// after a minute, or not at all, take it there.
fn timed_out(played: &Played) -> bool {
    let error = played.envelope.as_ref().and_then(|e| e.error.as_ref());
    let last_call = limits::ACTIVE_MS - limits::CALL_TIMEOUT_MS;
    error.is_some_and(|e| e.code == "limit_time") && active_ms(&played.journal) >= last_call
}

fn repeat(played: &Played) -> (Option<Value>, Option<MainOutcome>) {
    let driver = RustDriver::new();
    let program = played.program.clone();
    driver.program("program", move |api| program.clone().main(api));
    let spec = GuestSpec {
        program: "program".into(),
        namespaces: Vec::new().into(),
        seed: [0; 32],
        clock_start: played.clock_start.unwrap_or(fixtures::T0),
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
    let end = |p: &Played| {
        let envelope = p.envelope.as_ref().filter(|e| e.status != Status::Cancelled)?;
        Some((envelope.status, envelope.result.clone().map(without_dates)))
    };
    let (calm, other) = (end(calm)?, end(other)?);
    (calm != other).then(|| format!("{calm:?} became {other:?}"))
}

/// The clock goes on while a hub is dead, and only the clock.
fn without_dates(value: Value) -> Value {
    match value {
        Value::Array(all) => {
            let dated = |v: &Value| v.as_object().is_some_and(|o| o.contains_key("date"));
            all.into_iter().filter(|v| !dated(v)).collect()
        }
        other => other,
    }
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
