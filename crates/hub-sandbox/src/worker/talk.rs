//! The hub's side of the words with one worker, without a socket, a clock or a process: bytes of
//! the worker come in, what is to be done comes out. A fuzzer can be the worker.

use super::outbox::{Outbox, Taken};
use super::start;
use super::wire::{self, Inbox, broken, fault, order, say};
use hub_core::ports::{Delivery, Finish, GuestFault, GuestLimits, GuestSpec, Turn};

/// KiB that a worker has before it asks.
const FIRST_KIB: usize = 4 << 10;
/// Bytes beyond the heap's limit that a worker may ask for: what the allocator wastes, and an
/// order on its way in.
const SLACK: usize = 64 << 20;
/// Messages of one turn beyond its operations and one for each byte of its log: an honest worker
/// leaves out what nobody reads.
const MESSAGES: usize = 4_096;

/// What a worker has said, and what it may still say.
pub struct Talk {
    spec: GuestSpec,
    outbox: Outbox,
    inbox: Inbox,
    tools: Vec<Option<Vec<u8>>>,
    /// Bytes taken for it of what all guests share.
    held: usize,
    /// Bytes that it says it uses, as it came to rest.
    used: usize,
    /// Messages that it may still send in this turn.
    left: usize,
}

/// What came of the bytes so far.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// Nothing whole: more bytes are wanted.
    Part,
    /// The guest has come to rest.
    Rest,
    /// It waits for this order; so many bytes in all are to be held for it before.
    Wants { hold: usize, order: Vec<u8> },
}

impl Talk {
    /// With a worker that has not begun.
    pub fn new(spec: GuestSpec) -> Self {
        Self {
            outbox: Outbox::new(spec.limits),
            inbox: Inbox::default(),
            tools: vec![None; spec.namespaces.len()],
            held: 0,
            used: FIRST_KIB << 10,
            left: 0,
            spec,
        }
    }

    /// The guest's limits.
    pub fn limits(&self) -> &GuestLimits {
        &self.spec.limits
    }

    /// The order that starts the program.
    pub fn start(&self) -> Result<Vec<u8>, GuestFault> {
        let bytes = start::buffer(&self.spec)?;
        let operations = u32::try_from(self.limits().ops_per_turn).unwrap_or(u32::MAX);
        let mut payload = Vec::with_capacity(8 + bytes.len());
        payload.extend_from_slice(&operations.to_le_bytes());
        payload.extend_from_slice(&(FIRST_KIB as u32).to_le_bytes());
        payload.extend_from_slice(&bytes);
        Ok(payload)
    }

    /// A turn begins with an order of so many bytes; how many are to be held for the worker.
    pub fn begin(&mut self, payload: usize) -> usize {
        let limits = self.limits();
        self.left = limits.ops_per_turn.saturating_add(limits.log_bytes).saturating_add(MESSAGES);
        self.held = self.held.max(self.used.saturating_add(payload));
        self.held
    }

    /// Where the worker's next bytes go.
    pub fn room(&mut self) -> &mut Vec<u8> {
        self.inbox.room()
    }

    /// Takes in the next message that is there whole, and those after it that need no answer.
    pub fn hear(&mut self) -> Result<Heard, GuestFault> {
        while let Some(message) = self.inbox.message()? {
            let n = message.n as usize;
            match message.kind {
                say::REST => {
                    self.used = n.saturating_mul(1024);
                    let fits = self.used <= most(&self.spec.limits);
                    return if fits { Ok(Heard::Rest) } else { Err(broken()) };
                }
                say::TOOLS => return Ok(self.tools(n)),
                say::GROW => return self.grow(n),
                say::FAULT => return Err(ended(message.n, &self.spec.limits)),
                kind => match self.outbox.take(kind, message.n, message.head, message.body)? {
                    Taken::Yes => {}
                    // An honest worker refuses by the same measure and never sends it.
                    Taken::Refused => return Err(broken()),
                },
            }
            self.left = self.left.checked_sub(1).ok_or_else(broken)?;
        }
        Ok(Heard::Part)
    }

    /// The turn that has ended.
    pub fn take_turn(&mut self) -> Result<Turn, GuestFault> {
        self.outbox.take_turn()
    }

    /// What was said at the end.
    pub fn take_finish(&mut self) -> Finish {
        self.outbox.take_finish()
    }

    /// Names of the tools of a namespace, written once.
    fn tools(&mut self, index: usize) -> Heard {
        let mut more = 0;
        let bytes = match (self.spec.namespaces.get(index), self.tools.get_mut(index)) {
            (Some(namespace), Some(slot)) => slot.get_or_insert_with(|| {
                let bytes = start::tools(namespace);
                more = bytes.len();
                bytes
            }),
            _ => b"[]".as_slice(),
        };
        let order = wire::order(order::TOOLS, bytes);
        self.held = self.held.saturating_add(more);
        Heard::Wants { hold: self.held, order }
    }

    fn grow(&mut self, kilobytes: usize) -> Result<Heard, GuestFault> {
        // One that waits for nothing could ask for ever.
        if kilobytes == 0 {
            return Err(broken());
        }
        self.held = self.held.saturating_add(kilobytes.saturating_mul(1024));
        if self.held > most(self.limits()) {
            return Err(ended(fault::MEMORY, self.limits()));
        }
        let order = wire::order_head(order::GRANT, kilobytes).to_vec();
        Ok(Heard::Wants { hold: self.held, order })
    }
}

/// Why a worker says that it ends.
fn ended(why: u32, limits: &GuestLimits) -> GuestFault {
    match why {
        fault::MEMORY => GuestFault::Memory(limits.heap_bytes),
        fault::STACK => GuestFault::Stack,
        _ => GuestFault::Broken("the worker failed".into()),
    }
}

/// Bytes that a worker may hold.
fn most(limits: &GuestLimits) -> usize {
    limits.heap_bytes.saturating_add(SLACK)
}

/// The order that delivers something: its kind and its bytes.
pub fn delivered(delivery: &Delivery) -> Result<(u32, Vec<u8>), GuestFault> {
    let mut payload = Vec::new();
    match delivery {
        Delivery::Settle { n, outcome, at } => {
            let failure;
            let (ok, json) = match outcome {
                Ok(json) => (1u32, json.as_bytes()),
                Err(error) => {
                    failure = serde_json::to_vec(error)
                        .map_err(|error| GuestFault::Broken(error.to_string()))?;
                    (0, failure.as_slice())
                }
            };
            payload.reserve(16 + json.len());
            payload.extend_from_slice(&n.to_le_bytes());
            payload.extend_from_slice(&ok.to_le_bytes());
            payload.extend_from_slice(&(at.0 as f64).to_le_bytes());
            payload.extend_from_slice(json);
            Ok((order::SETTLE, payload))
        }
        Delivery::Fire { timer, at } => {
            payload.extend_from_slice(&timer.to_le_bytes());
            payload.extend_from_slice(&(at.0 as f64).to_le_bytes());
            Ok((order::FIRE, payload))
        }
    }
}
