//! Bytes between the hub and a worker, both ways: a worker that says anything to the hub, and a
//! hub that orders anything of a worker.

use super::protocol::orders::Order;
use super::protocol::outbox::Outbox;
use super::protocol::talk::{Heard, Talk, delivered};
use super::protocol::wire::{self, order};
use crate::choices::Choices;
use crate::native;
use hub_core::digest::Digest;
use hub_core::error::{ToolError, ToolErrorCode};
use hub_core::ports::{
    Delivery, Finish, GuestError, GuestFault, GuestLimits, GuestNamespace, GuestSpec, GuestTool,
    MainOutcome, Turn,
};
use hub_core::time::UnixMillis;
use std::sync::{Arc, LazyLock};

/// Bytes that a worker may hold beyond its heap, and the tools it may ask for.
const SLACK: usize = 65 << 20;
/// Bytes of one text of an error.
const ERROR_TEXT: usize = 32 << 10;
/// Orders given to one guest.
const ORDERS: usize = 12;
/// Programs that end by themselves, whatever they are answered.
const PROGRAMS: &[&str] = &[
    "return 1",
    "const r = await demo.next({ a: 1 }); return demo.take(r)",
    "setTimeout(() => console.log('fired'), 5); await new Promise(() => {})",
    "throw new ToolError('no', { code: 'denied', status: 'x' })",
    "console.log('x'.repeat(100)); console.table([{ a: 1 }]); return [1n, new Date(), NaN]",
    "return await Promise.allSettled([demo.next(), hub.search('a'), hub.describe([1]), demo.no()])",
    "demo.take({ floating: true }); return new Promise((_, no) => no(new TypeError('late')))",
    "let n = 0; while (n < 6) { try { await demo.next({ n }) } catch (e) { console.log(e) } n++ }",
    "const x = ; return",
    "return crypto.randomUUID() + Math.random() + Date.now()",
];

/// One of the two sides says what `data` makes up.
pub fn check(data: &[u8]) {
    let mut choices = Choices::new(data);
    if choices.below(16) == 15 {
        as_worker(&mut choices);
    } else {
        as_hub(&mut choices);
    }
}

fn limits() -> GuestLimits {
    GuestLimits {
        log_bytes: 64,
        ops_per_turn: 4,
        argument_bytes: 64,
        result_bytes: 64,
        heap_bytes: 1 << 20,
        ..GuestLimits::default()
    }
}

fn spec(program: &str) -> GuestSpec {
    static SPACES: LazyLock<Arc<[GuestNamespace]>> = LazyLock::new(|| {
        let tool = |name: &str| GuestTool {
            name: name.into(),
            raw: name.into(),
            definition: Digest::of(b""),
        };
        let tools = vec![tool("next"), tool("take")];
        Arc::from([GuestNamespace { name: "demo".into(), tools }])
    });
    GuestSpec {
        program: program.into(),
        namespaces: Arc::clone(&SPACES),
        seed: [5; 32],
        clock_start: UnixMillis(0),
        limits: limits(),
    }
}

/// The hub hears bytes of a worker.
fn as_hub(choices: &mut Choices<'_>) {
    let mut talk = Talk::new(spec("return 1"));
    assert!(talk.start().is_ok());
    let mut held = talk.begin(choices.below(1_000));
    let (mut logged, mut asked) = (0, 0);
    while !choices.is_empty() {
        let said = said(choices);
        let cut = 1 + choices.below(said.len().max(1));
        for part in said.chunks(cut) {
            talk.room().extend_from_slice(part);
            loop {
                match talk.hear() {
                    Ok(Heard::Part) => break,
                    Ok(Heard::Wants { hold, order }) => {
                        assert!(hold >= held && hold <= limits().heap_bytes + SLACK, "{hold}");
                        held = hold;
                        is_answer(&order);
                        asked += 1;
                        assert!(asked < 100_000);
                    }
                    Ok(Heard::Rest) => {
                        if choices.below(2) == 0 {
                            let finish = talk.take_finish();
                            logged += finish.logs.iter().map(|l| l.text.len()).sum::<usize>();
                            is_bounded(&finish);
                        } else {
                            let Ok(turn) = talk.take_turn() else { return };
                            logged += turn.logs.iter().map(|l| l.text.len()).sum::<usize>();
                            is_turn(&turn);
                        }
                        assert!(logged <= limits().log_bytes, "{logged} bytes of logs");
                        held = talk.begin(choices.below(1_000)).max(held);
                    }
                    Err(fault) => return is_end(&fault),
                }
            }
        }
    }
}

/// A message as a worker writes it, or nearly, or any bytes.
fn said(choices: &mut Choices<'_>) -> Vec<u8> {
    if choices.below(8) == 0 {
        let length = choices.below(40);
        return choices.take(length).to_vec();
    }
    let kind = u32::from(choices.byte() % 20);
    let n = u32::from(choices.byte()) << (choices.byte() % 32);
    let head = choices.below(20);
    let head = choices.take(head);
    let body = match choices.below(3) {
        0 => {
            let text = choices.below(60);
            let text = String::from_utf8_lossy(choices.take(text)).into_owned();
            let code = ["uncaught", "timeout", "unknown_tool", "x"][choices.below(4)];
            let tool = serde_json::json!({
                "code": code, "address": text, "hint": text, "retryable": true
            });
            let tool = if choices.below(2) == 0 { tool } else { serde_json::Value::Null };
            serde_json::json!({
                "name": text, "message": text, "stack": "at program:1:2", "code": code,
                "tool": tool
            })
            .to_string()
            .into_bytes()
        }
        1 => choices.below(40_000).to_string().into_bytes(),
        _ => {
            let length = choices.below(100);
            choices.take(length).to_vec()
        }
    };
    // What is announced is nearly what comes.
    let lie = if choices.below(16) == 0 { choices.below(100) } else { 0 };
    let mut bytes = wire::head(kind, n, head.len(), body.len() + lie).to_vec();
    bytes.extend_from_slice(head);
    bytes.extend_from_slice(&body);
    bytes
}

/// What the hub sends back is an order that a worker waits for.
fn is_answer(bytes: &[u8]) {
    let (kind, length) = (wire::word(bytes, 0), wire::word(bytes, 1) as usize);
    match kind {
        order::TOOLS => {
            let list = &bytes[wire::ORDER..];
            assert_eq!(list.len(), length);
            assert!(serde_json::from_slice::<Vec<[String; 2]>>(list).is_ok());
        }
        order::GRANT => assert!(bytes.len() == wire::ORDER && length > 0),
        other => panic!("order {other} was not asked for"),
    }
}

fn is_turn(turn: &Turn) {
    assert!(turn.ops.len() <= limits().ops_per_turn);
    if let Some(MainOutcome::Rejected(error)) = &turn.main {
        is_error(error);
    }
}

fn is_bounded(finish: &Finish) {
    assert!(finish.notices.len() <= hub_core::limits::NOTICES);
    finish.unhandled.iter().for_each(is_error);
    let Some(result) = &finish.result else { return };
    assert!(result.len() <= limits().result_bytes && result.len() <= finish.result_size);
    // All of it is here: nothing may be said to be missing.
    let is_whole = result.len() + 4 <= limits().result_bytes;
    assert!(!is_whole || result.len() == finish.result_size);
}

fn is_error(error: &GuestError) {
    let texts = [Some(&error.name), Some(&error.message), error.code.as_ref()];
    assert!(texts.into_iter().flatten().all(|text| text.len() <= ERROR_TEXT));
    let Some(tool) = &error.tool else { return };
    let texts = [Some(&tool.message), tool.address.as_ref(), tool.hint.as_ref()];
    assert!(texts.into_iter().flatten().all(|text| text.len() <= ERROR_TEXT));
}

/// A worker that says anything is ended; never the hub's fault, and never one that may go on.
fn is_end(fault: &GuestFault) {
    assert!(!matches!(fault, GuestFault::Busy | GuestFault::Lost | GuestFault::Cpu(_)), "{fault}");
    assert!(fault.to_string().len() <= 2 * ERROR_TEXT);
}

/// A worker hears bytes of the hub. What its guest says is what an honest one says.
fn as_worker(choices: &mut Choices<'_>) {
    let program = PROGRAMS[choices.below(PROGRAMS.len())];
    let mut vm = native::guest();
    let (mut outbox, mut result_bytes) = (Outbox::new(limits()), None);
    for _ in 0..ORDERS {
        let (kind, bytes) = ordered(choices, program, result_bytes.is_none());
        match (Order::read(kind, &bytes), result_bytes) {
            (Some(Order::Start { begin, .. }), None) => {
                // Only programs that end by themselves run without a wall.
                if !PROGRAMS.contains(&begin.start.program) {
                    return;
                }
                result_bytes = Some(begin.result_bytes as usize);
                vm.start(&begin.start);
            }
            (Some(Order::Settle { n, ok, at, json }), Some(_)) => vm.settle(n, ok, json, at),
            (Some(Order::Fire { timer, at }), Some(_)) => vm.fire(timer, at),
            (Some(Order::Finish), Some(bytes)) => vm.finish(bytes.min(limits().result_bytes)),
            // As in a worker: that is its end.
            _ => return,
        }
        for (kind, n, head, body) in native::said() {
            let body = std::str::from_utf8(&body).expect("the guest speaks UTF-8");
            if outbox.take(kind, n, &head, body).is_err() {
                // Limits of the order may be others than the hub's own.
                return;
            }
        }
        if outbox.take_turn().is_err() || choices.is_empty() {
            return;
        }
    }
}

/// An order as the hub gives it, with some of its bytes changed, or any bytes.
fn ordered(choices: &mut Choices<'_>, program: &str, first: bool) -> (u32, Vec<u8>) {
    let (kind, mut bytes) = if first {
        (order::START, Talk::new(spec(program)).start().expect("it can be said"))
    } else {
        let n = u32::from(choices.byte() % 8);
        let at = UnixMillis(i64::from(choices.byte()));
        let length = choices.below(80);
        let text = String::from_utf8_lossy(choices.take(length)).into_owned();
        let outcome = match choices.below(3) {
            0 => Err(ToolError::new(ToolErrorCode::Timeout, text)),
            1 => Ok(serde_json::json!([text]).to_string()),
            _ => Ok(text),
        };
        match choices.below(8) {
            0 => (order::FINISH, Vec::new()),
            1 | 2 => delivered(&Delivery::Fire { timer: n, at }).expect("it can be said"),
            _ => delivered(&Delivery::Settle { n, outcome, at }).expect("it can be said"),
        }
    };
    for _ in 0..choices.below(4) {
        let at = choices.below(bytes.len().max(1));
        match choices.below(3) {
            0 => bytes.truncate(at),
            _ => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = choices.byte()),
        }
    }
    let kind = if choices.below(16) == 0 { u32::from(choices.byte() % 8) } else { kind };
    (kind, bytes)
}
