//! What the envelope and the timeline show of a pass.

use super::{Machine, State};
use crate::error::ToolErrorCode;
use crate::id::PendingId;
use crate::journal::{Event, OpIdentity, Outcome, Resend};

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

impl Machine {
    pub(super) fn note_settled(&mut self, event: &Event) {
        let Event::Settled { op, outcome, ms, .. } = event else { return };
        if matches!(outcome, Outcome::Error(e) if e.code == ToolErrorCode::LimitCalls) {
            return;
        }
        let unknown =
            matches!(outcome, Outcome::Error(e) if e.code == ToolErrorCode::OutcomeUnknown);
        let ok = matches!(outcome, Outcome::Value(_));
        let settled = Settled { address: op.address.clone(), ok, ms: *ms, unknown };
        self.settled.insert(op.n, settled);
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
            .map(|(n, s)| CallView {
                n: *n,
                address: s.address.clone(),
                ok: s.ok,
                ms: s.ms,
                unknown: s.unknown,
            })
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
