//! The hub's side of the words with a worker that is no honest one.

use super::talk::{Heard, Talk};
use super::wire::{self, order, say};
use hub_core::ports::{GuestFault, GuestLimits, GuestSpec};
use hub_core::time::UnixMillis;
use std::sync::Arc;

fn talk() -> Talk {
    let limits = GuestLimits { heap_bytes: 1 << 20, ..GuestLimits::default() };
    let mut talk = Talk::new(GuestSpec {
        program: "return 1".into(),
        namespaces: Arc::from([]),
        seed: [0; 32],
        clock_start: UnixMillis(0),
        limits,
    });
    talk.begin(10);
    talk
}

fn hear(talk: &mut Talk, kind: u32, n: u32) -> Result<Heard, GuestFault> {
    talk.room().extend_from_slice(&wire::head(kind, n, 0, 0));
    talk.hear()
}

#[test]
fn messages_without_end_end_the_worker() {
    const LOG: u32 = 1;
    let mut talk = talk();
    let most = 100_000;
    let ended = (0..most).position(|_| hear(&mut talk, LOG, 0).is_err());
    assert!(ended.is_some_and(|at| at > 4_096 + hub_core::limits::LOG_BYTES), "{ended:?}");
}

#[test]
fn memory_is_given_up_to_the_limit_and_never_for_nothing() {
    let mut all = talk();
    assert!(hear(&mut all, say::GROW, 0).is_err());
    let mut some = talk();
    let mut held = 0;
    let refused = loop {
        match hear(&mut some, say::GROW, 1 << 10) {
            Ok(Heard::Wants { hold, order }) => {
                assert!(hold > held);
                held = hold;
                assert_eq!(wire::word(&order, 0), order::GRANT);
            }
            other => break other,
        }
    };
    assert_eq!(refused, Err(GuestFault::Memory(1 << 20)));
    assert!(held <= (1 << 20) + (64 << 20));
    assert!(hear(&mut talk(), say::GROW, u32::MAX).is_err());
}

#[test]
fn a_worker_cannot_rest_with_more_than_it_may_hold() {
    assert_eq!(hear(&mut talk(), say::REST, 1 << 10), Ok(Heard::Rest));
    assert!(hear(&mut talk(), say::REST, u32::MAX).is_err());
}

#[test]
fn tools_of_a_namespace_that_is_not_there_are_none() {
    let wanted = hear(&mut talk(), say::TOOLS, 7).unwrap();
    let Heard::Wants { order, .. } = wanted else { panic!("{wanted:?}") };
    assert_eq!(order, wire::order(order::TOOLS, b"[]"));
}
