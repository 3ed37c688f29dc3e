//! The two things a guest can ask of its host. There is no third.

use std::cell::Cell;

/// What this crate says; 1 to 7 are the prelude's (`70-calls.js`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Say {
    /// Main returned.
    Fulfilled = 8,
    /// Main threw: `body` is the error.
    Rejected = 9,
    /// The program cannot be compiled: `body` is the error.
    Syntax = 10,
    /// The result: `n` is its whole size.
    Result = 11,
    /// Something was changed on the way to JSON; with `n` 1 a failed call that nobody awaited.
    Notice = 12,
    /// A rejection nobody looked at: `body` is the error.
    Unhandled = 13,
    /// The result has no JSON form: `body` says why.
    NotSerializable = 14,
    /// Our own code failed: `body` says how.
    Broken = 15,
}

/// The host's side.
#[derive(Clone, Copy)]
pub struct Host {
    /// Takes a message; false refuses it.
    pub send: fn(kind: u32, n: u32, head: &[u8], body: &[u8]) -> bool,
    /// The tools of a namespace as JSON: `[[name, raw], …]`.
    pub tools: fn(index: u32) -> Vec<u8>,
}

thread_local! {
    static HOST: Cell<Option<Host>> = const { Cell::new(None) };
}

/// Sets the host of this thread's guests.
pub fn set(host: Host) {
    HOST.set(Some(host));
}

/// Sends a message; false when the host refused it.
pub fn send(kind: u32, n: u32, head: &[u8], body: &[u8]) -> bool {
    HOST.get().is_some_and(|host| (host.send)(kind, n, head, body))
}

/// Says something that no host refuses.
pub fn say(kind: Say, n: u32, body: &[u8]) {
    send(kind as u32, n, b"", body);
}

/// The tools of a namespace.
pub fn tools(index: u32) -> Vec<u8> {
    HOST.get().map(|host| (host.tools)(index)).unwrap_or_default()
}
