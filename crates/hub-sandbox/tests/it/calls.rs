//! Calls and lookups: what leaves, in which order, and how failures come back.

use crate::support::each;
use hub_core::ports::{GuestOp, LookupKind};
use serde_json::json;

fn call(n: u32, address: &str, connection: Option<&str>, arguments: &str) -> GuestOp {
    GuestOp::Call {
        n,
        address: address.into(),
        connection: connection.map(Into::into),
        arguments: arguments.into(),
    }
}

#[test]
fn calls_and_lookups_share_one_sequence() {
    each(|play| {
        let ended = play.run(
            "const a = demo.echo({b: 1, a: 'x'}, {connection: 'work'});
             const b = hub.search('issues', {limit: 3});
             const c = hub.describe(['demo.echo', 'x']);
             const d = demo.list();
             return [await a, await b, await c, await d]",
        );
        assert_eq!(
            ended.ops,
            [
                call(0, "demo.echo", Some("work"), r#"{"b":1,"a":"x"}"#),
                GuestOp::Lookup {
                    n: 1,
                    kind: LookupKind::Search,
                    arguments: r#"["issues",{"limit":3}]"#.into()
                },
                GuestOp::Lookup {
                    n: 2,
                    kind: LookupKind::Describe,
                    arguments: r#"[["demo.echo","x"]]"#.into()
                },
                call(3, "demo.list", None, "{}"),
            ]
        );
        assert_eq!(ended.value()[0], json!({"b": 1, "a": "x"}));
    });
}

#[test]
fn the_order_of_delivery_is_the_order_of_going_on() {
    each(|play| {
        let ended = play.run(
            "const seen = [];
             await Promise.all([3, 1, 2].map(async (i) => {
               seen.push('a' + i); await null; seen.push('b' + i);
               await demo.echo({i}); seen.push('c' + i);
             }));
             return seen.join()",
        );
        assert_eq!(ended.value(), "a3,a1,a2,b3,b1,b2,c3,c1,c2");
        assert_eq!(ended.turns, 4);
    });
}

#[test]
fn a_failed_call_is_a_tool_error() {
    each(|play| {
        let ended = play.run(
            "try { await demo.fail({}) } catch (e) {
               return [e instanceof ToolError, e instanceof Error, e.name, e.message, e.code,
                 e.address, e.status, e.hint, e.retryable, Object.keys(e), String(e),
                 /program:1:\\d+/.test(e.stack)]
             }",
        );
        assert_eq!(
            ended.value(),
            json!([
                true,
                true,
                "ToolError",
                "no such repo",
                "tool_failed",
                "demo.fail",
                404,
                "look it up first",
                false,
                ["code", "address", "status", "hint", "retryable"],
                "ToolError: no such repo",
                true
            ])
        );
    });
}

#[test]
fn partial_failure_keeps_the_rest() {
    each(|play| {
        let ended = play.run(
            "const r = await Promise.allSettled([demo.echo({a: 1}), demo.fail({}), demo.echo({a: 3})]);
             return r.map((x) => x.status)",
        );
        assert_eq!(ended.value(), json!(["fulfilled", "rejected", "fulfilled"]));
    });
}

#[test]
fn a_failed_call_that_nobody_awaits_is_a_notice() {
    each(|play| {
        for code in [
            "demo.fail({}); return 'done'",
            "demo.fail({}).then((x) => x.id); return 'done'",
            "(async () => { await demo.fail({}) })(); return 'done'",
        ] {
            let ended = play.run(code);
            assert_eq!(ended.value(), "done", "{code}");
            assert_eq!(
                ended.notices(),
                ["a call that nobody awaited failed: demo.fail: tool_failed: no such repo"],
                "{code}"
            );
            assert!(ended.finish.unwrap().unhandled.is_empty());
        }
    });
}

#[test]
fn other_rejections_are_told_at_the_end() {
    each(|play| {
        let ended = play.run("Promise.reject(new TypeError('lost'));\nreturn 1");
        let finish = ended.finish.unwrap();
        assert_eq!(finish.unhandled.len(), 1);
        assert_eq!(finish.unhandled[0].name, "TypeError");
        assert_eq!(finish.unhandled[0].message, "lost");
        assert_eq!(finish.unhandled[0].line, Some(1));
        let ended = play.run(
            "const p = Promise.reject(new Error('caught late'));
             await demo.list({}); await p.catch(() => {}); return 1",
        );
        assert!(ended.finish.unwrap().unhandled.is_empty());
        let ended = play.run("queueMicrotask(() => { throw new Error('m') }); return 1");
        assert_eq!(ended.finish.unwrap().unhandled[0].message, "m");
    });
}

#[test]
fn arguments_that_json_would_spoil_are_refused_with_their_path() {
    each(|play| {
        for (arguments, says) in [
            ("{a: {b: [NaN]}}", "$.a.b[0] is not a finite number"),
            ("{n: 1n}", "$.n is a BigInt"),
            ("{p: demo.list({})}", "$.p is a promise; await it first"),
            ("{m: new Map()}", "$.m is a Map"),
            ("{s: '\\ud800'}", "$.s holds half of a surrogate pair"),
            ("{get x() { throw 1 }}", "$.x threw while it was read"),
            ("(() => { const x = {}; x.y = x; return x })()", "$.y refers back to $"),
            ("{e: new Error('x')}", "$.e is an Error"),
            ("() => 1", "a function has no JSON form"),
        ] {
            let ended = play.run(&format!(
                "try {{ await demo.echo({arguments}) }} catch (e) {{ return [e.code, e.message, e.address] }}"
            ));
            let value = ended.value();
            assert_eq!(value[0], "invalid_arguments", "{arguments}");
            assert!(value[1].as_str().unwrap().contains(says), "{arguments}: {value}");
            assert_eq!(value[2], "demo.echo");
        }
    });
}

#[test]
fn arguments_with_a_json_form_pass() {
    each(|play| {
        let ended = play.run(
            "await demo.echo({u: undefined, f() {}, d: new Date(0), z: -0, ['__proto__']: 1, n: null});
             await demo.echo([1, undefined]); await demo.echo(null); await demo.echo('x')",
        );
        let sent: Vec<&str> = ended
            .ops
            .iter()
            .map(|op| match op {
                GuestOp::Call { arguments, .. } => arguments.as_str(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(
            sent,
            [
                r#"{"d":"1970-01-01T00:00:00.000Z","z":0,"__proto__":1,"n":null}"#,
                "[1,null]",
                "null",
                "\"x\""
            ]
        );
    });
}

#[test]
fn a_refused_call_takes_no_number() {
    each(|play| {
        let ended = play.run("await demo.echo({n: NaN}).catch(() => {}); await demo.echo({})");
        assert_eq!(ended.ops, [call(0, "demo.echo", None, "{}")]);
    });
}

#[test]
fn a_call_made_while_arguments_are_read_has_a_number_of_its_own() {
    each(|play| {
        let ended = play.run(
            "let inner; const outer = demo.echo({ get x() { inner = demo.echo({ in: 1 }); return 1 },
               y: { toJSON() { hub.search('z'); return 2 } } });
             return [await outer, await inner]",
        );
        assert_eq!(ended.value(), json!([{ "x": 1, "y": 2 }, { "in": 1 }]));
        let numbers: Vec<u32> = ended
            .ops
            .iter()
            .map(|op| match op {
                GuestOp::Call { n, .. } | GuestOp::Lookup { n, .. } => *n,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(numbers, [0, 1, 2]);
    });
}

#[test]
fn big_integers_may_be_taught_their_json() {
    each(|play| {
        let ended = play.run(
            "BigInt.prototype.toJSON = function () { return this.toString() };
             await demo.echo({ id: 12345678901234567890n, list: [1n] }); return { r: 2n }",
        );
        assert_eq!(
            ended.ops,
            [call(0, "demo.echo", None, r#"{"id":"12345678901234567890","list":["1"]}"#)]
        );
        assert_eq!((ended.json(), ended.notices().len()), (r#"{"r":"2"}"#, 0));
    });
}

#[test]
fn the_second_argument_is_a_connection_or_nothing() {
    each(|play| {
        for options in ["{conection: 'x'}", "{connection: 1}", "'work'", "null", "[]"] {
            let ended = play.run(&format!(
                "try {{ await demo.echo({{}}, {options}) }} catch (e) {{ return e.code + e.message }}"
            ));
            let value = ended.value();
            let text = value.as_str().unwrap();
            assert!(text.starts_with("invalid_arguments"), "{options}: {text}");
            assert!(text.contains("connection"), "{options}: {text}");
            assert!(ended.ops.is_empty());
        }
        let ended =
            play.run("await demo.echo({}, {connection: undefined}); await demo.echo({}, {})");
        assert_eq!(ended.ops.len(), 2);
    });
}

#[test]
fn a_flood_is_refused_and_can_be_caught() {
    each(|play| {
        let ended = play.run_with(
            "const all = []; for (let i = 0; i < 5000; i++) all.push(demo.echo({i}));
             let refused = 0;
             for (const p of all.slice(4096)) { try { await p } catch (e) {
               if (e.code === 'limit_calls') refused++ } }
             return refused",
            |_| None,
        );
        assert_eq!(ended.ops.len(), play.limits.ops_per_turn);
        assert_eq!(ended.value(), 5000 - 4096);
    });
}

#[test]
fn arguments_end_at_their_limit() {
    each(|play| {
        let mut play = play.clone();
        play.limits.argument_bytes = 100;
        let code = |length: usize| {
            format!(
                "try {{ await demo.echo({{t: 'x'.repeat({length})}}); return 'ok' }} \
                 catch (e) {{ return e.code + ': ' + e.message }}"
            )
        };
        assert_eq!(play.run(&code(92)).value(), "ok");
        let refused = play.run(&code(93)).value();
        assert_eq!(refused, "invalid_arguments: the arguments are larger than 100 bytes");
    });
}
