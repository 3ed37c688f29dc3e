//! Messages of a guest, as driver A and driver B hand them on, into the outbox.

use super::protocol::outbox::{Outbox, Taken};
use crate::choices::Choices;
use hub_core::ports::GuestLimits;

/// Sends messages until one ends the guest or the bytes are used up.
pub fn check(data: &[u8]) {
    let mut choices = Choices::new(data);
    let limits = GuestLimits {
        log_bytes: 64,
        ops_per_turn: 4,
        argument_bytes: 64,
        ..GuestLimits::default()
    };
    let mut outbox = Outbox::new(limits);
    let mut logged = 0;
    while !choices.is_empty() {
        match choices.byte() {
            250.. => {
                let Ok(turn) = outbox.take_turn() else { return };
                assert!(turn.ops.len() <= limits.ops_per_turn);
                logged += turn.logs.iter().map(|line| line.text.len()).sum::<usize>();
            }
            240..250 => {
                let finish = outbox.take_finish();
                assert!(finish.notices.len() <= hub_core::limits::NOTICES);
                logged += finish.logs.iter().map(|line| line.text.len()).sum::<usize>();
            }
            kind => {
                let n = u32::from(choices.byte()) << (choices.byte() % 32);
                let head = text(&mut choices);
                let body = match choices.below(3) {
                    0 => error(&mut choices),
                    _ => text(&mut choices),
                };
                match outbox.take(u32::from(kind) % 20, n, &head, &body) {
                    Ok(Taken::Yes | Taken::Refused) => {}
                    Err(_) => return,
                }
            }
        }
        assert!(logged <= limits.log_bytes, "{logged} bytes of logs");
    }
}

fn text(choices: &mut Choices<'_>) -> String {
    let length = choices.below(100);
    String::from_utf8_lossy(choices.take(length)).into_owned()
}

/// An error as the prelude writes it, nearly.
fn error(choices: &mut Choices<'_>) -> String {
    let mut out = serde_json::Map::new();
    for _ in 0..choices.below(7) {
        let key = ["name", "message", "stack", "tool", "code", "x"][choices.below(6)];
        let value = match choices.below(5) {
            0 => serde_json::json!({ "code": text(choices), "retryable": true, "status": 404 }),
            1 => serde_json::json!({ "code": "timeout", "address": text(choices) }),
            2 => format!("at program:{}:{}", choices.byte(), text(choices)).into(),
            3 => i64::from(choices.byte()).into(),
            _ => text(choices).into(),
        };
        out.insert(key.to_owned(), value);
    }
    serde_json::Value::Object(out).to_string()
}
