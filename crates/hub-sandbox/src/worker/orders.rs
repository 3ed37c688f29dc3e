//! Orders of the hub, as a worker reads them: no socket and no memory of its own, so that a
//! fuzzer can be the hub.

use super::wire::{order, word};
use hub_guest_vm::Begin;

/// An order that a guest carries out.
pub enum Order<'a> {
    /// Start a program.
    Start {
        /// Operations of one turn.
        operations: u32,
        /// KiB that are granted at once.
        granted: u32,
        /// The program, and what it sees.
        begin: Begin<'a>,
    },
    /// An operation settled.
    Settle {
        /// Its number.
        n: u32,
        /// Whether it went well.
        ok: bool,
        /// What `Date` says from here on.
        at: f64,
        /// The answer.
        json: &'a [u8],
    },
    /// A timer fired.
    Fire {
        /// Its number.
        timer: u32,
        /// What `Date` says from here on.
        at: f64,
    },
    /// Say what is left.
    Finish,
}

impl<'a> Order<'a> {
    /// Reads one; none where it is malformed.
    pub fn read(kind: u32, bytes: &'a [u8]) -> Option<Self> {
        match kind {
            order::START => {
                let (numbers, rest) = bytes.split_at_checked(8)?;
                let (operations, granted) = (word(numbers, 0), word(numbers, 1));
                Some(Self::Start { operations, granted, begin: Begin::read(rest)? })
            }
            order::SETTLE => {
                let (numbers, rest) = bytes.split_at_checked(8)?;
                let (at, json) = rest.split_first_chunk::<8>()?;
                let (n, ok) = (word(numbers, 0), word(numbers, 1) != 0);
                Some(Self::Settle { n, ok, at: f64::from_le_bytes(*at), json })
            }
            order::FIRE => {
                let (timer, at) = bytes.split_at_checked(4)?;
                let at = f64::from_le_bytes(at.try_into().ok()?);
                Some(Self::Fire { timer: word(timer, 0), at })
            }
            order::FINISH => bytes.is_empty().then_some(Self::Finish),
            _ => None,
        }
    }
}
