//! Values of every kind as a program returns them, and as arguments of a call.

use crate::choices::Choices;
use crate::grammar::Grammar;
use crate::native;
use serde_json::Value;
use std::sync::LazyLock;

static VALUES: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::read(include_str!("../../grammars/values.txt")));

/// Bytes of a result that are kept, so that the cut is tried too.
const RESULT_BYTES: usize = 2_000;
/// Bytes of arguments.
const ARGUMENT_BYTES: u32 = 1_000;
/// Lists of three inside one another: each makes the value three times as large, and here no wall
/// stands around the guest.
const TRIPLED: usize = 7;
/// Levels of JSON that leave a program.
const DEPTH_OUT: usize = 64;

/// Makes a value from `data`; it is returned, sent as arguments, and, where it is plain, compared
/// with what the language's own JSON makes of it.
pub fn check(data: &[u8]) {
    let mut choices = Choices::new(data);
    let plain = choices.below(2) == 0;
    let value = VALUES.text(if plain { "plain" } else { "value" }, &mut choices, 2_000);
    if value.matches("length: 3").count() > TRIPLED {
        return;
    }
    let program = format!(
        "const make = () => ({value});
         let sent; try {{ sent = make() }} catch {{ sent = null }}
         demo.take(sent).catch((e) => console.log(e.code));
         return sent"
    );
    let mut vm = native::start(&program, ARGUMENT_BYTES);
    let asked = native::said();
    assert!(asked.iter().all(|m| m.0 != 10), "{value} is no expression: {asked:?}");
    let call = asked.iter().find(|m| m.0 == 3);
    if let Some((.., body)) = call {
        assert!(body.len() <= ARGUMENT_BYTES as usize);
        json(body, &value);
    }
    vm.finish(RESULT_BYTES);
    let said = native::said();
    assert!(said.iter().all(|m| m.0 != 15), "{said:?}");
    let Some((_, size, _, body)) = said.iter().find(|m| m.0 == 11) else {
        // Main threw, never settled, or the value has no form.
        return;
    };
    std::str::from_utf8(body).expect("results are text");
    assert!(body.len() <= RESULT_BYTES);
    if *size as usize == body.len() {
        let result = json(body, &value);
        assert!(depth(&result) <= DEPTH_OUT + 1, "{value}");
        if let (true, Some((.., sent))) = (plain, call) {
            assert_eq!(body, sent, "one value has one form: {value}");
        }
    } else {
        assert!(*size as usize > RESULT_BYTES, "{size} bytes, {} kept", body.len());
    }
    if plain {
        compare(&value);
    }
}

/// A plain value is what `JSON.stringify` says.
fn compare(value: &str) {
    let program = format!("return JSON.stringify({value})");
    let mut vm = native::start(&program, ARGUMENT_BYTES);
    vm.finish(1 << 20);
    let said = native::said();
    let own = said.iter().find(|m| m.0 == 11).map(|m| json(&m.3, value));
    let program = format!("return {value}");
    let mut vm = native::start(&program, ARGUMENT_BYTES);
    vm.finish(1 << 20);
    let said = native::said();
    let ours = said.iter().find(|m| m.0 == 11).map(|m| String::from_utf8_lossy(&m.3).into_owned());
    if ours.as_ref().is_some_and(|json| json.contains("levels deep]")) {
        return;
    }
    let own = own.and_then(|own| own.as_str().map(str::to_owned));
    assert_eq!(ours, own.or(Some("null".to_owned())), "{value}");
}

fn json(body: &[u8], value: &str) -> Value {
    let read = serde_json::from_slice(body);
    read.unwrap_or_else(|e| panic!("{e}: {value}: {}", String::from_utf8_lossy(body)))
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}
