//! The worker at work: takes orders, runs the guest, passes on what it says. Runs confined, in a
//! realm that no other program has seen, and ends with its one program.

use super::orders::Order;
use super::wire::{self, HEAD, fault, order, say};
use super::{line, memory, sys};
use crate::outbox::Meter;
use hub_guest_vm::{Host, Vm};
use std::cell::RefCell;

/// Bytes that are collected before they are written.
const BUFFER: usize = 64 << 10;

/// Unhandled rejections and notices that are told: the hub keeps fewer.
const TOLD: usize = 1_000;
/// Kinds of those messages.
const NOTICE: u32 = 12;
const UNHANDLED: u32 = 13;

/// What the guest said and the hub has not got yet.
struct Out {
    buffer: Vec<u8>,
    meter: Meter,
    /// Unhandled rejections and notices so far.
    told: usize,
}

thread_local! {
    static OUT: RefCell<Out> =
        const { RefCell::new(Out { buffer: Vec::new(), meter: Meter::new(0), told: 0 }) };
}

impl Out {
    fn send(&mut self, kind: u32, n: u32, head: &[u8], body: &[u8]) -> bool {
        let size = head.len() + body.len();
        if matches!(kind, 3..=7) && !self.meter.takes(size) {
            return false;
        }
        if matches!(kind, NOTICE | UNHANDLED) {
            self.told += 1;
            if self.told > TOLD {
                return true;
            }
        }
        if self.buffer.len() + HEAD + size > BUFFER {
            self.flush();
        }
        let start = wire::head(kind, n, head.len(), body.len());
        if HEAD + size > BUFFER {
            line::write(&start);
            line::write(head);
            line::write(body);
        } else {
            self.buffer.extend_from_slice(&start);
            self.buffer.extend_from_slice(head);
            self.buffer.extend_from_slice(body);
        }
        true
    }

    fn flush(&mut self) {
        line::write(&self.buffer);
        self.buffer.clear();
    }
}

/// A guest with the prelude in it, made once before the workers are forked.
pub fn guest() -> Result<Vm, String> {
    OUT.with_borrow_mut(|out| out.buffer.reserve_exact(BUFFER));
    hub_guest_vm::set_host(Host { send, tools });
    Vm::new()
}

fn send(kind: u32, n: u32, head: &[u8], body: &[u8]) -> bool {
    OUT.with_borrow_mut(|out| out.send(kind, n, head, body))
}

/// Asks the hub, which answers at once.
fn tools(index: u32) -> Vec<u8> {
    OUT.with_borrow_mut(|out| {
        out.send(say::TOOLS, index, b"", b"");
        out.flush();
    });
    match line::order_head() {
        (order::TOOLS, length) => body(length),
        _ => sys::end(),
    }
}

/// The bytes of an order; the hub took memory for them before it sent it.
fn body(length: usize) -> Vec<u8> {
    memory::make_room(length);
    let mut bytes = vec![0; length];
    line::read(&mut bytes);
    bytes
}

/// Runs one program to its end.
pub fn serve(mut vm: Vm) -> ! {
    let mut result_bytes = None;
    loop {
        let (kind, length) = line::order_head();
        let bytes = body(length);
        OUT.with_borrow_mut(|out| out.meter.next_turn());
        match (Order::read(kind, &bytes), result_bytes) {
            (Some(Order::Start { operations, granted, begin }), None) => {
                result_bytes = Some(begin.result_bytes as usize);
                OUT.with_borrow_mut(|out| out.meter = Meter::new(operations as usize));
                memory::limit(begin.heap_bytes as usize, (granted as usize).saturating_mul(1024));
                vm.start(&begin.start);
            }
            (Some(Order::Settle { n, ok, at, json }), Some(_)) => vm.settle(n, ok, json, at),
            (Some(Order::Fire { timer, at }), Some(_)) => vm.fire(timer, at),
            (Some(Order::Finish), Some(result_bytes)) => vm.finish(result_bytes),
            // Malformed, or before the start, or a second start.
            _ => sys::end_by(fault::CRASH),
        }
        OUT.with_borrow_mut(|out| {
            out.send(say::REST, memory::used_kib(), b"", b"");
            out.flush();
        });
    }
}
