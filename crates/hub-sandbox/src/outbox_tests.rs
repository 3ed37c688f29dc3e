//! What a guest says of itself is not believed.

use super::outbox::{Outbox, Taken};
use hub_core::ports::{GuestFault, GuestLimits, MainOutcome};
use serde_json::json;

const RESULT: u32 = 11;

fn outbox() -> Outbox {
    Outbox::new(GuestLimits { result_bytes: 40, ..GuestLimits::default() })
}

#[test]
fn a_whole_results_size_is_what_it_is() {
    for said in [0, 3, 7, 9, u32::MAX] {
        let mut outbox = outbox();
        assert_eq!(outbox.take(RESULT, said, "", "\"whole\""), Ok(Taken::Yes));
        assert_eq!(outbox.take_finish().result_size, 7, "{said}");
    }
}

#[test]
fn a_cut_results_size_is_at_least_what_is_here() {
    let cut = "\"".to_owned() + &"x".repeat(39);
    for (said, told) in [(0, 40), (39, 40), (41, 41), (u32::MAX, u32::MAX as usize)] {
        let mut outbox = outbox();
        assert_eq!(outbox.take(RESULT, said, "", &cut), Ok(Taken::Yes));
        assert_eq!(outbox.take_finish().result_size, told, "{said}");
    }
    let more = cut + "y";
    assert!(matches!(outbox().take(RESULT, 41, "", &more), Err(GuestFault::Broken(_))));
}

#[test]
fn texts_of_errors_are_bounded() {
    let long = "é".repeat(300_000);
    let tool = json!({ "code": "timeout", "address": long, "hint": long, "retryable": false });
    let error = json!({ "name": long, "message": long, "tool": tool, "code": long }).to_string();
    let mut outbox = outbox();
    outbox.take(9, 0, "", &error).unwrap();
    let Some(MainOutcome::Rejected(error)) = outbox.take_turn().unwrap().main else {
        panic!("main was rejected");
    };
    let tool = error.tool.unwrap();
    let texts =
        [error.name, error.message, tool.message, tool.address.unwrap(), tool.hint.unwrap()];
    assert!(texts.iter().all(|text| !text.is_empty() && text.len() <= 32 << 10));
    assert_eq!(error.code, None, "no code of ours");
    for kind in [14, 15] {
        let why = match outbox.take(kind, 0, "", &long) {
            Err(GuestFault::Broken(why)) => why,
            _ => outbox.take_finish().not_serializable.unwrap(),
        };
        assert!(why.len() <= 4 << 10, "{kind}");
    }
}

#[test]
fn a_timer_beyond_its_limit_is_no_timer() {
    let most = hub_core::limits::TIMEOUT_MS;
    assert_eq!(outbox().take(6, 0, "", &most.to_string()), Ok(Taken::Yes));
    for wrong in [(most + 1).to_string(), "-1".into(), "1e3".into(), String::new()] {
        assert!(outbox().take(6, 0, "", &wrong).is_err(), "{wrong}");
    }
}
