//! What the machine is told: turns, judgements, answers, decisions.

use super::{Arguments, AskedState, Ending, Machine, Moment, Operation, Request, State, Waiting};
use crate::canonical;
use crate::digest::Digest;
use crate::error::{ToolError, ToolErrorCode};
use crate::id::PendingId;
use crate::journal::{Event, OpIdentity, Outcome, Resend};
use crate::pending::{Choice, PendingKind};
use crate::ports::{GuestOp, LookupKind, Turn};
use crate::time::UnixMillis;

/// What lets a call go.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticket {
    /// What decisions about the call are bound to.
    pub digest: Digest,
    /// What grants for the run are bound to.
    pub scope: Digest,
    /// Whether it may be sent again when its answer is lost.
    pub resend: Resend,
    /// The decision that lets it go, where policy asked: pending and the digest it is bound to.
    pub decision: Option<(PendingId, Digest)>,
    /// Whether that decision was an "allow for this run" of another call.
    pub granted: bool,
    /// Whether that decision was for a `confirm`.
    pub confirmed: bool,
    /// 0, then one more for each continuation.
    pub leg: u32,
    /// For a continuation: the source's state and the person's answer, both JSON text.
    pub continuation: Option<(String, String)>,
}

/// A pending to be.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitDraft {
    /// Its identifier.
    pub id: PendingId,
    /// What is asked for.
    pub kind: PendingKind,
    /// What a decision is bound to.
    pub digest: Digest,
    /// What a grant is bound to.
    pub scope: Digest,
    /// Whether policy says `confirm`: this call only, never by a grant.
    pub confirm: bool,
    /// For kind `input`: the source's `inputRequests` as JSON text.
    pub question: Option<String>,
}

/// What policy and schema say of a call now.
#[derive(Clone, Debug, PartialEq)]
pub enum Judged {
    /// It never leaves.
    Refuse(ToolError),
    /// It may go.
    Allow(Ticket),
    /// A person decides (or gives a credential).
    Ask {
        /// With what it would go.
        ticket: Ticket,
        /// The pending to make where none stands.
        draft: WaitDraft,
    },
}

/// What came back from a source.
#[derive(Clone, Debug, PartialEq)]
pub enum Answered {
    /// A value or a failure, for the guest.
    Outcome(Outcome),
    /// The source wants a credential and did nothing.
    WantsConnection(WaitDraft),
    /// The source asks the person something.
    Asks {
        /// To hand back.
        state: String,
        /// The pending to make.
        draft: WaitDraft,
    },
}

impl Machine {
    /// The guest came to rest.
    pub fn turn(&mut self, turn: &Turn, moment: Moment) {
        for op in &turn.ops {
            match op {
                GuestOp::Call { n, address, connection, arguments } => {
                    self.opened(request(*n, address, connection.clone(), arguments, None), moment);
                }
                GuestOp::Lookup { n, kind, arguments } => {
                    let address = match kind {
                        LookupKind::Search => "hub.search",
                        LookupKind::Describe => "hub.describe",
                    };
                    self.opened(request(*n, address, None, arguments, Some(*kind)), moment);
                }
                GuestOp::Timer { timer, ms } => {
                    if *timer != self.next_timer {
                        self.diverge(format!("timer {timer} started out of order"));
                    }
                    self.next_timer = timer + 1;
                    self.timers.insert(*timer, self.active + u64::from(*ms));
                }
                GuestOp::ClearTimer { timer } => {
                    self.timers.remove(timer);
                }
            }
        }
        if self.main.is_none() {
            self.main.clone_from(&turn.main);
        }
        if self.main.is_some() {
            self.timers.clear();
        }
    }

    fn opened(&mut self, request: Request, moment: Moment) {
        let n = request.op.n;
        if n != self.next_op {
            self.diverge(format!("operation {n} started out of order"));
            return;
        }
        self.next_op = n + 1;
        if let Some(recorded) = self.identities.get(&n)
            && *recorded != request.op
        {
            let reason = describe_difference(recorded, &request.op);
            self.diverge(reason);
            return;
        }
        let lookup = request.lookup.is_some();
        let note = self.notes.remove(&n);
        self.ops.insert(n, Operation { request, state: State::New, note });
        let (count, limit, what) = if lookup {
            self.lookups += 1;
            (self.lookups, self.limits.lookups, "lookups")
        } else {
            self.calls += 1;
            (self.calls, self.limits.calls, "tool calls")
        };
        if count > limit && !self.identities.contains_key(&n) {
            let message = format!("a run may make {limit} {what}; this is number {count}");
            let error = ToolError::new(ToolErrorCode::LimitCalls, message)
                .hint("Return what you have and go on in another run.");
            self.settle(n, Outcome::Error(error), 0, moment);
        }
    }

    /// A lookup was answered.
    pub fn looked_up(&mut self, n: u32, outcome: Outcome, moment: Moment) {
        self.settle(n, outcome, 0, moment);
    }

    /// A call was judged.
    pub fn judged(&mut self, n: u32, judged: Judged, moment: Moment) {
        let Some(op) = self.ops.get_mut(&n) else { return };
        let earlier = match std::mem::replace(&mut op.state, State::New) {
            State::Waiting(waiting) => Some(waiting),
            _ => None,
        };
        // A person's no holds whatever policy says by now.
        if let Some(waiting) = &earlier
            && waiting.choice == Some(Choice::Deny)
        {
            return self.denied(n, waiting.kind, moment);
        }
        match judged {
            Judged::Refuse(error) => {
                if let Some(waiting) = &earlier {
                    self.forget_pending(waiting);
                }
                self.settle(n, Outcome::Error(error), 0, moment);
            }
            Judged::Allow(ticket) => {
                if let Some(waiting) = &earlier {
                    self.forget_pending(waiting);
                    let moved = waiting.digest.is_some_and(|d| d != ticket.digest);
                    if ticket.continuation.is_some() && moved {
                        // The first leg was sent as somebody or something else.
                        return self.unknown(n, moment);
                    }
                }
                self.set(n, State::Queued(ticket));
            }
            Judged::Ask { ticket, draft } => self.asked(n, ticket, draft, earlier, moment),
        }
    }

    fn asked(
        &mut self,
        n: u32,
        mut ticket: Ticket,
        draft: WaitDraft,
        earlier: Option<Waiting>,
        moment: Moment,
    ) {
        if let Some(mut waiting) = earlier {
            let same = waiting.digest.is_none_or(|d| d == ticket.digest);
            if same && (waiting.confirm || !draft.confirm) {
                match waiting.choice.take() {
                    Some(Choice::Expired) => {
                        self.ending.get_or_insert(Ending::Expired);
                    }
                    // A credential was given, and the call still asks: a new question.
                    Some(Choice::Connected) => {
                        return self.wait(n, draft, None, moment.now);
                    }
                    Some(_) => {
                        ticket.confirmed = waiting.confirm;
                        ticket.decision = Some((waiting.pending, ticket.digest));
                        return self.set(n, State::Queued(ticket));
                    }
                    None => {
                        if !draft.confirm
                            && let Some(grant) = self.use_grant(&ticket)
                        {
                            self.forget_pending(&waiting);
                            return self.set(n, State::Queued(grant));
                        }
                        waiting.digest = Some(ticket.digest);
                        waiting.scope = Some(ticket.scope);
                    }
                }
                return self.set(n, State::Waiting(waiting));
            }
            // What was asked is no longer what would be sent.
            self.forget_pending(&waiting);
        }
        if !draft.confirm
            && let Some(ticket) = self.use_grant(&ticket)
        {
            return self.set(n, State::Queued(ticket));
        }
        if self.waiting() >= self.limits.offered {
            return self.set(n, State::Held);
        }
        self.wait(n, draft, None, moment.now);
    }

    fn denied(&mut self, n: u32, kind: PendingKind, moment: Moment) {
        let address = self.request(n).map(|r| r.op.address.clone()).unwrap_or_default();
        let (code, message) = match kind {
            PendingKind::Connection => {
                (ToolErrorCode::ConnectionRequired, "the user gave no credential for this source")
            }
            _ => (ToolErrorCode::Denied, "a person denied this call"),
        };
        let error = ToolError::new(code, message)
            .at(address)
            .hint("Do not try the same call again; go on without it or ask the user.");
        self.settle(n, Outcome::Error(error), 0, moment);
    }

    fn wait(&mut self, n: u32, draft: WaitDraft, asked: Option<AskedState>, now: UnixMillis) {
        let Some(op) = self.ops.get_mut(&n) else { return };
        self.unsaved.events.push(Event::Waits {
            op: op.request.op.clone(),
            pending: draft.id.clone(),
            at: now,
        });
        op.state = State::Waiting(Waiting {
            pending: draft.id.clone(),
            kind: draft.kind,
            confirm: draft.confirm,
            digest: Some(draft.digest),
            scope: Some(draft.scope),
            choice: None,
            asked,
        });
        self.unsaved.waits.push((n, draft));
    }

    fn use_grant(&mut self, ticket: &Ticket) -> Option<Ticket> {
        let grant = self.grants.get_mut(&ticket.scope).filter(|g| g.left > 0)?;
        grant.left -= 1;
        let decision = Some((grant.pending.clone(), grant.digest));
        Some(Ticket { decision, granted: true, ..ticket.clone() })
    }

    fn set(&mut self, n: u32, state: State) {
        if let Some(op) = self.ops.get_mut(&n) {
            op.state = state;
        }
    }

    /// The commit of a [`super::Action::Send`] was refused because what allowed the calls has
    /// changed: nothing was written, the calls are judged again.
    pub fn send_refused(&mut self, calls: &[u32], mut unsaved: super::Unsaved) {
        unsaved.events.retain(|e| !matches!(e, Event::Intent { op, .. } if calls.contains(&op.n)));
        self.put_back(unsaved);
        for n in calls {
            let Some(op) = self.ops.get_mut(n) else { continue };
            let State::InFlight { ticket, .. } = &op.state else { continue };
            let ticket = ticket.clone();
            op.state = State::New;
            if ticket.granted {
                if let Some(grant) = self.grants.get_mut(&ticket.scope) {
                    grant.left += 1;
                }
            } else if let Some((pending, digest)) = ticket.decision {
                // `confirm` is looked at again: a milder answer is asked for anew then.
                let (choice, asked) = match ticket.continuation {
                    Some((state, answer)) => {
                        (Choice::Answer(answer), Some(AskedState { state, leg: ticket.leg }))
                    }
                    None => (Choice::AllowOnce, None),
                };
                op.note = Some(super::replay::Note::Judge);
                op.state = State::Waiting(Waiting {
                    kind: match asked {
                        Some(_) => PendingKind::Input,
                        None => PendingKind::Approval,
                    },
                    confirm: ticket.confirmed,
                    pending,
                    digest: Some(digest),
                    scope: Some(ticket.scope),
                    choice: Some(choice),
                    asked,
                });
            }
        }
    }

    /// A source answered a call that was sent.
    pub fn answered(&mut self, n: u32, answer: Answered, moment: Moment) {
        let Some(op) = self.ops.get(&n) else { return };
        let State::InFlight { ticket, since } = &op.state else { return };
        let ms = u64::try_from(moment.now.since(*since)).unwrap_or(0);
        let leg = ticket.leg;
        match answer {
            Answered::Outcome(outcome) => self.settle(n, outcome, ms, moment),
            Answered::WantsConnection(draft) => self.wait(n, draft, None, moment.now),
            Answered::Asks { state, draft } => {
                let op = op.request.op.clone();
                self.unsaved.events.push(Event::Asked { op, state: state.clone(), at: moment.now });
                self.wait(n, draft, Some(AskedState { state, leg: leg + 1 }), moment.now);
            }
        }
    }

    /// An answer came to a call that was given up: recorded, for the person who wonders what
    /// became of it, and never delivered.
    pub fn late(&mut self, n: u32, moment: Moment) {
        if self.settled.contains_key(&n) {
            self.unsaved.events.push(Event::Late { n, at: moment.now });
        }
    }

    /// A person decided while the pass is on. Unknown pendings are ignored.
    pub fn decided(&mut self, pending: &PendingId, choice: Choice) {
        // Also where the pass has not come to the call yet.
        if let Some(stood) = self.pendings.get_mut(pending) {
            stood.choice.get_or_insert_with(|| choice.clone());
            let (scope, digest) = (stood.scope, stood.digest);
            if choice == Choice::AllowRun {
                self.grant(scope, pending.clone(), digest);
            }
        }
        let found = self.ops.iter().find_map(|(n, op)| match &op.state {
            State::Waiting(w) if w.pending == *pending => Some((*n, w.clone())),
            _ => None,
        });
        let Some((n, waiting)) = found else { return };
        if choice == Choice::AllowRun
            && let (Some(scope), Some(digest)) = (waiting.scope, waiting.digest)
        {
            self.grant(scope, pending.clone(), digest);
        }
        if let Some(Operation { state: State::Waiting(w), note, .. }) = self.ops.get_mut(&n) {
            w.choice = Some(choice.clone());
            // Policy, schema and account are looked at again before anything is sent.
            *note = Some(super::replay::Note::Judge);
        }
        if choice == Choice::Expired {
            self.ending.get_or_insert(Ending::Expired);
        }
        self.look_again();
    }

    /// Calls that a grant may now cover, or that may now be offered, are judged again.
    fn look_again(&mut self) {
        let scopes: Vec<Digest> = self.grants.keys().copied().collect();
        for op in self.ops.values_mut() {
            match &op.state {
                State::Held => op.state = State::New,
                State::Waiting(w)
                    if w.choice.is_none()
                        && w.asked.is_none()
                        && w.scope.is_some_and(|s| scopes.contains(&s)) =>
                {
                    op.note = Some(super::replay::Note::Judge);
                }
                _ => {}
            }
        }
    }

    pub(super) fn grant(&mut self, scope: Digest, pending: PendingId, digest: Digest) {
        let left = crate::limits::GRANT_CALLS;
        self.grants.entry(scope).or_insert(super::Grant { pending, digest, left });
    }

    pub(super) fn diverge(&mut self, reason: String) {
        self.diverged.get_or_insert(reason);
    }

    /// How many calls wait for a person and are offered.
    pub(super) fn waiting(&self) -> usize {
        self.ops.values().filter(|op| matches!(op.state, State::Waiting(_))).count()
    }
}

/// A numbered operation. Arguments that are not canonical JSON are refused when they are judged;
/// until then their bytes identify them.
fn request(
    n: u32,
    address: &str,
    connection: Option<String>,
    text: &str,
    lookup: Option<LookupKind>,
) -> Request {
    let arguments = canonical::parse_strict(text).map(|value| {
        let canonical = canonical::to_jcs(&value);
        Arguments { value, canonical }
    });
    let bytes = arguments.as_ref().map_or(text, |a| &a.canonical).as_bytes();
    let arguments_digest = Digest::of(bytes);
    let address = address.to_owned();
    let op = OpIdentity { n, address, connection, arguments: arguments_digest };
    Request { op, arguments, lookup }
}

fn describe_difference(recorded: &OpIdentity, now: &OpIdentity) -> String {
    let n = recorded.n;
    if recorded.address != now.address {
        return format!(
            "operation {n} was {} and is now {}: the program took another way",
            recorded.address, now.address
        );
    }
    if recorded.connection != now.connection {
        return format!("operation {n} ({}) asks for another connection", now.address);
    }
    format!(
        "operation {n} ({}) has other arguments: digest {} was recorded, {} came",
        now.address, recorded.arguments, now.arguments
    )
}
