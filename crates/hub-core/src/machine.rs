//! The machine of a run: pure, and the same for a live pass and a replayed one.
//!
//! A pass begins with the journal as it stands. The engine feeds the machine what happens (a
//! turn of the guest, a judgement, an answer, a decision) and asks [`Machine::next`] what to
//! do. The machine never waits, reads no clock and touches nothing: the simulator runs it as
//! the engine does.
//!
//! States of an operation, and who moves it:
//!
//! ```text
//!            guest                judged: refuse / answered
//!   (none) ─────────▶ New ───────────────────────────────────────▶ settled ─▶ delivered
//!                      │ judged: allow            ▲   ▲
//!                      ├──────────▶ Queued ──▶ InFlight │
//!                      │ judged: ask      ▲       │     │ decided: deny
//!                      └──────────▶ Waiting ◀─────┘     │
//!                                     │   (source asks) │
//!                                     └─────────────────┘
//! ```
//!
//! What is settled is delivered in the order in which it was settled, one at a time; that order
//! is the journal's. Only [`Action::Send`] lets a call out, and the engine commits the intents
//! in [`Machine::take_unsaved`] before it does.

mod input;
mod next;
mod replay;
mod view;

pub use input::{Answered, Judged, Ticket, WaitDraft};
pub use replay::{PendingState, active_ms, outcome_unknown};
pub use view::{CallView, calls_of};

use crate::canonical::NotCanonical;
use crate::digest::Digest;
use crate::id::PendingId;
use crate::journal::{Event, OpIdentity, Outcome};
use crate::limits;
use crate::pending::{Choice, PendingKind};
use crate::ports::{Delivery, LookupKind, MainOutcome};
use crate::time::UnixMillis;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// What the machine is told about the moment it is asked in.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Wall-clock time.
    pub now: UnixMillis,
    /// Milliseconds the run has been active, over all passes.
    pub active: u64,
    /// Whether a request waits on the run: without one no new effect is sent.
    pub attended: bool,
}

/// What the engine does next.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Give this to the guest, then report its turn.
    Deliver(Delivery),
    /// Judge this call by policy and schema as they are now, then report.
    Judge(u32),
    /// Answer this lookup, then report.
    Lookup(u32),
    /// Commit what is unsaved, then send these calls.
    Send(Vec<u32>),
    /// Nothing to do until something is answered or decided, or so much active time has passed.
    Wait {
        /// Active milliseconds at which the next timer is due.
        until_active: Option<u64>,
    },
    /// Everything left waits for a person: commit and let the guest go.
    Park,
    /// The next step is an effect and nobody waits: commit and let the guest go.
    Interrupt,
    /// Main waits for something that can never happen.
    Stall,
    /// Main has settled and nothing is left: read the end from the guest.
    Finish,
    /// A pending expired or a person ended the run: it is over.
    Cancel,
    /// The program did something else than the journal says. Nothing was sent in this pass.
    Diverged(String),
}

/// Ceilings the machine counts by.
#[derive(Clone, Copy, Debug)]
pub struct MachineLimits {
    /// Calls per run.
    pub calls: u32,
    /// Lookups per run.
    pub lookups: u32,
    /// Calls on their way at once.
    pub in_flight: usize,
    /// Pendings offered at once.
    pub offered: usize,
}

impl Default for MachineLimits {
    fn default() -> Self {
        Self {
            calls: limits::CALLS_PER_RUN,
            lookups: limits::LOOKUPS_PER_RUN,
            in_flight: limits::CALLS_IN_FLIGHT,
            offered: limits::PENDINGS_OFFERED,
        }
    }
}

/// What the guest asked for in one numbered operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Its identity.
    pub op: OpIdentity,
    /// The arguments, or why they cannot be sent.
    pub arguments: Result<Arguments, NotCanonical>,
    /// Set for `hub.search` and `hub.describe`.
    pub lookup: Option<LookupKind>,
}

/// Arguments that can be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments {
    /// As a value, to be checked.
    pub value: serde_json::Value,
    /// As canonical JSON: what is digested and what is sent.
    pub canonical: String,
}

/// Where an operation stands.
#[derive(Clone, Debug, PartialEq)]
enum State {
    /// To be judged (or looked up).
    New,
    /// Asked about, but as many pendings as may be offered are; judged again when one goes.
    Held,
    /// May go, as soon as there is a slot.
    Queued(Ticket),
    /// On its way.
    InFlight { ticket: Ticket, since: UnixMillis },
    /// Waits for a person.
    Waiting(Waiting),
}

#[derive(Clone, Debug, PartialEq)]
struct Waiting {
    pending: PendingId,
    kind: PendingKind,
    /// Whether policy said `confirm` when it was asked.
    confirm: bool,
    /// What the decision is bound to. `None` until judged in this pass.
    digest: Option<Digest>,
    scope: Option<Digest>,
    choice: Option<Choice>,
    /// For a question of the source: which continuation the answer belongs to.
    asked: Option<AskedState>,
}

/// A source's question inside a call.
#[derive(Clone, Debug, PartialEq)]
struct AskedState {
    state: String,
    leg: u32,
}

#[derive(Clone, Debug, PartialEq)]
struct Operation {
    request: Request,
    state: State,
    /// The journal's last word on it, until the frontier is passed.
    note: Option<replay::Note>,
}

/// Why a run ends before its program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nobody decided in time.
    Expired,
    /// A person ended it.
    Cancelled,
}

/// An "allow for this run".
#[derive(Clone, Debug, PartialEq)]
struct Grant {
    pending: PendingId,
    digest: Digest,
    left: u32,
}

/// One pass of a run.
#[derive(Debug)]
pub struct Machine {
    limits: MachineLimits,
    /// Deliveries of the journal that this pass has still to repeat.
    recorded: VecDeque<Event>,
    /// What the journal says of operations: identity by number.
    identities: BTreeMap<u32, OpIdentity>,
    notes: BTreeMap<u32, replay::Note>,
    replaying: bool,
    diverged: Option<String>,
    /// Started, not settled.
    ops: BTreeMap<u32, Operation>,
    next_op: u32,
    next_timer: u32,
    calls: u32,
    lookups: u32,
    /// Armed timers: active milliseconds at which each is due.
    timers: BTreeMap<u32, u64>,
    /// What `Date` says, and active milliseconds, at the last delivery.
    at: UnixMillis,
    active: u64,
    main: Option<MainOutcome>,
    /// Settled, not delivered.
    ready: VecDeque<Event>,
    unsaved: Unsaved,
    grants: HashMap<Digest, Grant>,
    pendings: HashMap<PendingId, PendingState>,
    ending: Option<Ending>,
    /// The guest is gone and the program is not at its end.
    lost: bool,
    /// Entries written in this pass, beside those repeated.
    entries: usize,
    /// Every call settled so far, for the envelope.
    settled: BTreeMap<u32, view::Settled>,
}

/// What the next commit has to hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unsaved {
    /// Journal entries, in order.
    pub events: Vec<Event>,
    /// Pendings that begin to wait.
    pub waits: Vec<(u32, WaitDraft)>,
    /// Pendings that nobody needs to decide any more.
    pub withdrawn: Vec<PendingId>,
}

impl Unsaved {
    /// Whether there is nothing to commit.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.waits.is_empty() && self.withdrawn.is_empty()
    }
}

impl Machine {
    /// Begins a pass. `pendings` are all the run ever had, in any order.
    pub fn begin(
        limits: MachineLimits,
        clock_start: UnixMillis,
        journal: Vec<Event>,
        pendings: impl IntoIterator<Item = PendingState>,
    ) -> Self {
        let mut machine = Self {
            limits,
            recorded: VecDeque::new(),
            identities: BTreeMap::new(),
            notes: BTreeMap::new(),
            replaying: !journal.is_empty(),
            diverged: None,
            ops: BTreeMap::new(),
            next_op: 0,
            next_timer: 0,
            calls: 0,
            lookups: 0,
            timers: BTreeMap::new(),
            at: clock_start,
            active: 0,
            main: None,
            ready: VecDeque::new(),
            unsaved: Unsaved::default(),
            grants: HashMap::new(),
            pendings: HashMap::new(),
            ending: None,
            lost: false,
            entries: 0,
            settled: BTreeMap::new(),
        };
        machine.read(journal, pendings);
        machine
    }

    /// Whether the pass is still repeating what the journal says.
    pub fn is_replaying(&self) -> bool {
        self.replaying
    }

    /// What the next commit has to hold; empty afterwards.
    pub fn take_unsaved(&mut self) -> Unsaved {
        std::mem::take(&mut self.unsaved)
    }

    /// What was taken and needs no commit of its own stays for the next one.
    pub fn put_back(&mut self, mut unsaved: Unsaved) {
        unsaved.events.append(&mut self.unsaved.events);
        unsaved.waits.append(&mut self.unsaved.waits);
        unsaved.withdrawn.append(&mut self.unsaved.withdrawn);
        self.unsaved = unsaved;
    }

    /// Entries that this pass adds to the journal.
    pub fn entries(&self) -> usize {
        self.entries
    }

    /// Whether a pending waits for its commit.
    pub fn has_unsaved_waits(&self) -> bool {
        !self.unsaved.waits.is_empty()
    }

    /// What the guest asked for in operation `n`, while it is open.
    pub fn request(&self, n: u32) -> Option<&Request> {
        self.ops.get(&n).map(|op| &op.request)
    }

    /// Why the run ends before its program does, once [`Action::Cancel`] came.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// A person ends the run: nothing more is sent, what is on its way is recorded.
    pub fn cancel(&mut self) {
        self.ending.get_or_insert(Ending::Cancelled);
    }

    /// The guest is gone, by nobody's fault: nothing more is delivered or sent in this pass, what
    /// is on its way is recorded, and another pass goes on.
    pub fn lose_guest(&mut self) {
        self.lost = true;
    }

    /// The pass ends and the run goes on later.
    pub fn halt(&mut self, moment: Moment) {
        self.unsaved.events.push(Event::Halted { active: moment.active, at: moment.now });
    }

    /// How main settled.
    pub fn main(&self) -> Option<&MainOutcome> {
        self.main.as_ref()
    }

    /// Settles an operation: into the journal, and into the queue towards the guest.
    fn settle(&mut self, n: u32, outcome: Outcome, ms: u64, moment: Moment) {
        let Some(op) = self.ops.remove(&n) else { return };
        if let State::Waiting(waiting) = &op.state {
            self.forget_pending(waiting);
        }
        let at = self.later(moment.now);
        let event = Event::Settled { op: op.request.op, outcome, ms, at, active: moment.active };
        self.note_settled(&event);
        self.entries += 1;
        self.unsaved.events.push(event.clone());
        self.ready.push_back(event);
    }

    /// A pending that is no longer needed: withdrawn where nobody has decided it.
    fn forget_pending(&mut self, waiting: &Waiting) {
        let drafted = self.unsaved.waits.len();
        self.unsaved.waits.retain(|(_, draft)| draft.id != waiting.pending);
        if waiting.choice.is_none() && self.unsaved.waits.len() == drafted {
            self.unsaved.withdrawn.push(waiting.pending.clone());
        }
    }

    /// Time for the guest never runs backwards.
    fn later(&self, now: UnixMillis) -> UnixMillis {
        let last = self.ready.back().map_or(self.at, event_at);
        now.max(last)
    }
}

fn event_at(event: &Event) -> UnixMillis {
    match event {
        Event::Settled { at, .. } | Event::Fired { at, .. } => *at,
        _ => UnixMillis(i64::MIN),
    }
}
