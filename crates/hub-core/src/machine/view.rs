//! What the envelope and the timeline show of a pass.

use super::{Machine, State};
use crate::error::ToolErrorCode;
use crate::id::PendingId;
use crate::journal::{Event, OpIdentity, Outcome, Resend};
use std::collections::BTreeMap;

/// One call as the envelope shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallView {
    /// Its number.
    pub n: u32,
    /// `namespace.tool`.
    pub address: String,
    /// Whether it succeeded.
    pub ok: bool,
    /// Milliseconds from send to answer.
    pub ms: u64,
    /// Whether nobody knows if it took effect.
    pub unknown: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Settled {
    address: String,
    ok: bool,
    ms: u64,
    unknown: bool,
}

impl Settled {
    fn view(&self, n: u32) -> CallView {
        let Self { address, ok, ms, unknown } = self.clone();
        CallView { n, address, ok, ms, unknown }
    }
}

/// What the envelope shows of a settled operation: not what was refused for want of calls, and
/// no lookups.
fn shown(event: &Event) -> Option<(u32, Settled)> {
    let Event::Settled { op, outcome, ms, .. } = event else { return None };
    let code = match outcome {
        Outcome::Value(_) => None,
        Outcome::Error(error) => Some(error.code),
    };
    if code == Some(ToolErrorCode::LimitCalls) {
        return None;
    }
    let unknown = code == Some(ToolErrorCode::OutcomeUnknown);
    let settled = Settled { address: op.address.clone(), ok: code.is_none(), ms: *ms, unknown };
    Some((op.n, settled))
}

/// The calls of a run as its journal alone shows them: settled ones, and those that were sent
/// and may have taken effect.
pub fn calls_of(journal: &[Event]) -> Vec<CallView> {
    let mut calls: BTreeMap<u32, CallView> = BTreeMap::new();
    for event in journal {
        match event {
            Event::Intent { op, resend, .. } if *resend != Resend::Always => {
                let sent = Settled { address: op.address.clone(), ok: false, ms: 0, unknown: true };
                calls.insert(op.n, sent.view(op.n));
            }
            // The source answered, if only with a question.
            Event::Waits { op, .. } | Event::Asked { op, .. } => {
                calls.remove(&op.n);
            }
            Event::Settled { op, .. } => match shown(event) {
                Some((n, settled)) => drop(calls.insert(n, settled.view(n))),
                None => drop(calls.remove(&op.n)),
            },
            _ => {}
        }
    }
    calls.into_values().filter(|c| !c.address.starts_with("hub.")).collect()
}

impl Machine {
    pub(super) fn note_settled(&mut self, event: &Event) {
        self.settled.extend(shown(event));
    }

    pub(super) fn note_unknown(&mut self, op: &OpIdentity) {
        let settled = Settled { address: op.address.clone(), ok: false, ms: 0, unknown: true };
        self.settled.insert(op.n, settled);
    }

    /// The calls settled so far, in the order the program made them, and those on their way
    /// that may take effect.
    pub fn calls(&self) -> Vec<CallView> {
        let mut calls: Vec<CallView> = self
            .settled
            .iter()
            .filter(|(_, s)| !s.address.starts_with("hub."))
            .map(|(n, s)| s.view(*n))
            .collect();
        for (n, op) in &self.ops {
            if let State::InFlight { ticket, .. } = &op.state
                && ticket.resend != Resend::Always
            {
                let address = op.request.op.address.clone();
                calls.push(CallView { n: *n, address, ok: false, ms: 0, unknown: true });
            }
        }
        calls.sort_by_key(|c| c.n);
        calls
    }

    /// How many calls the program made, and how many of them were answered.
    pub fn counts(&self) -> (u32, u32) {
        let done = self.settled.values().filter(|s| !s.address.starts_with("hub.")).count();
        (self.calls, u32::try_from(done).unwrap_or(u32::MAX))
    }

    /// The pendings that are open, by call number.
    pub fn open_pendings(&self) -> Vec<(u32, PendingId)> {
        let open = self.ops.iter().filter_map(|(n, op)| match &op.state {
            State::Waiting(w) if w.choice.is_none() => Some((*n, w.pending.clone())),
            _ => None,
        });
        open.collect()
    }

    /// The ticket of a call that is on its way.
    pub fn ticket(&self, n: u32) -> Option<&super::Ticket> {
        match &self.ops.get(&n)?.state {
            State::InFlight { ticket, .. } => Some(ticket),
            _ => None,
        }
    }

    /// The source's state and the person's answer, where call `n` is to be continued.
    pub fn continuation(&self, n: u32) -> Option<(String, String, u32, PendingId)> {
        match &self.ops.get(&n)?.state {
            State::Waiting(w) => match (&w.asked, &w.choice) {
                (Some(asked), Some(crate::pending::Choice::Answer(answer))) => {
                    Some((asked.state.clone(), answer.clone(), asked.leg, w.pending.clone()))
                }
                _ => None,
            },
            _ => None,
        }
    }
}
