//! What ends a guest, whatever it does about it.

use crate::support::{Play, block_on, each, each_its_own};
use hub_core::ports::GuestFault;

fn short(play: &Play) -> Play {
    let mut play = play.clone();
    play.limits.cpu_ms = 200;
    play
}

#[test]
fn a_busy_program_ends() {
    each_its_own("the faster driver may be out of memory first", |play| {
        let play = short(play);
        for code in [
            "while (true) {}",
            "try { while (true) {} } catch { return 1 } finally { return 2 }",
            "for (;;) { try { for (;;); } finally { continue } }",
            "await demo.list({}); for (;;);",
            "(async () => { for (;;) await null })(); await null",
            "const f = () => Promise.resolve().then(f); await f()",
            "const t = { then(r) { r(t) } }; await t",
            "/^(a+)+$/.test('a'.repeat(64) + 'b')",
            "[1, 2].sort(() => { for (;;); })",
            "for (;;) '\\u0344'.repeat(1e6).normalize('NFD')",
            "const a = []; a.length = 2 ** 32 - 1; a.reverse()",
            "new Uint8Array(1e8).indexOf(1); for (;;) new Uint8Array(1e8).indexOf(1)",
            "return { get x() { for (;;); } }",
            "return { toJSON() { for (;;); } }",
            "return new Proxy({}, { ownKeys() { for (;;); } })",
            "return new Array(4e9)",
            "setTimeout(() => { for (;;); }, 1); await new Promise(() => {})",
            "throw { get message() { for (;;); } }",
        ] {
            let ended = play.run(code);
            assert!(
                matches!(ended.fault(), GuestFault::Cpu(200) | GuestFault::Memory(_)),
                "{code}: {ended:?}"
            );
        }
    });
}

#[test]
fn each_turn_has_the_whole_of_its_time() {
    each(|play| {
        let mut play = play.clone();
        play.limits.cpu_ms = 2_000;
        // Many turns of some work each: more together than one turn may take.
        let ended = play.run(
            "let n = 0; for (let turn = 0; turn < 60; turn++) {
               for (let i = 0; i < 4e5; i++) n += i % 7; await demo.list({}) } return n > 0",
        );
        assert_eq!(ended.value(), true);
    });
}

#[test]
fn memory_ends_at_its_limit_and_cannot_be_caught() {
    each_its_own("values are larger where pointers are; another limit may come first", |play| {
        let mut play = play.clone();
        play.limits.heap_bytes = 24 << 20;
        for code in [
            "try { const a = []; for (;;) a.push(new Array(1000).fill(1)) } catch { return 1 }",
            "try { const a = []; for (;;) a.push('x'.repeat(1e6) + a.length) } catch { return 1 }",
            "try { new ArrayBuffer(1 << 30) } catch { return 1 }",
            "const all = []; for (;;) { try { all.push(new Uint8Array(1 << 20)) } catch {} }",
            "const all = []; for (;;) all.push(Promise.resolve().then(() => {}))",
            "await Promise.all(Array.from({length: 1e7}, async (_, i) => { await null; return i }))",
            "const a = []; for (;;) a.push(1n << 900000n)",
            "const m = new Map(); for (let i = 0;; i++) m.set(i, {})",
            "return 'x'.repeat(4e7)",
            "const f = (n) => (async () => { await f(n + 1) })(); await f(0)",
        ] {
            let ended = play.run(code);
            assert!(
                matches!(ended.fault(), GuestFault::Memory(_) | GuestFault::Stack),
                "{code}: {:?}",
                ended.fault
            );
        }
    });
}

#[test]
fn memory_within_the_limit_is_there() {
    each(|play| {
        let ended = play.run("const a = new Uint8Array(100 << 20).fill(1); return a[a.length - 1]");
        assert_eq!(ended.value(), 1);
    });
}

#[test]
fn deep_recursion_ends_and_cannot_be_caught() {
    each(|play| {
        for code in [
            "const f = () => f() + 1; try { f() } catch { return 1 }",
            "const f = () => { try { f() } catch { f() } }; f()",
            "let x = []; for (let i = 0; i < 1e5; i++) x = [x]; try { JSON.stringify(x) } catch { return 1 }",
            "try { JSON.parse('['.repeat(1e6)) } catch { return 1 }",
            "class A { get x() { return this.x } } try { new A().x } catch { return 1 }",
            "const p = new Proxy({}, { get(t, k, r) { return r[k] } }); try { p.x } catch { return 1 }",
            "const o = { toString() { return '' + o } }; try { '' + o } catch { return 1 }",
        ] {
            let ended = play.run(code);
            assert_eq!(ended.fault(), &GuestFault::Stack, "{code}");
        }
    });
}

#[test]
fn a_thousand_frames_are_no_problem() {
    each(|play| {
        let ended = play.run("const f = (n) => n === 0 ? 0 : 1 + f(n - 1); return f(2000)");
        assert_eq!(ended.value(), 2000);
    });
}

#[test]
fn a_fault_leaves_the_next_guest_alone() {
    each(|play| {
        let play = short(play);
        for code in ["for (;;);", "const f = () => f(); f()", "new ArrayBuffer(1 << 30)"] {
            play.run(code).fault();
            assert_eq!(play.run("return 1").value(), 1);
        }
    });
}

#[test]
fn a_guest_that_faulted_is_not_used_again() {
    each(|play| {
        let play = short(play);
        block_on(async {
            let spec = play.spec("await demo.list({}); for (;;);");
            let (mut guest, _) = play.driver.start(spec).await.unwrap();
            let delivery = || hub_core::ports::Delivery::Settle {
                n: 0,
                outcome: Ok("1".into()),
                at: hub_core::time::UnixMillis(0),
            };
            assert_eq!(guest.deliver(delivery()).await, Err(GuestFault::Cpu(200)));
            assert!(matches!(guest.deliver(delivery()).await, Err(GuestFault::Broken(_))));
            assert!(matches!(guest.finish().await, Err(GuestFault::Broken(_))));
        });
    });
}

#[test]
fn deliveries_nobody_asked_for_change_nothing() {
    each(|play| {
        block_on(async {
            let (mut guest, _) =
                play.driver.start(play.spec("return await demo.list({})")).await.unwrap();
            use hub_core::ports::Delivery;
            let at = hub_core::time::UnixMillis(1);
            for delivery in [
                Delivery::Settle { n: 99, outcome: Ok("1".into()), at },
                Delivery::Fire { timer: 0, at },
            ] {
                let turn = guest.deliver(delivery).await.unwrap();
                assert_eq!(turn.main, None);
            }
            let settle = |json: &str| Delivery::Settle { n: 0, outcome: Ok(json.into()), at };
            assert!(guest.deliver(settle("5")).await.unwrap().main.is_some());
            assert!(guest.deliver(settle("6")).await.unwrap().main.is_none());
            assert_eq!(guest.finish().await.unwrap().result.as_deref(), Some("5"));
        });
    });
}

#[test]
fn an_answer_that_does_not_fit_is_the_memory_limit() {
    each(|play| {
        let mut play = play.clone();
        play.limits.heap_bytes = 16 << 20;
        for megabytes in [8, 12, 20, 40] {
            let large = format!("\"{}\"", "x".repeat(megabytes << 20));
            let ended = play.run_with("let a = await demo.list({}); return a.length", |_| {
                Some(Ok(large.clone()))
            });
            assert_eq!(ended.fault(), &GuestFault::Memory(16 << 20), "{megabytes} MiB");
        }
    });
}
