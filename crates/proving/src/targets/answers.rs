//! JSON as a source answers it, into a program that hands it on as arguments.

use crate::native;
use hub_guest_vm::Vm;
use serde_json::{Number, Value};
use std::cell::RefCell;
use std::mem::ManuallyDrop;

/// Takes answers for ever and gives each back.
const PROGRAM: &str = "
    const next = demo.next, take = demo.take;
    for (;;) {
      let v;
      try { v = await next() } catch (e) { await take({ failed: e.code }); continue }
      try { await take([v]) } catch (e) { await take({ refused: e.message }) }
    }";
/// Answers after which a fresh guest is taken.
const TIMES: u32 = 5_000;
/// Bytes that are tried.
const BYTES: usize = 64 << 10;
/// Levels that a program may hand on, those of the list around it among them.
const DEPTH_OUT: usize = 64;
/// Levels that may come in.
const DEPTH_IN: usize = 128;
/// Integers up to here are exact in a program.
const EXACT: u64 = (1 << 53) - 1;
/// The number of a call among the messages.
const CALL: u32 = 3;

struct Loop {
    /// Freed by hand: at the thread's end what it stands on may be gone already.
    vm: ManuallyDrop<Vm>,
    next: u32,
    times: u32,
}

thread_local! {
    static LOOP: RefCell<Option<Loop>> = const { RefCell::new(None) };
}

/// Answers with `data`, and compares what the program hands on.
pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(&data[..data.len().min(BYTES)]).into_owned();
    let got: Value = serde_json::from_slice(&handed_on(&text)).expect("arguments are JSON");
    let depth = depth(&text);
    let failed = got.get("failed").and_then(Value::as_str);
    match serde_json::from_str::<Value>(&text) {
        Ok(value) => {
            if let Some(code) = failed {
                assert!(code == "bad_response" && depth > DEPTH_IN, "{code}");
            } else if let Some(why) = got.get("refused") {
                let deep = why.as_str().is_some_and(|why| why.contains("too deeply"));
                assert!(deep && depth >= DEPTH_OUT, "{why}");
            } else {
                assert!(same(&got[0], &expected(&value)), "{value} became {}", got[0]);
            }
        }
        // Two forms of JSON that only one of the two parsers takes: numbers beyond a double,
        // halves of surrogate pairs. Nesting is counted by both, in their own way.
        Err(error) => {
            let lenient = ["out of range", "surrogate", "hex escape", "recursion limit"];
            let known = lenient.iter().any(|part| error.to_string().contains(part));
            assert!(known || failed == Some("bad_response"), "{error}: {got}");
        }
    }
}

/// The arguments of the call that follows the answer.
fn handed_on(text: &str) -> Vec<u8> {
    LOOP.with_borrow_mut(|state| {
        if state.as_ref().is_none_or(|state| state.times >= TIMES) {
            if let Some(used) = state.take() {
                drop(ManuallyDrop::into_inner(used.vm));
            }
            let vm = ManuallyDrop::new(native::start(PROGRAM, u32::MAX));
            *state = Some(Loop { vm, next: 0, times: 0 });
        }
        let state = state.as_mut().expect("it was just set");
        let call = native::said().pop().expect("the program asks");
        assert_eq!((call.0, call.1, call.2.as_str()), (CALL, state.next, "demo.next"));
        state.vm.settle(state.next, true, text.as_bytes(), 0.0);
        let mut said = native::said();
        let (kind, n, head, body) = said.pop().expect("the program hands on");
        assert!(said.is_empty() && kind == CALL && head == "demo.take", "{kind} {head}");
        assert_eq!(n, state.next + 1);
        state.vm.settle(n, true, b"null", 0.0);
        state.next += 2;
        state.times += 1;
        body
    })
}

/// Levels of brackets outside of strings.
fn depth(text: &str) -> usize {
    let (mut depth, mut most, mut inside, mut escaped) = (0usize, 0, false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if inside => escaped = true,
            '"' => inside = !inside,
            '[' | '{' if !inside => depth += 1,
            ']' | '}' if !inside => depth = depth.saturating_sub(1),
            _ => {}
        }
        most = most.max(depth);
    }
    most
}

/// What a program holds after reading `value`.
fn expected(value: &Value) -> Value {
    match value {
        Value::Number(number) if is_wide(number) => Value::String(number.to_string()),
        Value::Array(items) => items.iter().map(expected).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(k, v)| (k.clone(), expected(v))).collect())
        }
        other => other.clone(),
    }
}

fn is_wide(number: &Number) -> bool {
    number.as_u64().is_some_and(|n| n > EXACT)
        || number.as_i64().is_some_and(|n| n.unsigned_abs() > EXACT)
}

/// Equal as JavaScript sees it: 1 and 1.0 are one number. An integer beyond 64 bits is read as a
/// double here and is a text there.
fn same(got: &Value, wanted: &Value) -> bool {
    match (got, wanted) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::String(a), Value::Number(b)) => a.parse::<f64>().ok() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| same(value, other)))
        }
        (a, b) => a == b,
    }
}
