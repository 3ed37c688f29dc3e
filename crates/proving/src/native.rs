//! The guest as driver B compiles it, in this process: fast enough to be asked a thousand times
//! a second. It has no wall around it; only texts of our own grammars run here.

use hub_guest_vm::{Host, Start, Vm};
use std::cell::RefCell;

/// A message: kind, number, head and body.
pub type Message = (u32, u32, String, Vec<u8>);

thread_local! {
    static SAID: RefCell<Vec<Message>> = const { RefCell::new(Vec::new()) };
}

fn send(kind: u32, n: u32, head: &[u8], body: &[u8]) -> bool {
    let head = std::str::from_utf8(head).expect("the guest speaks UTF-8").to_owned();
    SAID.with_borrow_mut(|said| said.push((kind, n, head, body.to_vec())));
    true
}

fn tools(_: u32) -> Vec<u8> {
    br#"[["next","next"],["take","take"]]"#.to_vec()
}

/// What was said since the last time.
pub fn said() -> Vec<Message> {
    SAID.with_borrow_mut(std::mem::take)
}

/// A fresh guest that has not begun.
pub fn guest() -> Vm {
    hub_guest_vm::set_host(Host { send, tools });
    said();
    Vm::new().expect("the prelude loads")
}

/// Starts a program that sees the namespace `demo` with the tools `next` and `take`.
pub fn start(program: &str, argument_bytes: u32) -> Vm {
    let mut vm = guest();
    vm.start(&Start {
        seed: [7; 32],
        clock: 0.0,
        log_bytes: 1_000,
        argument_bytes,
        namespaces: r#"["demo"]"#,
        program,
    });
    vm
}
