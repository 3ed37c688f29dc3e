//! Reading the journal into a pass, and what happens where it ends: the frontier.

use super::{AskedState, Ending, Machine, Moment, State, Waiting};
use crate::digest::Digest;
use crate::error::{ToolError, ToolErrorCode};
use crate::id::PendingId;
use crate::journal::{Event, OpIdentity, Outcome, Resend};
use crate::limits;
use crate::pending::{Choice, PendingKind};
use crate::time::UnixMillis;
use std::collections::BTreeMap;

/// The journal's last word on an operation that it does not settle.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Note {
    /// Judge it (again).
    Judge,
    /// It was sent and nobody knows what became of it.
    Sent { resend: Resend, at: UnixMillis },
    /// It waits for a person.
    Waits { pending: PendingId },
    /// The source asked something; the answer goes back with this state.
    Asked { state: String, leg: u32, pending: Option<PendingId> },
}

/// A pending of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingState {
    /// Which.
    pub pending: PendingId,
    /// What was decided, if anything.
    pub choice: Option<Choice>,
    /// What the decision is bound to.
    pub digest: Digest,
    /// What a grant is bound to.
    pub scope: Digest,
    /// What was asked for.
    pub kind: PendingKind,
    /// Whether policy said `confirm` when it was asked.
    pub confirm: bool,
}

impl Machine {
    pub(super) fn read(
        &mut self,
        journal: Vec<Event>,
        pendings: impl IntoIterator<Item = PendingState>,
    ) {
        let mut used: BTreeMap<Digest, u32> = BTreeMap::new();
        let mut legs: BTreeMap<u32, u32> = BTreeMap::new();
        for event in journal {
            self.read_event(event, &mut used, &mut legs);
        }
        for state in pendings {
            if state.choice == Some(Choice::AllowRun) {
                self.grant(state.scope, state.pending.clone(), state.digest);
                let used = used.get(&state.scope).copied().unwrap_or(0);
                if let Some(grant) = self.grants.get_mut(&state.scope) {
                    grant.left = limits::GRANT_CALLS.saturating_sub(used);
                }
            }
            self.pendings.insert(state.pending.clone(), state);
        }
    }

    fn read_event(
        &mut self,
        event: Event,
        used: &mut BTreeMap<Digest, u32>,
        legs: &mut BTreeMap<u32, u32>,
    ) {
        let mut identify = |op: &OpIdentity| {
            self.identities.entry(op.n).or_insert_with(|| op.clone());
        };
        match &event {
            Event::Intent { op, granted, resend, leg, at, .. } => {
                identify(op);
                legs.insert(op.n, *leg);
                self.notes.insert(op.n, Note::Sent { resend: *resend, at: *at });
                if let Some(scope) = granted {
                    *used.entry(*scope).or_default() += 1;
                }
            }
            Event::Asked { op, state, .. } => {
                identify(op);
                let leg = legs.get(&op.n).copied().unwrap_or(0) + 1;
                let note = Note::Asked { state: state.clone(), leg, pending: None };
                self.notes.insert(op.n, note);
            }
            Event::Waits { op, pending, .. } => {
                identify(op);
                let note = match self.notes.remove(&op.n) {
                    Some(Note::Asked { state, leg, pending: None }) => {
                        Note::Asked { state, leg, pending: Some(pending.clone()) }
                    }
                    _ => Note::Waits { pending: pending.clone() },
                };
                self.notes.insert(op.n, note);
            }
            Event::Settled { op, .. } => {
                identify(op);
                self.notes.remove(&op.n);
                self.recorded.push_back(event);
            }
            Event::Fired { .. } => self.recorded.push_back(event),
            Event::Late { .. } | Event::Halted { .. } | Event::Resumed { .. } => {}
        }
    }

    /// The journal is used up: what it left open becomes live.
    pub(super) fn pass_frontier(&mut self, moment: Moment) {
        self.replaying = false;
        if let Some(&n) = self.notes.keys().next() {
            self.diverge(format!("operation {n} is in the journal and was not started"));
            return;
        }
        self.unsaved.events.push(Event::Resumed { at: moment.now });
        let open: Vec<u32> = self.ops.keys().copied().collect();
        for n in open {
            let Some(note) = self.ops.get_mut(&n).and_then(|op| op.note.take()) else { continue };
            match note {
                Note::Judge => {}
                Note::Sent { resend, at } => self.sent_before(n, resend, at, moment),
                Note::Waits { pending } => self.waited_before(n, pending, None),
                Note::Asked { state, leg, pending } => {
                    let asked = Some(AskedState { state, leg });
                    match pending {
                        Some(pending) => self.waited_before(n, pending, asked),
                        None => self.unknown(n, moment),
                    }
                }
            }
        }
    }

    fn sent_before(&mut self, n: u32, resend: Resend, at: UnixMillis, moment: Moment) {
        let again = match resend {
            Resend::Always => true,
            Resend::Shortly => moment.now.since(at) <= limits::RESEND_IDEMPOTENT_MS,
            Resend::Never => false,
        };
        if !again {
            self.unknown(n, moment);
        }
    }

    /// Nobody can say whether the call took effect; it is never sent again by us.
    pub(super) fn unknown(&mut self, n: u32, moment: Moment) {
        let address = self.request(n).map(|r| r.op.address.clone()).unwrap_or_default();
        self.settle(n, Outcome::Error(outcome_unknown(&address)), 0, moment);
    }

    fn waited_before(&mut self, n: u32, pending: PendingId, asked: Option<AskedState>) {
        let stood = self.pendings.get(&pending);
        if stood.is_some_and(|s| s.choice == Some(Choice::Withdrawn)) {
            return;
        }
        let waiting = Waiting {
            choice: stood.and_then(|s| s.choice.clone()),
            digest: stood.map(|s| s.digest),
            scope: stood.map(|s| s.scope),
            kind: stood.map_or(PendingKind::Approval, |s| s.kind),
            confirm: stood.is_some_and(|s| s.confirm),
            pending,
            asked,
        };
        if waiting.choice == Some(Choice::Expired) {
            self.ending.get_or_insert(Ending::Expired);
        }
        if let Some(op) = self.ops.get_mut(&n) {
            op.state = State::Waiting(waiting);
            op.note = Some(Note::Judge);
        }
    }
}

/// The failure a program sees where nobody knows whether its call took effect.
pub fn outcome_unknown(address: &str) -> ToolError {
    ToolError::new(
        ToolErrorCode::OutcomeUnknown,
        "the call was sent and its answer was lost; it may or may not have taken effect",
    )
    .at(address)
    .hint("Look at the current state with a read before doing anything again.")
}

/// Active milliseconds that a journal accounts for.
pub fn active_ms(journal: &[Event]) -> u64 {
    let active = journal.iter().map(|event| match event {
        Event::Settled { active, .. }
        | Event::Fired { active, .. }
        | Event::Halted { active, .. } => *active,
        _ => 0,
    });
    active.max().unwrap_or(0)
}
