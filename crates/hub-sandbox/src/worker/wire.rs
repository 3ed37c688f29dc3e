//! The words between the hub and a worker: both directions are messages with a fixed head. The
//! hub believes nothing that comes from a worker: a head that announces too much, a text that is
//! no text, a kind that does not exist ends that worker and nothing else.

use hub_core::ports::GuestFault;

/// Bytes before each message of the worker: kind, `n`, length of the head, length of the body.
pub const HEAD: usize = 16;
/// Bytes before each order of the hub: kind, length.
pub const ORDER: usize = 8;
/// Bytes of one message's head and body together: the largest arguments, with room for names.
pub const MESSAGE_BYTES: usize = super::outbox::TURN_BYTES + (1 << 20);
/// Bytes of a message that is neither an operation nor the result: the prelude cuts earlier.
pub const SMALL_BYTES: usize = 2 << 20;

/// What a worker says beyond the guest's own messages (1 to 15).
pub mod say {
    /// The guest has come to rest, and holds `n` KiB.
    pub const REST: u32 = 0;
    /// It asks for the tools of namespace `n`.
    pub const TOOLS: u32 = 16;
    /// It asks for `n` more KiB of memory.
    pub const GROW: u32 = 17;
    /// It ends; `n` says why.
    pub const FAULT: u32 = 18;
}

/// Why a worker ends.
pub mod fault {
    /// The heap's limit.
    pub const MEMORY: u32 = 1;
    /// The stack's limit.
    pub const STACK: u32 = 2;
    /// Its own code failed.
    pub const CRASH: u32 = 3;
}

/// What the hub orders.
pub mod order {
    /// Start a program: operations per turn and granted KiB (u32 each), then the guest's start.
    pub const START: u32 = 1;
    /// An operation settled: number, whether it went well (u32 each), time (f64), JSON.
    pub const SETTLE: u32 = 2;
    /// A timer fired: number (u32), time (f64).
    pub const FIRE: u32 = 3;
    /// Say what is left.
    pub const FINISH: u32 = 4;
    /// The tools that were asked for.
    pub const TOOLS: u32 = 5;
    /// The memory that was asked for; the length is in KiB and no bytes follow.
    pub const GRANT: u32 = 6;
}

/// The head of a message.
pub fn head(kind: u32, n: u32, head: usize, body: usize) -> [u8; HEAD] {
    let length = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
    let mut out = [0; HEAD];
    for (slot, word) in out.chunks_exact_mut(4).zip([kind, n, length(head), length(body)]) {
        slot.copy_from_slice(&word.to_le_bytes());
    }
    out
}

/// The head of an order.
pub fn order_head(kind: u32, length: usize) -> [u8; ORDER] {
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    let mut out = [0; ORDER];
    out[..4].copy_from_slice(&kind.to_le_bytes());
    out[4..].copy_from_slice(&length.to_le_bytes());
    out
}

/// A whole order.
pub fn order(kind: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(ORDER + payload.len());
    bytes.extend_from_slice(&order_head(kind, payload.len()));
    bytes.extend_from_slice(payload);
    bytes
}

/// The `index`th word of a head.
pub fn word(head: &[u8], index: usize) -> u32 {
    let bytes = head.get(index * 4..index * 4 + 4).and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0, u32::from_le_bytes)
}

/// One message of a worker.
#[derive(Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// What kind.
    pub kind: u32,
    /// A number.
    pub n: u32,
    /// What it is about.
    pub head: &'a str,
    /// Its text.
    pub body: &'a str,
}

/// Bytes of a worker on their way to becoming messages.
#[derive(Debug, Default)]
pub struct Inbox {
    bytes: Vec<u8>,
    from: usize,
}

impl Inbox {
    /// Where the next bytes go.
    pub fn room(&mut self) -> &mut Vec<u8> {
        if self.from > 0 {
            self.bytes.drain(..self.from);
            self.from = 0;
        }
        &mut self.bytes
    }

    /// The next whole message, if it is here.
    pub fn message(&mut self) -> Result<Option<Message<'_>>, GuestFault> {
        let rest = &self.bytes[self.from..];
        let Some(start) = rest.get(..HEAD) else { return Ok(None) };
        let (kind, n) = (word(start, 0), word(start, 1));
        let (head, body) = (word(start, 2) as usize, word(start, 3) as usize);
        let size = head.saturating_add(body);
        if size > largest(kind) {
            return Err(broken());
        }
        let Some(text) = rest.get(HEAD..HEAD + size) else { return Ok(None) };
        self.from += HEAD + size;
        let (head, body) = text.split_at(head);
        let read = |bytes| std::str::from_utf8(bytes).map_err(|_| broken());
        Ok(Some(Message { kind, n, head: read(head)?, body: read(body)? }))
    }
}

/// Bytes that a message of this kind may have.
fn largest(kind: u32) -> usize {
    match kind {
        3..=7 | 11 => MESSAGE_BYTES,
        1..=15 => SMALL_BYTES,
        _ => 0,
    }
}

/// What ends a worker that breaks the protocol.
pub fn broken() -> GuestFault {
    GuestFault::Broken("the worker broke the protocol".into())
}
