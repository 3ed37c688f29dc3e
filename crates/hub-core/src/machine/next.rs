//! What to do next. The order of the checks is the order of the promises: deliver before
//! judging, judge before sending, send before waiting, and end only when nothing is left.

use super::replay::Note;
use super::{Action, Machine, Moment, State};
use crate::journal::{Event, Outcome, Resend};
use crate::ports::{Delivery, MainOutcome};

impl Machine {
    /// What the engine does next. Call again after every report.
    pub fn next(&mut self, moment: Moment) -> Action {
        if let Some(reason) = self.diverged.clone() {
            return self.leave(reason);
        }
        if self.lost {
            return self.without_guest();
        }
        if let Some(MainOutcome::Rejected(_)) = self.main {
            return self.wind_down(Action::Finish);
        }
        if self.replaying {
            if let Some(event) = self.recorded.pop_front() {
                return self.repeat(event);
            }
            self.pass_frontier(moment);
            if let Some(reason) = self.diverged.clone() {
                return self.leave(reason);
            }
        }
        if self.ending.is_some() {
            return self.wind_down(Action::Cancel);
        }
        if let Some(event) = self.ready.pop_front() {
            return self.deliver(event);
        }
        if let Some(action) = self.unjudged(moment) {
            return action;
        }
        let (calls, held_back) = self.sendable(moment);
        if !calls.is_empty() {
            return Action::Send(calls);
        }
        if let Some(event) = self.due_timer(moment) {
            return self.deliver(event);
        }
        self.rest(held_back)
    }

    /// What is on its way is waited for: a call that took effect must not become unknown.
    fn without_guest(&mut self) -> Action {
        if self.ending.is_some() {
            return self.wind_down(Action::Cancel);
        }
        match self.ops.values().any(|op| matches!(op.state, State::InFlight { .. })) {
            true => Action::Wait { until_active: None },
            false => Action::Interrupt,
        }
    }

    /// The program left its journal. What the journal holds did happen and is shown, also where
    /// this pass never came to it.
    fn leave(&mut self, reason: String) -> Action {
        for (n, note) in std::mem::take(&mut self.notes) {
            match note {
                Note::Waits { pending } => self.unsaved.withdrawn.push(pending),
                Note::Asked { pending, .. } => {
                    self.unsaved.withdrawn.extend(pending);
                    self.note_unknown_at(n);
                }
                Note::Sent { resend, .. } if resend != Resend::Always => self.note_unknown_at(n),
                Note::Sent { .. } | Note::Judge => {}
            }
        }
        self.wind_down(Action::Diverged(reason))
    }

    fn note_unknown_at(&mut self, n: u32) {
        if let Some(op) = self.identities.get(&n).cloned() {
            self.note_unknown(&op);
        }
    }

    /// The run is over: nothing more is sent or delivered; what is on its way is recorded.
    fn wind_down(&mut self, end: Action) -> Action {
        self.replaying = false;
        for event in std::mem::take(&mut self.recorded) {
            self.note_settled(&event);
        }
        self.ready.clear();
        let dropped: Vec<u32> = self
            .ops
            .iter()
            .filter(|(_, op)| !matches!(op.state, State::InFlight { .. }))
            .map(|(n, _)| *n)
            .collect();
        for n in dropped {
            let Some(op) = self.ops.remove(&n) else { continue };
            match (op.state, op.note) {
                (State::Waiting(waiting), _) => self.forget_pending(&waiting),
                (_, Some(Note::Waits { pending } | Note::Asked { pending: Some(pending), .. })) => {
                    self.unsaved.withdrawn.push(pending);
                }
                (_, Some(Note::Sent { resend, .. })) if resend != Resend::Always => {
                    self.note_unknown(&op.request.op);
                }
                _ => {}
            }
        }
        if self.ops.is_empty() { end } else { Action::Wait { until_active: None } }
    }

    /// The next delivery of the journal, which must be for something that is open.
    fn repeat(&mut self, event: Event) -> Action {
        match &event {
            Event::Settled { op, .. } => {
                if self.ops.remove(&op.n).is_none() {
                    self.diverge(format!(
                        "the journal answers operation {} ({}), which was not started",
                        op.n, op.address
                    ));
                }
                self.note_settled(&event);
            }
            Event::Fired { timer, .. } if self.timers.remove(timer).is_none() => {
                self.diverge(format!("the journal fires timer {timer}, which is not armed"));
            }
            _ => {}
        }
        if let Some(reason) = self.diverged.clone() {
            return self.leave(reason);
        }
        self.deliver(event)
    }

    fn deliver(&mut self, event: Event) -> Action {
        let delivery = match event {
            Event::Settled { op, outcome, at, active, .. } => {
                (self.at, self.active) = (at, active);
                let outcome = match outcome {
                    Outcome::Value(json) => Ok(json),
                    Outcome::Error(error) => Err(error),
                };
                Delivery::Settle { n: op.n, outcome, at }
            }
            Event::Fired { timer, at, active } => {
                (self.at, self.active) = (at, active);
                Delivery::Fire { timer, at }
            }
            _ => return Action::Diverged("an entry of the journal cannot be delivered".into()),
        };
        Action::Deliver(delivery)
    }

    /// The first operation that wants a judgement or a lookup.
    fn unjudged(&mut self, moment: Moment) -> Option<Action> {
        let (n, lookup, answer) = self.ops.iter().find_map(|(n, op)| match &op.state {
            State::New => Some((*n, op.request.lookup.is_some(), None)),
            State::Waiting(w) if op.note == Some(Note::Judge) => {
                Some((*n, false, w.asked.is_some().then(|| w.clone())))
            }
            _ => None,
        })?;
        if let Some(op) = self.ops.get_mut(&n) {
            op.note = None;
        }
        if let Some(waiting) = answer {
            return self.answer_source(n, waiting, moment);
        }
        Some(if lookup { Action::Lookup(n) } else { Action::Judge(n) })
    }

    /// A question of the source: its answer is sent as a continuation; until then it waits.
    fn answer_source(&mut self, n: u32, waiting: super::Waiting, moment: Moment) -> Option<Action> {
        match waiting.choice {
            None => self.unjudged(moment),
            Some(_) => Some(Action::Judge(n)),
        }
    }

    /// Calls that may go now, and whether one is held back because nobody waits.
    fn sendable(&mut self, moment: Moment) -> (Vec<u32>, bool) {
        let flying =
            self.ops.values().filter(|o| matches!(o.state, State::InFlight { .. })).count();
        let mut free = self.limits.in_flight.saturating_sub(flying);
        let (mut calls, mut held_back) = (Vec::new(), false);
        for (n, op) in &mut self.ops {
            let State::Queued(ticket) = &op.state else { continue };
            if ticket.resend != Resend::Always && !moment.attended {
                held_back = true;
                continue;
            }
            if free == 0 {
                break;
            }
            free -= 1;
            let ticket = ticket.clone();
            if ticket.resend != Resend::Always || ticket.decision.is_some() {
                self.unsaved.events.push(Event::Intent {
                    op: op.request.op.clone(),
                    digest: ticket.digest,
                    pending: ticket.decision.as_ref().map(|d| d.0.clone()),
                    granted: ticket.granted.then_some(ticket.scope),
                    resend: ticket.resend,
                    leg: ticket.leg,
                    at: moment.now,
                });
            }
            op.state = State::InFlight { ticket, since: moment.now };
            calls.push(*n);
        }
        (calls, held_back)
    }

    fn due_timer(&mut self, moment: Moment) -> Option<Event> {
        let (&timer, _) = self
            .timers
            .iter()
            .filter(|(_, due)| **due <= moment.active)
            .min_by_key(|(timer, due)| (**due, **timer))?;
        self.timers.remove(&timer);
        let at = self.later(moment.now);
        let event = Event::Fired { timer, at, active: moment.active };
        self.entries += 1;
        self.unsaved.events.push(event.clone());
        Some(event)
    }

    /// Nothing can be delivered, judged or sent.
    fn rest(&self, held_back: bool) -> Action {
        let until_active = self.timers.values().min().copied();
        if self.ops.values().any(|op| matches!(op.state, State::InFlight { .. })) {
            return Action::Wait { until_active };
        }
        if held_back {
            return Action::Interrupt;
        }
        if self.main.is_some() && self.ops.is_empty() {
            return Action::Finish;
        }
        if !self.ops.is_empty() {
            return Action::Park;
        }
        match until_active {
            Some(_) => Action::Wait { until_active },
            None => Action::Stall,
        }
    }
}
