//! What surrounds the guests: other guests, the budget of all, giving up.

use crate::support::{Play, WASM, block_on, each};
use hub_core::ports::{Driver, GuestFault};
use hub_sandbox::{Budget, WasmDriver, WasmOptions};
use std::path::PathBuf;
use std::sync::Arc;

#[test]
fn runs_share_nothing() {
    each(|play| {
        play.run(
            "globalThis.leak = 1; Object.prototype.leak = 1; Array.prototype.map = null;
             Promise.prototype.then = null; String.prototype.leak = 1; Math.random = () => 0;
             JSON.stringify = null; Symbol.for('leak').description; 'x'.match(/x/);
               Date.now = null",
        );
        let ended = play.run(
            "return [typeof leak, ({}).leak, [1].map(String), Math.random() !== 0, typeof Date.now,
               await demo.echo({ok: 1})]",
        );
        assert_eq!(ended.json(), r#"["undefined",null,["1"],true,"function",{"ok":1}]"#);
    });
}

#[test]
fn poisoned_builtins_do_not_reach_the_prelude() {
    each(|play| {
        let ended = play.run(
            "const bad = () => { throw new Error('poison') };
             const {defineProperty} = Object, {ownKeys} = Reflect;
             const all = [Array, Object, Map, Set, WeakMap, Promise, String, Number, RegExp,
               Function, Error, Date];
             const names = ['value', 'get', 'set', 'writable', 'enumerable', 'configurable',
               '0', '1', 'code', 'address', 'connection', 'callback', 'args', 'left'];
             for (let c = 0; c < all.length; c++) {
               const proto = all[c].prototype, keys = ownKeys(proto);
               for (let i = 0; i < keys.length; i++) {
                 if (keys[i] === 'constructor') continue;
                 if (proto === Promise.prototype && keys[i] === 'then') continue;
                 try { defineProperty(proto, keys[i], {__proto__: null, get: bad, set: bad,
                   configurable: true}) } catch {} } }
             for (let i = 0; i < names.length; i++)
               defineProperty(Object.prototype, names[i], {__proto__: null, get: bad, set: bad,
                 configurable: true});
             for (let i = 0; i < 3; i++) defineProperty(Array.prototype, i, {__proto__: null,
               set: bad, configurable: true});
             JSON.parse = JSON.stringify = Object.freeze = Object.keys = Reflect.ownKeys = bad;
             console.log('still', {a: 1}, [1], new Date(0));
             const x = await demo.echo({a: 1}, {__proto__: null, connection: 'c'});
             let code; try { await demo.fail({}) } catch (e) { code = 1 }
             crypto.randomUUID(); structuredClone; atob('aGk=');
             await new Promise((r) => setTimeout(r, 1));
             return {__proto__: null, x, code}",
        );
        assert_eq!(ended.error, None);
        assert_eq!(ended.json(), r#"{"x":{"a":1},"code":1}"#);
        assert_eq!(ended.logs[0].text, "still {a: 1} [1] 1970-01-01T00:00:00.000Z");
    });
}

#[test]
fn many_guests_run_at_once() {
    each(|play| {
        block_on(async {
            let mut runs = tokio::task::JoinSet::new();
            for i in 0..40 {
                let play = play.clone();
                runs.spawn(async move {
                    let spec = play.spec(&format!("await demo.echo({{}}); return {i}"));
                    (i, play.play(spec, crate::support::sample).await)
                });
            }
            while let Some(done) = runs.join_next().await {
                let (i, ended) = done.unwrap();
                assert_eq!(ended.value(), i);
            }
        });
    });
}

/// A driver of its own, so that its counts are its own.
fn own(memory_budget: Option<usize>) -> Arc<WasmDriver> {
    let memory_budget = memory_budget.map(Budget::new);
    let cache_dir = Some(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("guest-code"));
    block_on(WASM.prepared()).unwrap();
    WasmDriver::open(WasmOptions { cache_dir, memory_budget, ..WasmOptions::default() }).unwrap()
}

/// Waits until no guest holds anything.
async fn given_back(driver: &WasmDriver) {
    while driver.running() > 0 || driver.memory_used() > 0 {
        tokio::task::yield_now().await;
    }
}

#[test]
fn guests_beyond_the_memory_of_all_are_refused() {
    let driver = own(Some(6 << 20));
    block_on(async {
        let play = Play { driver: driver.clone(), seed: [0; 32], ..Play::default() };
        let mut held = Vec::new();
        let refused = loop {
            match driver.start(play.spec("await demo.list({})")).await {
                Ok((guest, _)) => held.push(guest),
                Err(fault) => break fault,
            }
            assert!(held.len() < 10);
        };
        assert_eq!(refused, GuestFault::Busy);
        assert!(!held.is_empty());
        assert!(driver.memory_used() > 0);
        drop(held);
        given_back(&driver).await;
        assert!(driver.start(play.spec("return 1")).await.is_ok());
        let grown = play.play(play.spec("return new Uint8Array(8 << 20).length"), |_| None).await;
        assert_eq!(grown.fault(), &GuestFault::Busy);
        given_back(&driver).await;
    });
}

#[test]
fn a_run_that_is_given_up_stops() {
    let driver = own(None);
    block_on(async {
        let play = Play { driver: driver.clone(), seed: [0; 32], ..Play::default() };
        {
            let mut starting = Box::pin(driver.start(play.spec("for (;;);")));
            // Polled until the guest computes, then dropped.
            while driver.running() == 0 {
                let once = std::future::poll_fn(|context| {
                    std::task::Poll::Ready(starting.as_mut().poll(context).is_ready())
                });
                assert!(!once.await);
                tokio::task::yield_now().await;
            }
        }
        given_back(&driver).await;
        assert_eq!(driver.running(), 0);
    });
}
