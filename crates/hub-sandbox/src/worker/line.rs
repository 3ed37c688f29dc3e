//! The worker's one descriptor: its socket to the hub. Whole messages only, never a byte of
//! memory taken while one is written, because the allocator itself speaks here.

use super::sys;
use super::wire::{self, ORDER, order, say};
use rustix::io::Errno;

/// Fills `room`; a hub that is gone ends the worker.
pub fn read(room: &mut [u8]) {
    let mut at = 0;
    while at < room.len() {
        match rustix::io::read(rustix::stdio::stdin(), &mut room[at..]) {
            Ok(0) => sys::end(),
            Ok(count) => at += count,
            Err(Errno::INTR) => {}
            Err(_) => sys::end(),
        }
    }
}

/// Writes all of `bytes`.
pub fn write(bytes: &[u8]) {
    let mut at = 0;
    while at < bytes.len() {
        match rustix::io::write(rustix::stdio::stdin(), &bytes[at..]) {
            Ok(count) => at += count,
            Err(Errno::INTR) => {}
            Err(_) => sys::end(),
        }
    }
}

/// The head of the next order: its kind and its length.
pub fn order_head() -> (u32, usize) {
    let mut head = [0; ORDER];
    read(&mut head);
    (wire::word(&head, 0), wire::word(&head, 1) as usize)
}

/// Asks for memory and waits for it; the hub ends a worker that gets none.
pub fn grow(bytes: usize) -> usize {
    let kilobytes = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX);
    write(&wire::head(say::GROW, kilobytes, 0, 0));
    match order_head() {
        (order::GRANT, kilobytes) => kilobytes.saturating_mul(1024),
        _ => sys::end(),
    }
}
