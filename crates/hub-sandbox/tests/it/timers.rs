//! setTimeout, clearTimeout, queueMicrotask.

use crate::support::{START, each};
use hub_core::ports::GuestOp;
use serde_json::json;

#[test]
fn timers_have_their_own_numbers() {
    each(|play| {
        let ended = play.run(
            "const order = [];
             const a = setTimeout((x, y) => order.push('a' + x + y), 20, 1, 2);
             const b = setTimeout(() => order.push('b'), 10);
             const c = setTimeout(() => order.push('c'), 5);
             clearTimeout(c); clearTimeout(c); clearTimeout(undefined); clearTimeout(99);
             queueMicrotask(() => order.push('m'));
             await demo.list({});
             await new Promise((done) => setTimeout(done, 30.9));
             return [order, Date.now(), typeof a, a > 0]",
        );
        assert_eq!(ended.value(), json!([["m", "b", "a12"], START + 1 + 30, "number", true]));
        let timers: Vec<&GuestOp> =
            ended.ops.iter().filter(|op| !matches!(op, GuestOp::Call { .. })).collect();
        assert_eq!(
            timers,
            [
                &GuestOp::Timer { timer: 0, ms: 20 },
                &GuestOp::Timer { timer: 1, ms: 10 },
                &GuestOp::Timer { timer: 2, ms: 5 },
                &GuestOp::ClearTimer { timer: 2 },
                &GuestOp::Timer { timer: 3, ms: 30 },
            ]
        );
    });
}

#[test]
fn thirty_seconds_is_the_longest() {
    each(|play| {
        let code = |ms: &str| {
            format!(
                "try {{ setTimeout(() => {{}}, {ms}); return 'ok' }} catch (e) {{ return e.name }}"
            )
        };
        for ms in ["30000", "0", "-5", "NaN", "undefined", "'12'"] {
            assert_eq!(play.run(&code(ms)).value(), "ok", "{ms}");
        }
        for ms in ["30001", "Infinity", "1e12"] {
            assert_eq!(play.run(&code(ms)).value(), "RangeError", "{ms}");
        }
    });
}

#[test]
fn a_thousand_timers_wait_at_once() {
    each(|play| {
        let ended = play.run(
            "let n = 0; try { for (;;) { setTimeout(() => {}, 1); n++ } } catch (e) { return [n, e.name] }",
        );
        assert_eq!(ended.value(), json!([1000, "RangeError"]));
    });
}

#[test]
fn an_error_in_a_timer_is_told_at_the_end() {
    each(|play| {
        let ended = play.run(
            "setTimeout(() => { throw new Error('in timer') }, 1);
             await new Promise((done) => setTimeout(done, 2)); return 1",
        );
        let finish = ended.finish.unwrap();
        assert_eq!(finish.unhandled[0].message, "in timer");
        assert_eq!(finish.unhandled[0].line, Some(1));
    });
}

#[test]
fn a_program_that_awaits_nothing_rests_unsettled() {
    each(|play| {
        let ended = play.run("await new Promise(() => {})");
        assert!(ended.stalled);
    });
}
